// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_H_
#define PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// The functions and variables of the kernel and its modules by run-time
// address: types T, W, D and B, also in lower case. Read from /proc/kallsyms or
// a copy of it; format: s_show() in the kernel's kernel/kallsyms.c. Other lines
// are ignored. Immutable.
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

  // Returns the symbols. The name of a module's symbol ends with the module's
  // name, see WithoutModule.
  const SymbolIndex& index() const { return index_; }
  const std::string& path() const { return file_->path(); }
  uint64_t size_on_disk() const { return file_->size_on_disk(); }
  // Returns true if all addresses are 0, as kptr_restrict makes them. The table
  // is then useless.
  bool is_hidden() const { return hidden_; }
  // Returns the lowest address of a symbol that is in no module; 0 if there is
  // none. Scans all symbols.
  uint64_t AddressOf(absl::string_view name) const;
  // See SafeFile::ReleasePages.
  void ReleasePages() const { file_->ReleasePages(); }

  // Returns a name without its module: "nft_do_chain" for
  // "nft_do_chain\t[nf_tables]".
  static absl::string_view WithoutModule(absl::string_view name) {
    return name.substr(0, name.find_first_of("\t "));
  }

 private:
  std::shared_ptr<const SafeFile> file_;
  SymbolIndex index_;
  bool hidden_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_H_
