// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_RECORDED_SYMBOLS_H_
#define PERF2X_SYMBOLIZE_RECORDED_SYMBOLS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

class Kallsyms;

// The functions that simpleperf and hiperf wrote into a recording, by file.
// They are those that were hit, with the names and sizes that the device's own
// files have. Filled while the recording is read. Thread-safe.
class RecordedSymbols {
 public:
  enum class Space : uint8_t { kKernel, kUser };
  // How addresses of functions in a file relate to those of frames.
  enum class Addresses : uint8_t {
    kLink,        // ELF files, modules: relative to `min_address`
    kFileOffset,  // DEX files
    kRunTime,     // the kernel, perf maps
  };
  struct File {
    absl::string_view path;
    Space space = Space::kUser;
    Addresses addresses = Addresses::kLink;
    // See RecordedFile.
    uint64_t min_address = 0;
    std::optional<uint64_t> min_address_offset = {};
  };
  using FileId = uint32_t;

  // Returns the id of the file; a file that was added before gets the new
  // values.
  FileId AddFile(const File& file);
  // A function of size 0 ends where the next one begins.
  void AddSymbol(FileId file, uint64_t address, uint64_t size,
                 absl::string_view name);
  // Sets the recorded copy of /proc/kallsyms. The first one with symbols
  // counts.
  void SetKallsyms(absl::string_view text);
  // Adds a mapping of a user file: `size` bytes from `offset` on. Old
  // recordings lack min_address_offset; `min_address` is then where each
  // mapping starts.
  void OnMap(absl::string_view path, uint64_t offset, uint64_t size);

  // Returns true if nothing was added yet.
  bool empty() const;
  // Returns true if the file of `dso` has symbols.
  bool Has(const Dso& dso) const;
  // Calls `found` with the index and the symbol, not demangled, of each of
  // `addresses` (Frame::address) that has one, in order. Names are valid during
  // the call. `found` must not call this object.
  void Find(const Dso& dso, absl::Span<const uint64_t> addresses,
            absl::FunctionRef<void(size_t, absl::string_view)> found) const;
  // Calls `found` for the functions of a user file at [start, end) of its own
  // addresses, ascending, until it returns false. `found` must not call this
  // object.
  struct Function {
    uint64_t start = 0, end = 0;
    absl::string_view name;
  };
  void ForEachIn(absl::string_view path, uint64_t start, uint64_t end,
                 absl::FunctionRef<bool(const Function&)> found) const;
  // Null if the recording has none.
  std::shared_ptr<const Kallsyms> kallsyms() const;

  // Returns the approximate memory of all symbols, in bytes.
  uint64_t memory() const;

 private:
  struct Entry {
    uint64_t start = 0, end = 0;
    std::string name;
  };
  struct Table {
    Addresses addresses = Addresses::kLink;
    uint64_t min_address = 0;
    std::optional<uint64_t> min_address_offset;
    // Mapped parts [offset, end) of a file without min_address_offset, by
    // offset.
    std::vector<std::pair<uint64_t, uint64_t>> mapped;
    mutable bool sorted = true;
    mutable std::vector<Entry> entries;
  };
  static std::string KeyOf(Space space, absl::string_view path);
  static void Sort(const Table& table);
  static const Entry* FindEntry(const Table& table, uint64_t address);
  const Table* TableOf(Space space, absl::string_view path) const;
  const Table* TableOf(const Dso& dso) const;
  static uint64_t ToTable(const Table& table, const Dso& dso, uint64_t address);

  mutable std::mutex mutex_;  // guards all
  std::vector<Table> tables_;
  absl::flat_hash_map<std::string, FileId> ids_;  // by KeyOf()
  std::shared_ptr<const Kallsyms> kallsyms_;
  uint64_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_RECORDED_SYMBOLS_H_
