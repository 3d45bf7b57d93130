// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_SYMBOL_INDEX_H_
#define PERF2X_SYMBOLIZE_ELF_SYMBOL_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/symbolize/demangle.h"

namespace perf2x {

// Symbols by address, chosen as perf does. A symbol of size 0 ends where the
// next one begins; the last symbol ends about a page later
// (symbols__fixup_end() in perf's symbol.c). Of several symbols at one address,
// Find returns the best one (choose_best_symbol() there). Labels (untyped, of
// size 0) within a function that has a size are dropped. Symbols are added
// first, then Finish is called once; look-ups require Finish. The caller
// charges the memory of symbols: kMemoryOfEntry each, and the bytes of names
// given to StoreName. Thread-safe after Finish.
class SymbolIndex {
 public:
  // Types and bindings are ELF's: STT_NOTYPE … and STB_LOCAL ….
  struct Entry {
    uint64_t start = 0, end = 0;  // addresses [start, end)
    const char* name = nullptr;   // not NUL-terminated
    uint32_t name_size = 0;
    uint8_t type = 0, binding = 0;
    absl::string_view view() const { return {name, name_size}; }
  };
  // Bytes that a symbol takes, with what grows beside it.
  static constexpr uint64_t kMemoryOfEntry = 96;

  // Reserves memory for `count` more symbols.
  void Reserve(size_t count) { entries_.reserve(entries_.size() + count); }
  // Adds a symbol. `name` must live as long as the index; see StoreName.
  void Add(uint64_t start, uint64_t size, absl::string_view name, uint8_t type,
           uint8_t binding) {
    // A size that wraps around the address space is damage: treated as not
    // known.
    const uint64_t end = size > ~uint64_t{0} - start ? start : start + size;
    const size_t name_size = std::min<size_t>(name.size(), ~0u);
    entries_.push_back({start, end, name.data(),
                        static_cast<uint32_t>(name_size), type, binding});
  }
  // Stores a name for Add that is not part of a mapped file. The result is
  // valid as long as the index.
  absl::string_view StoreName(std::string name) {
    return names_.emplace_back(std::move(name));
  }
  // Receives the names of a symbol and of the next one. Returns true if the
  // first must not extend to the second, because they are in different kernel
  // modules.
  using Gap = bool (*)(absl::string_view, absl::string_view);
  // Sorts, drops labels within functions, and sets the ends of symbols of size
  // 0. To be called once, after the last Add. Null `gap`: no gaps.
  void Finish(Gap gap = nullptr);

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // Returns all symbols; after Finish, ascending by start.
  const std::vector<Entry>& entries() const { return entries_; }

  // The position of the last look-up, for Find only: makes look-ups of
  // ascending addresses fast. Each cursor belongs to one index and one thread.
  struct Cursor {
    size_t at = 0;
    const Entry* found = nullptr;
    uint64_t from = 1, until = 0;  // `found` is the result for [from, until)
    // Where several symbols begin at one address, the best of them. The key is
    // the index in entries() of the last one.
    absl::flat_hash_map<size_t, const Entry*> chosen;
    // Pays for demangling names to find the best symbol. Outlives the cursor.
    Budget* budget = &Budget::Unlimited();
  };
  // Returns the symbol whose range has `address`; null if there is none. If
  // several ranges have it, returns the symbol that starts last.
  const Entry* Find(uint64_t address, Cursor* cursor) const;
  // Returns true if a symbol starts at address + 1. `cursor` makes this fast if
  // its last Find was for `address`; it does not change the result.
  bool StartsRightAfter(uint64_t address, const Cursor& cursor) const {
    if (address >= cursor.from && address + 1 < cursor.until) return false;
    const auto after = std::upper_bound(
        entries_.begin(), entries_.end(), address,
        [](uint64_t a, const Entry& e) { return a < e.start; });
    return after != entries_.end() && after->start == address + 1;
  }

 private:
  void DropInnerLabels();
  const Entry* BestOf(size_t first, size_t last, Cursor* cursor) const;

  std::vector<Entry> entries_;
  std::vector<uint64_t> reach_;  // largest end of the entries up to this one
  std::deque<std::string> names_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_SYMBOL_INDEX_H_
