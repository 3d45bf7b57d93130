#include "converter/symbolize/safe_file.h"

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

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace perf2x {
namespace {

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::Status Refused(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", why));
}

FileIdentity IdentityOf(int fd, const struct stat& st) {
  FileIdentity identity;
  identity.device_major = major(st.st_dev);
  identity.device_minor = minor(st.st_dev);
  identity.inode = st.st_ino;
  identity.modified =
      int64_t{st.st_mtim.tv_sec} * 1'000'000'000 + st.st_mtim.tv_nsec;
  // Declared with a long, but file systems write an int.
  uint32_t generation[sizeof(long) / sizeof(uint32_t)] = {};
  if (ioctl(fd, FS_IOC_GETVERSION, generation) == 0) {
    identity.generation = generation[0];
  }
  return identity;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const SafeFile>> SafeFile::Open(
    const std::string& path) {
  // Opening a device can do things, so its type is asked for first; and again
  // afterwards, since it may have been replaced in between.
  struct stat st;
  if (stat(path.c_str(), &st) != 0) {
    const int error = errno;
    const std::string text = absl::StrCat(path, ": ", strerror(error));
    return error == EACCES ? absl::PermissionDeniedError(text)
                           : absl::NotFoundError(text);
  }
  if (!S_ISREG(st.st_mode)) return Refused(path, "not a regular file");
  Fd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd.get() < 0 || fstat(fd.get(), &st) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, ": ", strerror(errno)));
  }
  struct statfs fs;
  if (!S_ISREG(st.st_mode) || fstatfs(fd.get(), &fs) != 0 ||
      fs.f_type == PROC_SUPER_MAGIC) {
    return Refused(path, "not a regular file");
  }
  std::shared_ptr<SafeFile> file(new SafeFile);
  file->path_ = path;
  file->uid_ = st.st_uid;
  file->identity_ = IdentityOf(fd.get(), st);
  if (st.st_size > 0) {
    const size_t size = static_cast<size_t>(st.st_size);
    file->mapping_ = FileMapping::Map(fd.get(), 0, size);
    if (file->mapping_ == nullptr) return Refused(path, strerror(errno));
    file->bytes_ = file->mapping_->bytes();
  }
  return file;
}

std::shared_ptr<const SafeFile> SafeFile::FromMemory(std::string path,
                                                     std::string bytes) {
  std::shared_ptr<SafeFile> file(new SafeFile);
  file->path_ = std::move(path);
  file->memory_ = std::move(bytes);
  file->bytes_ = {reinterpret_cast<const uint8_t*>(file->memory_.data()),
                  file->memory_.size()};
  return file;
}

std::shared_ptr<const SafeFile> SafeFile::PartOf(
    std::shared_ptr<const SafeFile> whole, std::string path, uint64_t offset,
    uint64_t size) {
  std::shared_ptr<SafeFile> file(new SafeFile);
  file->path_ = std::move(path);
  file->bytes_ = whole->bytes().subspan(offset, size);
  file->uid_ = whole->uid_;
  file->whole_ = std::move(whole);
  return file;
}

bool SafeFile::lost_bytes() const {
  if (whole_ != nullptr) return whole_->lost_bytes();
  return mapping_ != nullptr && mapping_->lost_bytes();
}

bool SafeFile::OwnedBy(std::optional<uint32_t> user) const {
  return uid_ == 0 || uid_ == geteuid() || uid_ == user;
}

std::string ResolveInRoot(const std::string& root, absl::string_view name) {
  // Folders from the root to where the walk stands, held open so that ".."
  // cannot lead elsewhere when a folder is moved meanwhile.
  std::vector<std::pair<Fd, std::string>> at;
  at.emplace_back(Fd(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
                  root);
  if (at.back().first.get() < 0) return "";
  // Components still to walk, the next one last.
  std::vector<std::string> todo;
  auto push = [&todo](absl::string_view path) {
    std::vector<std::string> parts =
        absl::StrSplit(path, '/', absl::SkipEmpty());
    todo.insert(todo.end(), parts.rbegin(), parts.rend());
  };
  push(name);
  for (int links = 0; !todo.empty();) {
    const std::string part = std::move(todo.back());
    todo.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      if (at.size() > 1) at.pop_back();
      continue;
    }
    Fd next(openat(at.back().first.get(), part.c_str(),
                   O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat st;
    if (next.get() < 0 || fstat(next.get(), &st) != 0) return "";
    if (S_ISLNK(st.st_mode)) {
      char target[4096];
      const ssize_t n = readlinkat(next.get(), "", target, sizeof(target));
      if (n <= 0 || n == sizeof(target) || ++links > 40) return "";
      if (target[0] == '/') at.erase(at.begin() + 1, at.end());
      push({target, static_cast<size_t>(n)});
      continue;
    }
    if (at.size() > 1000) return "";
    at.emplace_back(std::move(next), absl::StrCat(at.back().second, "/", part));
  }
  return at.back().second;
}

bool MayOpenByName(absl::string_view name) {
  if (name.empty() || name[0] != '/' || absl::StartsWith(name, "//")) {
    return false;
  }
  for (absl::string_view dir : {"/proc/", "/sys/", "/dev/"}) {
    if (absl::StartsWith(name, dir)) return false;
  }
  return true;
}

}  // namespace perf2x
