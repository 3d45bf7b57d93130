// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/recorded_path.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

bool IsMappedInode(const Dso& mapped, const SafeFile& file) {
  const FileIdentity& found = file.identity();
  return found.generation != 0 && mapped.inode != 0 &&
         found.generation == mapped.inode_generation &&
         found.inode == mapped.inode &&
         found.device_major == mapped.device_major &&
         found.device_minor == mapped.device_minor;
}

namespace {

// Returns true if `file` is proven to be another one than the mapped file.
// Without a generation, as perf records it of processes that ran before, a
// number that was given to another file meanwhile goes unnoticed.
bool IsOtherInode(const Dso& mapped, const SafeFile& file) {
  const FileIdentity& found = file.identity();
  return mapped.inode != 0 && found.device_major == mapped.device_major &&
         found.device_minor == mapped.device_minor &&
         (found.inode != mapped.inode ||
          (found.generation != 0 && mapped.inode_generation != 0 &&
           found.generation != mapped.inode_generation));
}

// Returns the recorded file's name in the folders above its own, below `root`:
// all copies may lie in one folder, or a file was copied under another of its
// paths, such as the path of a program's interpreter.
std::vector<FilePlace> PlacesAbove(const std::string& root,
                                   absl::string_view recorded) {
  std::vector<FilePlace> places;
  if (root.empty() || !MayOpenByName(recorded)) return places;
  const absl::string_view name = recorded.substr(recorded.rfind('/') + 1);
  absl::string_view folder = ParentFolderOf(recorded);
  constexpr size_t kMaxFolders = 32;
  while (folder.find('/') != folder.npos && places.size() < kMaxFolders) {
    folder = ParentFolderOf(folder);
    places.emplace_back(root, absl::StrCat(folder, "/", name));
  }
  return places;
}

}  // namespace

void RecordedPathSource::AddPlaces(const SymbolizeOptions& options,
                                   std::vector<std::string>* places) {
  const std::vector<std::string> roots = FileRoots(options.binaries).roots();
  places->insert(places->end(), roots.begin(), roots.end());
}

void RecordedPathSource::OfferBinaries(const FileRequest& request,
                                       FileSearch* search) const {
  const Dso& dso = request.dso;
  const BinaryFinderOptions& options = roots_.options();
  // The kernel appends this to the path of a file that was replaced.
  const absl::string_view name = absl::StripSuffix(dso.name, " (deleted)");
  const bool deleted = name.size() != dso.name.size();
  const std::string& root = options.RootOf(dso.pid);
  const bool trust_all = !root.empty() || (options.same_host && !deleted);
  auto trust = [&](const SafeFile& found) {
    if (root.empty() && IsOtherInode(dso, found)) search->set_replaced();
    return trust_all || IsMappedInode(dso, found);
  };
  if (!search->Try(FileRoots::PlaceIn(root, name), trust) && !root.empty()) {
    search->AddTried(name, "not there");
  }
  if (request.id.empty()) return;
  // A file with the recorded build id may lie at another path.
  if (!options.symfs_of.empty()) {
    search->Try(roots_.PlaceOf(name));
    for (const std::string& other : roots_.roots()) {
      search->Try(FileRoots::PlaceIn(other, name));
    }
  }
  for (const FilePlace& place : PlacesAbove(root, name)) search->Try(place);
}

}  // namespace perf2x
