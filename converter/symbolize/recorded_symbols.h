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

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

class Kallsyms;

// The functions that simpleperf and hiperf wrote into a recording, by file.
// Only functions that samples hit are there, with the names and sizes in the
// device's own files. Filled while the recording is read. Charges no budget:
// callers that add functions limit them by memory(). Thread-safe.
class RecordedSymbols {
 public:
  // The part of the address space that has the file's code.
  enum class Space : uint8_t { kKernel, kUser };
  // What the addresses of a file's functions are.
  enum class Addresses : uint8_t {
    kLink,        // link-time addresses (ELF files, modules); see File
    kFileOffset,  // offsets in the file (DEX files)
    kRunTime,     // run-time addresses (the kernel, perf maps)
  };
  // A file of code, without its functions.
  struct File {
    absl::string_view path;
    Space space = Space::kUser;
    Addresses addresses = Addresses::kLink;
    // For kLink: the link-time address of the byte at file offset
    // `min_address_offset`. The offset of a kernel module counts from its start
    // in memory. Old recordings lack the offset; see OnMap.
    uint64_t min_address = 0;
    std::optional<uint64_t> min_address_offset = {};
  };
  using FileId = uint32_t;

  // Returns the id of the file with this path and space; adds it if it is new.
  // A known file gets the new `addresses` and `min_address`. It keeps its
  // min_address_offset if the new one is absent.
  FileId AddFile(const File& file);
  // Adds a function to `file`, an id that AddFile returned. Ignores an empty
  // name. A function of size 0 ends where the next one begins. Of functions at
  // one address, the last one added counts.
  void AddSymbol(FileId file, uint64_t address, uint64_t size,
                 absl::string_view name);
  // Parses the recorded copy of /proc/kallsyms. Ignores it if it has no symbols
  // or if an earlier copy had some.
  void SetKallsyms(absl::string_view text);
  // Adds a mapping of a user file: `size` bytes from file offset `offset` on.
  // Only needed for files without min_address_offset: in them,
  // File::min_address is taken as the address of the start of every mapping.
  // Ignores files that AddFile has not added yet, and files with
  // min_address_offset. Keeps 64 different mappings of a file and ignores
  // further ones.
  void OnMap(absl::string_view path, uint64_t offset, uint64_t size);

  // Returns true if neither a file nor a kallsyms table was added so far.
  bool empty() const;
  // Returns true if the file of `dso` has functions. If `dso` is a kernel
  // module, also returns true if the kernel has functions.
  bool Has(const Dso& dso) const;
  // Looks up `addresses` (Frame::address) in order. If a function has the
  // address, calls `found` with the index of the address and the function's
  // name, not demangled. An address in a kernel module without such a function
  // is also looked up among the kernel's functions. Names are valid during the
  // call. `found` must not call this object.
  void Find(const Dso& dso, absl::Span<const uint64_t> addresses,
            absl::FunctionRef<void(size_t, absl::string_view)> found) const;
  // A function at [start, end), in the terms of File::addresses.
  struct Function {
    uint64_t start = 0, end = 0;
    absl::string_view name;  // valid during the call
  };
  // Calls `found` for the functions of the user file `path` that start in
  // [start, end), ascending by start, until `found` returns false. No two
  // functions have the same start. Function::end is at most `end`. `found` must
  // not call this object.
  void ForEachIn(absl::string_view path, uint64_t start, uint64_t end,
                 absl::FunctionRef<bool(const Function&)> found) const;
  // Returns the table of SetKallsyms; null if there is none.
  std::shared_ptr<const Kallsyms> kallsyms() const;

  // Returns the approximate memory of all that was added, in bytes.
  uint64_t memory() const;

 private:
  struct Entry {
    uint64_t end = 0;  // equals the start if the size is not known
    std::string name;
  };
  // By start. Always sorted: additions and look-ups may alternate.
  using Entries = absl::btree_map<uint64_t, Entry>;
  struct Table {
    Addresses addresses = Addresses::kLink;
    uint64_t min_address = 0;
    std::optional<uint64_t> min_address_offset;
    // Mapped parts [offset, end) of a file without min_address_offset, by
    // offset.
    std::vector<std::pair<uint64_t, uint64_t>> mapped;
    Entries entries;
  };
  static std::string KeyOf(Space space, absl::string_view path);
  static uint64_t EndOf(const Table& table, Entries::const_iterator entry);
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
