#ifndef PERF2X_SYMBOLIZE_SAFE_FILE_H_
#define PERF2X_SYMBOLIZE_SAFE_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/file_mapping.h"

namespace perf2x {

// What tells a file from another one that has its path, see inode(7).
struct FileIdentity {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  // A number that the file system draws when it makes the inode, so that one
  // that is used again is another; 0: not known.
  uint32_t generation = 0;
  int64_t modified = 0;  // ns since 1970
};

// The bytes of a file, mapped for reading, or of an unpacked member of one.
class SafeFile {
 public:
  // Opens `path`, which may come from a stranger: only a regular file outside
  // /proc is opened, never a device or a FIFO.
  static absl::StatusOr<std::shared_ptr<const SafeFile>> Open(
      const std::string& path);
  // Holds bytes that are in memory already; `path` says where they are from.
  static std::shared_ptr<const SafeFile> FromMemory(std::string path,
                                                    std::string bytes);
  // A part of `whole`, which must have that many bytes.
  static std::shared_ptr<const SafeFile> PartOf(
      std::shared_ptr<const SafeFile> whole, std::string path, uint64_t offset,
      uint64_t size);
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;

  const std::string& path() const { return path_; }
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // As text.
  absl::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  // Whether the file belongs to root, to who runs this, or to `user`: others
  // could have put it where a file of that name is expected.
  bool OwnedBy(std::optional<uint32_t> user) const;
  // All zeros for what is no file of its own.
  const FileIdentity& identity() const { return identity_; }
  // Whether the file became shorter, or could not be read, after it was opened:
  // the bytes from there on are zeros.
  bool lost_bytes() const;

 private:
  SafeFile() = default;
  std::string path_, memory_;
  std::shared_ptr<const SafeFile> whole_;
  absl::Span<const uint8_t> bytes_;
  std::unique_ptr<const FileMapping> mapping_;
  uint32_t uid_ = 0;
  FileIdentity identity_;
};

// The path of `name` under the folder `root`, taking `root` as "/" for absolute
// names, symbolic links and "..", so that the result never leaves it. The
// result has no links behind `root`. Empty when there is no such file.
std::string ResolveInRoot(const std::string& root, absl::string_view name);

// Whether the name of a mapping may be opened at all: absolute and not below
// /proc, /sys or /dev.
bool MayOpenByName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SAFE_FILE_H_
