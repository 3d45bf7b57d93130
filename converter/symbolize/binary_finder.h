#ifndef PERF2X_SYMBOLIZE_BINARY_FINDER_H_
#define PERF2X_SYMBOLIZE_BINARY_FINDER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/profile/model.h"
#include "converter/symbolize/archive.h"
#include "converter/symbolize/debuginfod.h"
#include "converter/symbolize/elf_file.h"

namespace perf2x {

// Where binaries and their debug information are looked for.
struct BinaryFinderOptions {
  // Prefix for every recorded path, like perf's --symfs. Empty: paths as
  // recorded.
  std::string symfs;
  // Roots of separate debug files, searched in order.
  std::vector<std::string> debug_dirs = {"/usr/lib/debug"};
  // perf's build-id cache; empty: ~/.debug.
  std::string buildid_dir;
  // Tar file that `perf archive` made; empty: none.
  std::string archive;
  // Whether the servers in DEBUGINFOD_URLS are asked for what is not found.
  bool debuginfod = false;
  // Whether the recording was made on this machine (host names are equal): only
  // then, or under symfs, is a file without a build id to compare with used.
  bool same_host = false;
};

// Finds the files that hold the code, symbols and debug information of a
// CodeFile. What a recording names is a stranger's word: only regular files are
// opened, never outside symfs when one is given, and only those whose build id
// is the recording's, where it has one. Thread-safe.
class BinaryFinder {
 public:
  // An opened file, and the places that were looked at before it.
  struct Result {
    std::unique_ptr<ElfFile> elf;  // null: not found
    bool verified = false;         // by its build id or CRC
    std::vector<std::string> tried;
  };

  explicit BinaryFinder(BinaryFinderOptions options);

  // Path of a verified file that has the code (and with it .eh_frame) of
  // `file`; empty when there is none.
  std::string FindBinary(const CodeFile& file) const;
  // Path of the separate debug file of `binary`, an earlier answer of
  // FindBinary or empty; found by build id or .gnu_debuglink. Empty when none.
  std::string FindDebugFile(const CodeFile& file,
                            const std::string& binary) const;

  // The same, opened. `binary` may be null.
  Result OpenBinary(const CodeFile& file) const;
  Result OpenDebugFile(const CodeFile& file, const ElfFile* binary) const;
  // The file that .gnu_debugaltlink of `elf` names; null when there is none.
  std::unique_ptr<ElfFile> OpenAlternate(const ElfFile& elf) const;
  // The package of split units (.dwp) beside `elf`; null when there is none.
  std::unique_ptr<ElfFile> OpenPackage(const ElfFile& elf) const;
  // A split unit's file (.dwo), by what its skeleton in `elf` says; null when
  // there is none. To be verified by its unit's id.
  std::unique_ptr<ElfFile> OpenSplitUnit(const ElfFile& elf,
                                         absl::string_view dwo_name,
                                         absl::string_view comp_dir) const;
  // The file named `item` ("kallsyms", "vdso") that the archive or perf's
  // build-id cache keeps for `id`; null when there is none.
  std::shared_ptr<const SafeFile> FindInCache(const BuildId& id,
                                              absl::string_view item) const;
  // A path of the recording's file system: below symfs when there is one. Empty
  // when there is no such file or it must not be opened.
  std::string PathOf(absl::string_view recorded) const;

 private:
  class Search;
  std::vector<std::string> BuildIdPaths(const BuildId& id,
                                        absl::string_view suffix) const;
  // Files below symfs of the recorded file's name in the folders above its own:
  // where a copy was made by another name of the file, as that of a program's
  // interpreter, or where all copies are in one folder.
  std::vector<std::string> PathsAbove(absl::string_view recorded) const;
  // The path of `name` seen from the folder of `elf`; empty when there is none.
  std::string Beside(const ElfFile& elf, absl::string_view name) const;

  BinaryFinderOptions options_;
  std::unique_ptr<const Archive> archive_;  // null: none
  std::string archive_error_;
  std::unique_ptr<Debuginfod> debuginfod_;  // null: not to be asked
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_BINARY_FINDER_H_
