// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/file_roots.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace perf2x {

std::string BuildIdPath(const BuildId& id) {
  const std::string hex = id.Hex();
  return absl::StrCat(absl::string_view(hex).substr(0, 2), "/",
                      absl::string_view(hex).substr(2));
}

absl::string_view ParentFolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

FileRoots::FileRoots(BinaryFinderOptions options)
    : options_(std::move(options)) {
  if (!options_.symfs.empty()) roots_.push_back(options_.symfs);
  for (const auto& [pid, root] : options_.symfs_of) roots_.push_back(root);
}

FilePlace FileRoots::PlaceIn(const std::string& root,
                             absl::string_view recorded) {
  return MayOpenByName(recorded) ? FilePlace(root, recorded) : FilePlace();
}

const std::string* FileRoots::RootAround(absl::string_view path) const {
  for (const std::string& root : roots_) {
    absl::string_view rest = path;
    if (absl::ConsumePrefix(&rest, root) &&
        (rest.empty() || rest[0] == '/' || absl::EndsWith(root, "/"))) {
      return &root;
    }
  }
  return nullptr;
}

FilePlace FileRoots::ResolveFrom(const ElfFile& elf,
                                 absl::string_view name) const {
  const absl::string_view path = elf.file()->path();
  const absl::string_view folder = path.substr(0, path.rfind('/') + 1);
  const std::string* root = RootAround(folder);
  if (absl::StartsWith(name, "/")) {
    return root == nullptr ? PlaceOf(name) : PlaceIn(*root, name);
  }
  if (root != nullptr) {
    return {*root, absl::StrCat(folder.substr(root->size()), "/", name)};
  }
  return absl::StrCat(folder, name);
}

std::vector<FilePlace> FileRoots::BuildIdPlaces(
    const BuildId& id, absl::string_view suffix) const {
  std::vector<FilePlace> paths;
  if (id.bytes().size() < 2) return paths;
  const std::string name = absl::StrCat("/.build-id/", BuildIdPath(id), suffix);
  for (const std::string& dir : options_.debug_dirs) {
    for (const std::string& root : roots_) {
      paths.emplace_back(root, absl::StrCat(dir, name));
    }
    paths.emplace_back(absl::StrCat(dir, name));
  }
  return paths;
}

}  // namespace perf2x
