#ifndef PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_
#define PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/model/model.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/archive.h"
#include "converter/symbolize/find/debuginfod.h"
#include "converter/symbolize/find/file_search.h"
#include "converter/symbolize/find/flat_folder.h"

namespace perf2x {

// Where binaries and their debug information are looked for.
struct BinaryFinderOptions {
  // Prefix for every recorded path, like perf's --symfs. Empty: paths as
  // recorded.
  std::string symfs;
  // The same for files of one process (by pid) and those that descend from it,
  // which Dso::pid of a file names.
  std::map<int32_t, std::string> symfs_of;
  const std::string& RootOf(int32_t pid) const {
    const auto it = symfs_of.find(pid);
    return it != symfs_of.end() ? it->second : symfs;
  }
  // Roots of separate debug files, searched in order.
  std::vector<std::string> debug_dirs = {"/usr/lib/debug"};
  // perf's build-id cache; empty: ~/.debug.
  std::string buildid_dir;
  // Tar file that `perf archive` made; empty: none.
  std::string archive;
  // Whether the servers in DEBUGINFOD_URLS are asked for what is not found.
  bool debuginfod = false;
  // Whether the recording was made on this machine (it shows that it was, or
  // the user says so): only then, or under symfs, is a file used that nothing
  // proves to be the recorded one.
  bool same_host = false;
  // When the recording was last written to, in ns since 1970; 0: not known.
  int64_t recorded_until = 0;
};

// Finds the files that hold the code, symbols and debug information of a
// Dso. What a recording names is a stranger's word: only regular files are
// opened, never outside symfs when one is given, and only those are used whose
// build id is the recording's, where it has one; else those that are trusted
// (see same_host) or are the very inode that was mapped. Thread-safe.
class BinaryFinder {
 public:
  // An opened file, and the places that were looked at before it.
  struct Result {
    std::unique_ptr<ElfFile> elf;  // null: not found
    // See FoundFiles.
    bool verified = false, unproven = false, newer = false;
    bool replaced = false;
    std::vector<std::string> tried;
  };

  explicit BinaryFinder(BinaryFinderOptions options);

  // The file that has the code (and with it .eh_frame) of `file`, the first in
  // the order of docs/symbols.md.
  Result OpenBinary(const Dso& file) const;
  // Files with symbols or debug information of `file`, each with some that
  // `binary`, which may be null, and those before it lack; separate debug files
  // come first.
  FoundFiles OpenSymbolFiles(const Dso& file, const ElfFile* binary) const;
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
  // Where a path of the recording's file system leads: below symfs when there
  // is one. Empty when it must not be opened.
  FilePlace PlaceOf(absl::string_view recorded) const {
    return PlaceIn(options_.symfs, recorded);
  }

 private:
  // The same below `root`; empty: as recorded.
  static FilePlace PlaceIn(const std::string& root, absl::string_view recorded);
  // Places where the file itself may be; all but the first only where `id` is
  // known.
  void TryBinaries(const Dso& file, const BuildId& id,
                   FileSearch* search) const;
  // Where .gnu_debuglink of `binary`, which has `name`, may lead to.
  std::vector<FilePlace> DebugLinkPlaces(const Dso& file, const ElfFile& binary,
                                         absl::string_view name) const;
  std::vector<FilePlace> BuildIdPlaces(const BuildId& id,
                                       absl::string_view suffix) const;
  // Files below `root` of the recorded file's name in the folders above its
  // own: where a copy was made by another name of the file, as that of a
  // program's interpreter, or where all copies are in one folder.
  static std::vector<FilePlace> PlacesAbove(const std::string& root,
                                            absl::string_view recorded);
  // The symfs that has `path`; null: none.
  const std::string* RootAround(absl::string_view path) const;
  // Where `name` leads to, seen from the folder of `elf`.
  FilePlace Beside(const ElfFile& elf, absl::string_view name) const;

  BinaryFinderOptions options_;
  std::unique_ptr<const Archive> archive_;  // null: none
  std::string archive_error_;
  std::vector<std::string> roots_;          // symfs and those of processes
  std::unique_ptr<Debuginfod> debuginfod_;  // null: not to be asked
  std::vector<std::unique_ptr<const FlatFolder>> flat_folders_;  // debug_dirs
};

// Whether `file` is the very one that was mapped, and not merely one that has
// its path now. Only file systems that number the uses of an inode prove it.
bool IsMappedInode(const Dso& mapped, const SafeFile& file);
// Whether `file` lies on the device of the one that was mapped and is another.
bool IsOtherInode(const Dso& mapped, const SafeFile& file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_BINARY_FINDER_H_
