// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_
#define PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/model/model.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/find/file_search.h"

namespace perf2x {

class SymbolSource;
struct FileRequest;

// Finds the files with the code, symbols and debug information of a Dso in the
// file sources of symbol_sources.cc. Paths in a recording are untrusted: only
// regular files are opened, never outside of symfs if that is set. A file must
// have the recorded build id. If none was recorded, the file must be trusted
// (BinaryFinderOptions::same_host) or be the very inode that was mapped.
// Thread-safe.
class BinaryFinder {
 public:
  // An opened file, and the places that were tried before it.
  struct Result {
    std::unique_ptr<ElfFile> elf;  // null: not found
    // See FoundFiles.
    bool verified = false, unproven = false, newer = false;
    bool replaced = false;
    std::vector<std::string> tried;
  };

  explicit BinaryFinder(BinaryFinderOptions options);
  ~BinaryFinder();

  // Returns the first file that has the code (and with it .eh_frame) of `dso`.
  Result OpenBinary(const Dso& dso) const;
  // Returns files with symbols or debug information of `dso`, separate debug
  // files first. Each but the first has a part that earlier ones and `binary`,
  // which may be null, lack.
  FoundFiles OpenSymbolFiles(const Dso& dso, const ElfFile* binary) const;
  // Returns the file that .gnu_debugaltlink of `elf` names; null if not found.
  std::unique_ptr<ElfFile> OpenAlternate(const ElfFile& elf) const;
  // Returns the package of split units (.dwp) beside `elf`; null if there is
  // none.
  std::unique_ptr<ElfFile> OpenPackage(const ElfFile& elf) const;
  // Returns the file of a split unit (.dwo) that a skeleton unit in `elf`
  // names; null if not found. The caller verifies it by the unit's id.
  std::unique_ptr<ElfFile> OpenSplitUnit(const ElfFile& elf,
                                         absl::string_view dwo_name,
                                         absl::string_view comp_dir) const;
  // Returns the item ("kallsyms", "vdso") that the archive or perf's build-id
  // cache has for `id`; null if there is none.
  std::shared_ptr<const SafeFile> FindInCache(const BuildId& id,
                                              absl::string_view item) const;
  const FileRoots& roots() const { return roots_; }

 private:
  const FileRoots roots_;
  std::vector<std::unique_ptr<const SymbolSource>> local_, remote_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_
