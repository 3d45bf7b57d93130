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
// regular files are opened, never outside of symfs if that is set.
//
// A file must have the recorded build id. Without a recorded build id, a file
// is used only
// - if it is below symfs;
// - if it is the very inode that was mapped; or
// - if the recording was made on this machine (BinaryFinderOptions::same_host).
//
// Files that cannot be used are no errors: results list them with the reason.
// Thread-safe.
class BinaryFinder {
 public:
  // A file with the code of a DSO, and how it was found.
  struct Result {
    std::shared_ptr<const ElfFile> elf;  // null: not found
    // See FoundFiles. `unproven` is set only if `elf` is null, `replaced` only
    // if `verified` is false.
    bool verified = false, unproven = false, newer = false;
    bool replaced = false;
    std::vector<std::string> tried;
  };

  explicit BinaryFinder(BinaryFinderOptions options);
  ~BinaryFinder();

  // Returns the first file that has the code (and with it .eh_frame) of `dso`.
  Result OpenBinary(const Dso& dso) const;
  // Returns files with a symbol table (.symtab) or debug information of `dso`.
  // Tries local separate debug files, then whole files. If debug information is
  // still missing, tries debug files from servers. `binary` is the result of
  // OpenBinary and may be null.
  //
  // A file is used if it has a symbol table or debug information that `binary`
  // and the earlier files lack. The first local debug file that has either is
  // always used. The files have the build id of `binary` or, if `binary` is
  // null, of `dso`. Without a build id, only the file of .gnu_debuglink is
  // found, by its CRC.
  FoundFiles OpenSymbolFiles(const Dso& dso, const ElfFile* binary) const;
  // Returns the file that .gnu_debugaltlink of `elf` names. Its build id is
  // verified. Null if `elf` has no such section, or if no such file is found.
  std::unique_ptr<ElfFile> OpenAlternate(const ElfFile& elf) const;
  // Returns the package of split units (.dwp) beside `elf`; null if there is
  // none. The package is not verified: the caller finds units in it by their
  // ids.
  std::unique_ptr<ElfFile> OpenPackage(const ElfFile& elf) const;
  // Returns the file of a split unit (.dwo); null if it is not found. The
  // skeleton unit in `elf` has `dwo_name` and `comp_dir`, which may be empty.
  // Tries the path in `comp_dir`, then the folder of `elf`. The caller verifies
  // the file by the unit's id.
  std::unique_ptr<ElfFile> OpenSplitUnit(const ElfFile& elf,
                                         absl::string_view dwo_name,
                                         absl::string_view comp_dir) const;
  // Returns the item ("kallsyms", "vdso") for `id` in the archive or, if that
  // lacks it, in perf's build-id cache. Null if neither has it.
  std::shared_ptr<const SafeFile> FindInCache(const BuildId& id,
                                              absl::string_view item) const;
  // Returns why the archive cannot be used, see SymbolSource::Failure.
  std::string Failure() const;
  const FileRoots& roots() const { return roots_; }
  SymbolFiles& files() const { return *roots_.options().files; }

 private:
  const FileRoots roots_;
  std::vector<std::unique_ptr<const SymbolSource>> local_, remote_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_
