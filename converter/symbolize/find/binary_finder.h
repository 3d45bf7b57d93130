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
// have the recorded build id. If none was recorded, the file must be below
// symfs, or be the very inode that was mapped, or the recording must have been
// made on this machine (BinaryFinderOptions::same_host). Files that cannot be
// used are no errors: they are listed with the reason. Thread-safe.
class BinaryFinder {
 public:
  struct Result {
    std::unique_ptr<ElfFile> elf;  // null: not found
    // See FoundFiles. `unproven` is set only if `elf` is null.
    bool verified = false, unproven = false, newer = false;
    bool replaced = false;
    std::vector<std::string> tried;
  };

  explicit BinaryFinder(BinaryFinderOptions options);
  ~BinaryFinder();

  // Returns the first file that has the code (and with it .eh_frame) of `dso`.
  Result OpenBinary(const Dso& dso) const;
  // Returns files that have a full symbol table (.symtab) or debug information
  // of `dso`: local separate debug files, then whole files, then debug files
  // from servers. `binary` is the result of OpenBinary and may be null. A file
  // is used if it has a part that `binary` and the files before it lack. The
  // first local debug file is used even if they lack nothing. The files have
  // the build id of `binary` or, if that is null, of `dso`. Without a build id,
  // only the file of .gnu_debuglink is found, by its CRC.
  FoundFiles OpenSymbolFiles(const Dso& dso, const ElfFile* binary) const;
  // Returns the file that .gnu_debugaltlink of `elf` names, verified by its
  // build id; null if `elf` has no such section, or if no such file is found.
  std::unique_ptr<ElfFile> OpenAlternate(const ElfFile& elf) const;
  // Returns the package of split units (.dwp) beside `elf`; null if there is
  // none. It is not verified: its units are found by their ids.
  std::unique_ptr<ElfFile> OpenPackage(const ElfFile& elf) const;
  // Returns the file of a split unit (.dwo); null if not found. `dwo_name` and
  // `comp_dir` (which may be empty) are those of the skeleton unit in `elf`.
  // Tries the path in `comp_dir`, then the folder of `elf`. The caller verifies
  // the file by the unit's id.
  std::unique_ptr<ElfFile> OpenSplitUnit(const ElfFile& elf,
                                         absl::string_view dwo_name,
                                         absl::string_view comp_dir) const;
  // Returns the item ("kallsyms", "vdso") that the archive or else perf's
  // build-id cache has for `id`; null if there is none.
  std::shared_ptr<const SafeFile> FindInCache(const BuildId& id,
                                              absl::string_view item) const;
  const FileRoots& roots() const { return roots_; }

 private:
  const FileRoots roots_;
  std::vector<std::unique_ptr<const SymbolSource>> local_, remote_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_
