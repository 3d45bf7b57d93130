// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/build_id_cache.h"

#include <stdlib.h>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

namespace {

std::string FolderOf(const BinaryFinderOptions& options) {
  if (!options.buildid_dir.empty()) return options.buildid_dir;
  const char* home = getenv("HOME");
  return home == nullptr || home[0] == '\0' ? ""
                                            : absl::StrCat(home, "/.debug");
}

}  // namespace

BuildIdCache::BuildIdCache(const FileRoots& roots)
    : folder_(FolderOf(roots.options())) {}

void BuildIdCache::AddPlaces(const SymbolizeOptions& options,
                             std::vector<std::string>* places) {
  const std::string folder = FolderOf(options.binaries);
  if (!folder.empty()) places->push_back(folder);
}

// The path is that of build_id_cache__linkname() in perf's build-id.c.
std::shared_ptr<const SafeFile> BuildIdCache::FindItem(
    const BuildId& id, absl::string_view item) const {
  if (folder_.empty() || id.bytes().size() < 2) return nullptr;
  auto file = SafeFile::Open(
      absl::StrCat(folder_, "/.build-id/", BuildIdPath(id), "/", item));
  return file.ok() ? *std::move(file) : nullptr;
}

}  // namespace perf2x
