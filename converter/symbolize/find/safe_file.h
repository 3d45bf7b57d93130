// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_SAFE_FILE_H_
#define PERF2X_SYMBOLIZE_FIND_SAFE_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/file_mapping.h"

namespace perf2x {

// Distinguishes a file from others that have its path, see inode(7).
struct FileIdentity {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  // A number that the file system assigns to an inode on creation. If an inode
  // number is reused, the generation differs. 0: not known.
  uint32_t generation = 0;
  int64_t modified = 0;  // ns since 1970
};

// A path to open, optionally below a root folder. Paths in recordings and in
// other files become a FilePlace, which only SafeFile::Open opens.
struct FilePlace {
  FilePlace() = default;
  // A path in the whole file system.
  FilePlace(std::string path) : name(std::move(path)) {}  // NOLINT
  FilePlace(const char* path) : name(path) {}             // NOLINT
  // Below the folder `root`, as by chroot(2): neither absolute names and links
  // nor ".." lead out of it.
  FilePlace(std::string folder, absl::string_view path)
      : root(std::move(folder)), name(path) {}
  bool empty() const { return name.empty(); }
  // Returns `root` and `name` as one path. Links are not resolved: for messages
  // and comparisons, not for open(2).
  std::string path() const;

  std::string root;  // empty: none
  std::string name;
  // If unset, a path with a symbolic link is not opened. Applies below a root
  // only.
  bool follow_links = true;
};

// The bytes of a file, mapped for reading, or of a decompressed file or member.
// Immutable; shared by all objects that point into the bytes.
class SafeFile {
 public:
  // Opens the file at `place`, which may be untrusted. Opens regular files
  // only. Never opens devices, FIFOs or files of the kernel's own file systems
  // (/proc, /sys), whatever names and links lead there. Errors:
  // - FailedPrecondition: the file is refused (not regular, a link) or cannot
  //   be mapped;
  // - PermissionDenied: EACCES or EPERM;
  // - ResourceExhausted: nearly all of it is holes, which cost nothing on disk;
  // - NotFound: there is no such file;
  // - Unavailable: all other errors.
  static absl::StatusOr<std::shared_ptr<const SafeFile>> Open(
      const FilePlace& place);
  // Wraps bytes in memory. `path` describes their origin. `packed` is their
  // size on disk if they were decompressed: the budget depends on it.
  static std::shared_ptr<const SafeFile> FromMemory(
      std::string path, std::string bytes,
      std::optional<uint64_t> packed = std::nullopt);
  // Wraps the bytes that `packed`, or a part of it, was unpacked to.
  // `size_on_disk` is the packed bytes' size. If `packed` has a share of a
  // budget (PartOf), the result has what is left of that share.
  static std::shared_ptr<const SafeFile> Unpacked(const SafeFile& packed,
                                                  std::string path,
                                                  std::string bytes,
                                                  uint64_t size_on_disk);
  // Returns a part of `whole`, which it keeps alive. Has the owner of `whole`
  // and a budget of its own. If `whole` was packed, this is a share, by size,
  // of the budget of `whole`: a few packed bytes may be thousands of parts.
  // Requires offset + size to be within `whole`.
  static std::shared_ptr<const SafeFile> PartOf(
      std::shared_ptr<const SafeFile> whole, std::string path, uint64_t offset,
      uint64_t size);
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;

  // Returns the file's path. Below a root, this is `root` and the path from
  // there with links resolved.
  const std::string& path() const { return path_; }
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // Returns bytes() as text.
  absl::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  // Returns the size on disk: of bytes() without holes, or as they were packed.
  // Of a part of a packed file, this is a share by size.
  uint64_t size_on_disk() const { return size_on_disk_; }
  // Fails with PermissionDenied if the file may be planted. That is so if a
  // user other than root and the caller owns it, or if everyone may write to
  // it. Group members are not considered. Bytes in memory pass.
  absl::Status CheckWriters() const;
  // Returns the identity when the file was opened. All zeros unless Open made
  // the object.
  const FileIdentity& identity() const { return identity_; }
  // Returns true if bytes read as zeros, because the file was truncated or
  // could not be read after it was opened. To be called after reading. Does not
  // notice a truncation within the last page.
  bool has_lost_bytes() const;
  // Hint: drops the pages of a mapped file from memory, see
  // FileMapping::ReleasePages. To be called when the bytes will hardly be read
  // again.
  void ReleasePages() const {
    if (mapping_ != nullptr) mapping_->ReleasePages();
  }
  // Returns the budget for the memory and work that the file may cause, which
  // depends on its size on disk. Readers that make more than one pass over the
  // bytes charge the budget.
  Budget& budget() const { return budget_; }

 private:
  explicit SafeFile(const Budget::Rules& rules = Budget::kSymbolFileRules)
      : budget_(rules) {}
  // Sets bytes in memory and the budget.
  void SetBytes(std::string path, std::string bytes, uint64_t size_on_disk);
  // Sets the budget for a file of this size.
  void SetSizeOnDisk(uint64_t size);

  mutable Budget budget_;
  std::string path_, memory_;
  std::shared_ptr<const SafeFile> whole_;
  absl::Span<const uint8_t> bytes_;
  std::unique_ptr<const FileMapping> mapping_;
  uint64_t size_on_disk_ = 0;
  bool has_share_ = false;  // of another file's budget
  uint32_t uid_ = 0, mode_ = 0;
  FileIdentity identity_;
};

// Returns true if a mapping's name may be opened: it is an absolute path and
// not below /proc, /sys or /dev, after resolving "." and "..".
bool MayOpenByName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_SAFE_FILE_H_
