// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/reopen.h"
#include "converter/base/status_macros.h"
#include "converter/base/stored_size.h"

namespace perf2x {
namespace {

// f_type (statfs(2)) of file systems whose files are not storage: reading such
// a file may have side effects or reveal facts about this machine. Numbers that
// linux/magic.h lacks are from the kernel's fs/configfs, fs/fuse/control.c,
// ipc/mqueue.c and net/sunrpc/rpc_pipe.c.
constexpr uint64_t kNoStorage[] = {
    PROC_SUPER_MAGIC,    SYSFS_MAGIC,          DEBUGFS_MAGIC,
    TRACEFS_MAGIC,       SECURITYFS_MAGIC,     SELINUX_MAGIC,
    SMACK_MAGIC,         AAFS_MAGIC,           CGROUP_SUPER_MAGIC,
    CGROUP2_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC, BPF_FS_MAGIC,
    PSTOREFS_MAGIC,      EFIVARFS_MAGIC,       BINFMTFS_MAGIC,
    XENFS_SUPER_MAGIC,   NSFS_MAGIC,           DEVPTS_SUPER_MAGIC,
    ANON_INODE_FS_MAGIC,
    0x62656570,   // configfs
    0x65735543,   // fusectl
    0x19800202,   // mqueue
    0x67596969};  // rpc_pipefs

// A file or other object that was found at a place, not opened for reading.
struct Object {
  FileDescriptor fd;  // O_PATH
  std::string path;
  // The folder that has the object as `name`; -1: it was found by `path`.
  FileDescriptor folder;
  std::string name;
};

// Small files that linkers align to large pages, of up to 2 MiB, are holes for
// the most part.
bool HasTooManyHoles(uint64_t size, uint64_t stored) {
  constexpr uint64_t kAlways = 8 << 20, kForEachByte = 96;
  return size > kAlways && (size - kAlways) / kForEachByte > stored;
}

absl::Status Refused(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", why));
}

// Returns the share of `amount` that `size` bytes are of a file's bytes.
uint64_t ShareOf(const SafeFile& whole, uint64_t size, uint64_t amount) {
  return static_cast<uint64_t>(static_cast<double>(amount) *
                               static_cast<double>(size) /
                               static_cast<double>(whole.bytes().size()));
}

Budget::Rules RulesOfShare(const SafeFile& whole, uint64_t size) {
  Budget::Rules rules;
  for (int i = 0; i < Budget::kResources; ++i) {
    rules[i].floor = ShareOf(
        whole, size, whole.budget().Limit(static_cast<Budget::Resource>(i)));
    rules[i].per_byte = 0;
  }
  return rules;
}

FileIdentity IdentityOf(int fd, const struct stat& st) {
  FileIdentity identity;
  identity.device_major = major(st.st_dev);
  identity.device_minor = minor(st.st_dev);
  identity.inode = st.st_ino;
  identity.modified =
      int64_t{st.st_mtim.tv_sec} * 1'000'000'000 + st.st_mtim.tv_nsec;
  // FS_IOC_GETVERSION is declared with a long, but file systems write an int.
  uint32_t generation[sizeof(long) / sizeof(uint32_t)] = {};
  if (ioctl(fd, FS_IOC_GETVERSION, generation) == 0) {
    identity.generation = generation[0];
  }
  return identity;
}

absl::Status ErrorOf(const std::string& path) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": ", strerror(error));
  switch (error) {
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(text);
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return absl::NotFoundError(text);
    default:
      return absl::UnavailableError(text);
  }
}

absl::Status NotThere(const FilePlace& place) {
  return absl::NotFoundError(absl::StrCat(place.path(), ": not there"));
}

absl::Status CannotOpen(const FilePlace& place) {
  const absl::Status error = ErrorOf(place.path());
  return absl::IsNotFound(error) ? NotThere(place) : error;
}

// Finds the object at a place below a root, component by component.
absl::StatusOr<Object> FindInRoot(const FilePlace& place) {
  const std::string& root = place.root;
  // Folders from the root to the current one, held open so that ".." cannot
  // lead elsewhere if a folder is moved meanwhile.
  std::vector<std::pair<FileDescriptor, std::string>> at;
  at.emplace_back(
      FileDescriptor(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      root);
  if (at.back().first.get() < 0) return CannotOpen(place);
  // Components still to walk, the next one last.
  std::vector<std::string> todo;
  auto push = [&todo](absl::string_view path) {
    std::vector<std::string> parts =
        absl::StrSplit(path, '/', absl::SkipEmpty());
    todo.insert(todo.end(), parts.rbegin(), parts.rend());
  };
  push(place.name);
  std::string last;
  for (int links = 0; !todo.empty();) {
    std::string part = std::move(todo.back());
    todo.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      if (at.size() > 1) at.pop_back();
      continue;
    }
    FileDescriptor next(openat(at.back().first.get(), part.c_str(),
                               O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat st;
    if (next.get() < 0 || fstat(next.get(), &st) != 0) return CannotOpen(place);
    if (S_ISLNK(st.st_mode)) {
      if (!place.follow_links) {
        return Refused(place.path(),
                       absl::StrCat(part,
                                    " is a symbolic link, which is not "
                                    "followed there"));
      }
      char target[4096];
      const ssize_t n = readlinkat(next.get(), "", target, sizeof(target));
      if (n <= 0 || n == sizeof(target) || ++links > 40) return NotThere(place);
      if (target[0] == '/') {
        while (at.size() > 1) at.pop_back();
      }
      push({target, static_cast<size_t>(n)});
      continue;
    }
    if (at.size() > 1000) return NotThere(place);
    at.emplace_back(std::move(next), absl::StrCat(at.back().second, "/", part));
    last = std::move(part);
  }
  if (at.size() < 2) return NotThere(place);
  auto& [fd, path] = at.back();
  return Object{std::move(fd), std::move(path),
                std::move(at[at.size() - 2].first), std::move(last)};
}

absl::StatusOr<Object> FindObject(const FilePlace& place) {
  if (!place.root.empty()) return FindInRoot(place);
  Object object{FileDescriptor(open(place.name.c_str(), O_PATH | O_CLOEXEC)),
                place.name, FileDescriptor(-1), ""};
  if (object.fd.get() < 0) return ErrorOf(place.name);
  return object;
}

// Opens the file that was found, not another that has its name by now.
FileDescriptor OpenForReading(const Object& object) {
  return object.folder.get() < 0
             ? Reopen(object.fd.get(), AT_FDCWD, object.path)
             : Reopen(object.fd.get(), object.folder.get(), object.name,
                      O_NOFOLLOW);
}

}  // namespace

std::string FilePlace::path() const {
  return root.empty() ? name
                      : absl::StrCat(root, "/", absl::StripPrefix(name, "/"));
}

absl::StatusOr<std::shared_ptr<const SafeFile>> SafeFile::Open(
    const FilePlace& place) {
  ASSIGN_OR_RETURN(const Object object, FindObject(place));
  const std::string& path = object.path;
  struct stat st;
  struct statfs fs;
  // Opening a device or a FIFO has side effects: only regular files are opened.
  if (fstat(object.fd.get(), &st) != 0 || !S_ISREG(st.st_mode) ||
      fstatfs(object.fd.get(), &fs) != 0 ||
      std::count(std::begin(kNoStorage), std::end(kNoStorage),
                 static_cast<uint64_t>(fs.f_type) & 0xffffffff) > 0) {
    return Refused(path, "not a regular file");
  }
  const FileDescriptor fd = OpenForReading(object);
  if (fd.get() < 0 || fstat(fd.get(), &st) != 0) return ErrorOf(path);
  std::shared_ptr<SafeFile> file(new SafeFile);
  file->path_ = path;
  file->uid_ = st.st_uid;
  file->mode_ = st.st_mode;
  file->identity_ = IdentityOf(fd.get(), st);
  if (st.st_size > 0) {
    const size_t size = static_cast<size_t>(st.st_size);
    const uint64_t stored = StoredSize(fd.get(), st);
    if (HasTooManyHoles(size, stored)) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": ", TooManyHoles(size, stored)));
    }
    file->SetSizeOnDisk(stored);
    file->mapping_ = FileMapping::Map(fd.get(), 0, size);
    if (file->mapping_ == nullptr) return Refused(path, strerror(errno));
    file->bytes_ = file->mapping_->bytes();
  } else {
    file->SetSizeOnDisk(0);
  }
  return file;
}

void SafeFile::SetSizeOnDisk(uint64_t size) {
  size_on_disk_ = size;
  budget_.AddInput(size);
  budget_.ReleaseReserve();
}

std::shared_ptr<const SafeFile> SafeFile::FromMemory(
    std::string path, std::string bytes, std::optional<uint64_t> packed) {
  std::shared_ptr<SafeFile> file(new SafeFile);
  const uint64_t size = packed.value_or(bytes.size());
  file->SetBytes(std::move(path), std::move(bytes), size);
  return file;
}

void SafeFile::SetBytes(std::string path, std::string bytes,
                        uint64_t size_on_disk) {
  path_ = std::move(path);
  memory_ = std::move(bytes);
  bytes_ = {reinterpret_cast<const uint8_t*>(memory_.data()), memory_.size()};
  SetSizeOnDisk(size_on_disk);
}

std::shared_ptr<const SafeFile> SafeFile::Unpacked(const SafeFile& packed,
                                                   std::string path,
                                                   std::string bytes,
                                                   uint64_t size_on_disk) {
  if (!packed.has_share_) {
    return FromMemory(std::move(path), std::move(bytes), size_on_disk);
  }
  Budget::Rules rules;
  for (int i = 0; i < Budget::kResources; ++i) {
    rules[i] = {packed.budget().left(static_cast<Budget::Resource>(i)), 0};
  }
  std::shared_ptr<SafeFile> file(new SafeFile(rules));
  file->has_share_ = true;
  file->SetBytes(std::move(path), std::move(bytes), size_on_disk);
  return file;
}

std::shared_ptr<const SafeFile> SafeFile::PartOf(
    std::shared_ptr<const SafeFile> whole, std::string path, uint64_t offset,
    uint64_t size) {
  // A few holes do not make a packed file.
  const bool packed = whole->bytes().size() / 2 > whole->size_on_disk();
  std::shared_ptr<SafeFile> file(
      packed ? new SafeFile(RulesOfShare(*whole, size)) : new SafeFile);
  file->has_share_ = packed;
  file->path_ = std::move(path);
  file->bytes_ = whole->bytes().subspan(offset, size);
  file->SetSizeOnDisk(packed ? ShareOf(*whole, size, whole->size_on_disk())
                             : size);
  file->uid_ = whole->uid_;
  file->mode_ = whole->mode_;
  file->whole_ = std::move(whole);
  return file;
}

bool SafeFile::has_lost_bytes() const {
  if (whole_ != nullptr) return whole_->has_lost_bytes();
  return mapping_ != nullptr && mapping_->has_lost_bytes();
}

absl::Status SafeFile::CheckWriters() const {
  if (uid_ != 0 && uid_ != geteuid()) {
    return absl::PermissionDeniedError(
        absl::StrCat(path_, ": belongs to another user"));
  }
  if ((mode_ & S_IWOTH) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(path_, ": everyone may write to it"));
  }
  return absl::OkStatus();
}

bool MayOpenByName(absl::string_view name) {
  if (!absl::StartsWith(name, "/") || absl::StartsWith(name, "//")) {
    return false;
  }
  std::vector<absl::string_view> parts;
  for (absl::string_view part : absl::StrSplit(name, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  return !parts.empty() && parts[0] != "proc" && parts[0] != "sys" &&
         parts[0] != "dev";
}

}  // namespace perf2x
