// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_FLAT_FOLDER_H_
#define PERF2X_SYMBOLIZE_FIND_FLAT_FOLDER_H_

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/build_id.h"

namespace perf2x {

// The ELF files directly in a folder, by build id. Reads the folder on the
// first look-up. Ignores files that cannot be read or have no build id.
// Thread-safe.
class FlatFolder {
 public:
  explicit FlatFolder(std::string path) : path_(std::move(path)) {}

  // Returns the paths of the files with this build id, sorted; none if `id` is
  // empty.
  std::vector<std::string> Find(const BuildId& id) const;

 private:
  void Read() const;

  const std::string path_;
  mutable std::once_flag once_;
  // Paths by build id, without the trailing zeros with which perf pads it.
  mutable absl::flat_hash_map<std::string, std::vector<std::string>> files_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_FLAT_FOLDER_H_
