// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/build_id_cache.h"

#include <stdlib.h>

#include "absl/strings/str_cat.h"

namespace perf2x {

BuildIdCache::BuildIdCache(const FileRoots& roots)
    : folder_(roots.options().buildid_dir) {
  const char* home = getenv("HOME");
  if (folder_.empty() && home != nullptr && home[0] != '\0') {
    folder_ = absl::StrCat(home, "/.debug");
  }
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
