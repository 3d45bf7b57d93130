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

// What tells a file from another one that has its path, see inode(7).
struct FileIdentity {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  // A number that the file system draws when it makes the inode, so that one
  // that is used again is another; 0: not known.
  uint32_t generation = 0;
  int64_t modified = 0;  // ns since 1970
};

// Where a file is looked for. What a recording or another file names is looked
// for in such a place, and opened by SafeFile::Open alone.
struct FilePlace {
  FilePlace() = default;
  // In the file system as it is.
  FilePlace(std::string path) : name(std::move(path)) {}  // NOLINT
  FilePlace(const char* path) : name(path) {}             // NOLINT
  // Below the folder `root`, which is taken for "/": neither absolute names and
  // links nor ".." lead out of it.
  FilePlace(std::string folder, absl::string_view path)
      : root(std::move(folder)), name(path) {}
  bool empty() const { return name.empty(); }
  std::string path() const;

  std::string root;  // empty: none
  std::string name;
  // Off: what is a link, or behind one, is not opened. Below a root only.
  bool follow_links = true;
};

// The bytes of a file, mapped for reading, or of an unpacked member of one.
class SafeFile {
 public:
  // Opens the file at `place`, which may come from a stranger. Only what is a
  // regular file is opened, and not one of a file system that the kernel makes
  // up (/proc, /sys and the like), by whatever name and through whatever links:
  // never a device or a FIFO. NotFound and PermissionDenied as for open(2).
  static absl::StatusOr<std::shared_ptr<const SafeFile>> Open(
      const FilePlace& place);
  // Holds bytes that are in memory already; `path` says where they are from,
  // `packed` how many they were on disk if they were unpacked.
  static std::shared_ptr<const SafeFile> FromMemory(
      std::string path, std::string bytes,
      std::optional<uint64_t> packed = std::nullopt);
  // A part of `whole`, which must have that many bytes.
  static std::shared_ptr<const SafeFile> PartOf(
      std::shared_ptr<const SafeFile> whole, std::string path, uint64_t offset,
      uint64_t size);
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;

  // Below a root, without links.
  const std::string& path() const { return path_; }
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // As text.
  absl::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  // Fails when others than root and who runs this could have written the file:
  // it belongs to them, or everyone may write to it. They could have put it
  // where a file of that name is expected.
  absl::Status CheckWriters() const;
  // All zeros for what is no file of its own.
  const FileIdentity& identity() const { return identity_; }
  // Whether the file became shorter, or could not be read, after it was opened:
  // the bytes from there on are zeros.
  bool lost_bytes() const;
  // What reading the file may cause, by its size on disk. Whoever does more
  // than to go through its bytes once spends it.
  Budget& budget() const { return budget_; }

 private:
  SafeFile() = default;
  // Allows what a file of this size may cause.
  void SetSizeOnDisk(uint64_t size);

  mutable Budget budget_{Budget::kSymbolFileRules};
  std::string path_, memory_;
  std::shared_ptr<const SafeFile> whole_;
  absl::Span<const uint8_t> bytes_;
  std::unique_ptr<const FileMapping> mapping_;
  uint32_t uid_ = 0, mode_ = 0;
  FileIdentity identity_;
};

// Whether the name of a mapping may be looked for at all: absolute, and with
// "." and ".." taken away not below /proc, /sys or /dev.
bool MayOpenByName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_SAFE_FILE_H_
