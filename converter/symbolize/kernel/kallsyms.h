// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_H_
#define PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// The functions and variables of the kernel and its modules by run-time
// address: types T, W, D and B, also in lower case. Read from /proc/kallsyms or
// a copy of it; format: s_show() in the kernel's kernel/kallsyms.c. Other lines
// are ignored. Lines are read when they are needed. Thread-safe.
class Kallsyms {
 public:
  // Fails with InvalidArgument if there are no symbols in `file`.
  static absl::StatusOr<std::unique_ptr<Kallsyms>> Parse(
      std::shared_ptr<const SafeFile> file);
  // Reads the running kernel's table at `path` (/proc/kallsyms; another path in
  // tests). Reads to the end of file, as stat() reports a size of 0. Fails with
  // InvalidArgument if the file cannot be read or has no symbols.
  static absl::StatusOr<std::unique_ptr<Kallsyms>> ReadRunning(
      const std::string& path);

  // Returns all symbols. The name of a module's symbol ends with the module's
  // name, see WithoutModule.
  const SymbolIndex& index() const;
  // Returns symbols that are enough to look up `addresses`, each plus `delta`:
  // of a large table that is in order and is asked for few addresses, those
  // around them, which are put in `*part`. Else index().
  const SymbolIndex& IndexFor(absl::Span<const uint64_t> addresses,
                              uint64_t delta, SymbolIndex* part) const;
  // The same for the addresses of symbols that `wanted` returns true for: all
  // of them are in the result, with their ends, and maybe others without.
  const SymbolIndex& IndexFor(bool (*wanted)(absl::string_view name),
                              SymbolIndex* part) const;
  const std::string& path() const { return file_->path(); }
  uint64_t size_on_disk() const { return file_->size_on_disk(); }
  // Returns true if all addresses are 0, as kptr_restrict makes them. The table
  // is then useless.
  bool is_hidden() const { return hidden_; }
  // Returns the lowest address of a symbol that is in no module; 0 if there is
  // none. Scans all symbols, unless it is one of the first in the table.
  uint64_t AddressOf(absl::string_view name) const;
  // See SafeFile::ReleasePages.
  void ReleasePages() const { file_->ReleasePages(); }

  // Returns a name without its module: "nft_do_chain" for
  // "nft_do_chain\t[nf_tables]".
  static absl::string_view WithoutModule(absl::string_view name) {
    return name.substr(0, name.find_first_of("\t "));
  }

 private:
  // Returns true if only parts should be read.
  bool suits_parts() const;
  const SymbolIndex& PartFor(std::vector<uint64_t> addresses,
                             SymbolIndex* part) const;

  std::shared_ptr<const SafeFile> file_;
  bool hidden_ = false;
  mutable std::once_flag read_;
  mutable std::atomic<bool> is_read_ = false;
  mutable SymbolIndex index_;              // complete if is_read_
  mutable std::atomic<size_t> asked_ = 0;  // addresses that IndexFor was given
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_H_
