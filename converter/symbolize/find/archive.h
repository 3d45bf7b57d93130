// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_ARCHIVE_H_
#define PERF2X_SYMBOLIZE_FIND_ARCHIVE_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// A tar file made by `perf archive`, compressed or not: a part of perf's
// build-id cache. Its members have names like "usr/bin/program/BUILD-ID/elf".
// Immutable.
class Archive {
 public:
  // Reads the list of members, up to damage if there is any. Fails with
  // InvalidArgument if no member has a name as in a build-id cache. Fails with
  // DataLoss if the file cannot be decompressed. Also fails with the errors of
  // SafeFile::Open.
  static absl::StatusOr<std::unique_ptr<Archive>> Open(const std::string& path);

  // Returns the first member for `item` ("elf", "debug", "kallsyms", "vdso") of
  // `id`; null if there is none. The result may outlive the archive.
  std::shared_ptr<const SafeFile> Find(const BuildId& id,
                                       absl::string_view item) const;

 private:
  struct Member {
    std::string name;
    uint64_t offset = 0, size = 0;
  };
  void Read();
  std::shared_ptr<const SafeFile> tar_;
  absl::flat_hash_map<std::string, Member> members_;  // by "BUILD-ID/item"
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_ARCHIVE_H_
