#include "converter/base/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "converter/base/budget.h"
#include "converter/base/status_macros.h"
#include "converter/base/unfinished.h"

namespace perf2x {
namespace {

constexpr size_t kBufferSize = 64 << 10;

absl::Status CannotWrite(const std::string& path, int error) {
  const std::string message =
      absl::StrCat("cannot write ", path == "-" ? "standard output" : path,
                   ": ", strerror(error));
  return absl::Status(absl::ErrnoToStatusCode(error), message);
}

// A descriptor that is written through a small buffer.
class DescriptorOutput : public Output {
 public:
  // `path` is what errors call it.
  DescriptorOutput(std::string path, int fd)
      : path_(std::move(path)), fd_(fd) {}

  absl::Status Write(absl::string_view bytes) override {
    RETURN_IF_ERROR(status_);
    if (buffer_.size() + bytes.size() > kBufferSize) {
      RETURN_IF_ERROR(Flush());
      if (bytes.size() >= kBufferSize) return WriteNow(bytes);
    }
    buffer_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status Close() override { return Flush(); }

 protected:
  absl::Status Fail(int error) { return status_ = CannotWrite(path_, error); }
  absl::Status Flush() {
    RETURN_IF_ERROR(status_);
    RETURN_IF_ERROR(WriteNow(buffer_));
    buffer_.clear();
    return absl::OkStatus();
  }
  // Some file systems report a full disk or a quota only here.
  absl::Status CloseDescriptor() {
    RETURN_IF_ERROR(Flush());
    if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) {
      return Fail(errno);
    }
    return absl::OkStatus();
  }

  std::string path_;
  int fd_;

 private:
  absl::Status WriteNow(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Fail(errno);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return absl::OkStatus();
  }

  absl::Status status_;
  std::string buffer_;
};

// A device, FIFO or file that keeps its inode: readers may have it open.
class InPlaceOutput final : public DescriptorOutput {
 public:
  InPlaceOutput(std::string path, int fd, bool regular)
      : DescriptorOutput(std::move(path), fd), regular_(regular) {
    if (!regular_) return;
    unfinished_.emplace([fd] {
      if (ftruncate(fd, 0) != 0) errno = 0;
    });
  }
  ~InPlaceOutput() override {
    unfinished_.reset();
    if (fd_ < 0) return;
    // Nothing can be done about a failure: the bytes then stay.
    if (regular_ && ftruncate(fd_, 0) != 0) errno = 0;
    close(fd_);
  }
  absl::Status Close() override {
    RETURN_IF_ERROR(Flush());
    unfinished_.reset();
    return CloseDescriptor();
  }

 private:
  const bool regular_;
  std::optional<Unfinished> unfinished_;
};

std::string TemporaryName(const std::string& path) {
  static std::atomic<uint32_t> count{0};
  return absl::StrCat(path, ".", getpid(), ".", count++, ".tmp");
}

// A file under a temporary name beside its final one, or, where the file system
// can, under none: then it is gone however the process ends.
class ReplacingOutput final : public DescriptorOutput {
 public:
  // `target` is `path` with symbolic links followed.
  static absl::StatusOr<std::unique_ptr<Output>> Open(
      const std::string& path, const std::string& target) {
    const size_t slash = target.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "." : target.substr(0, slash + 1);
    std::unique_ptr<Temporary> temporary;
    int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0 && access(Link(fd).c_str(), F_OK) != 0) {
      close(fd);  // no /proc to name it through later
      fd = -1;
    }
    if (fd < 0) {
      temporary = std::make_unique<Temporary>(target);
      fd = open(temporary->name.c_str(),
                O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    }
    if (fd < 0) return CannotWrite(path, errno);
    return std::unique_ptr<Output>(
        new ReplacingOutput(path, target, std::move(temporary), fd));
  }
  ~ReplacingOutput() override {
    if (fd_ >= 0) close(fd_);
    if (temporary_ != nullptr) unlink(temporary_->name.c_str());
  }

  absl::Status Close() override {
    RETURN_IF_ERROR(Flush());
    struct stat old;
    if (stat(target_.c_str(), &old) == 0 &&
        fchmod(fd_, old.st_mode & 07777) != 0) {
      return Fail(errno);
    }
    // Renamed before its bytes are on the disk it could be found empty after a
    // crash of the machine. Some file systems cannot say.
    if (fdatasync(fd_) != 0 && errno != EINVAL && errno != ENOSYS &&
        errno != EROFS) {
      return Fail(errno);
    }
    if (temporary_ == nullptr) {
      auto name = std::make_unique<Temporary>(target_);
      if (linkat(AT_FDCWD, Link(fd_).c_str(), AT_FDCWD, name->name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0) {
        return Fail(errno);
      }
      temporary_ = std::move(name);
    }
    RETURN_IF_ERROR(CloseDescriptor());
    if (rename(temporary_->name.c_str(), target_.c_str()) != 0) {
      return Fail(errno);
    }
    temporary_.reset();
    return absl::OkStatus();
  }

 private:
  // A name that must not outlive the process.
  struct Temporary {
    explicit Temporary(const std::string& target)
        : name(TemporaryName(target)),
          unfinished([this] { unlink(name.c_str()); }) {}
    const std::string name;
    const Unfinished unfinished;
  };
  ReplacingOutput(std::string path, std::string target,
                  std::unique_ptr<Temporary> temporary, int fd)
      : DescriptorOutput(std::move(path), fd),
        target_(std::move(target)),
        temporary_(std::move(temporary)) {}
  static std::string Link(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

  const std::string target_;
  std::unique_ptr<Temporary> temporary_;  // null: the file has no name now
};

class AppendingOutput final : public Output {
 public:
  explicit AppendingOutput(std::string* to) : to_(to) {}
  absl::Status Write(absl::string_view bytes) override {
    to_->append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  std::string* const to_;
};

class AccountedOutputImpl final : public Output {
 public:
  AccountedOutputImpl(std::unique_ptr<Output> output, Budget& budget)
      : output_(std::move(output)), budget_(budget) {}
  absl::Status Write(absl::string_view bytes) override {
    budget_.Spend(Budget::kWritten, bytes.size());
    return output_->Write(bytes);
  }
  absl::Status Close() override { return output_->Close(); }

 private:
  const std::unique_ptr<Output> output_;
  Budget& budget_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const std::string& path,
                                                   bool in_place) {
  if (path == "-") {
    return std::make_unique<DescriptorOutput>(path, STDOUT_FILENO);
  }
  struct stat old;
  const bool exists = stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return CannotWrite(path, errno);
  // /dev/stdout, say: what has been written to it already must stay, and it may
  // have no other name to be replaced under.
  struct stat out;
  if (exists && fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == old.st_dev &&
      out.st_ino == old.st_ino) {
    return std::make_unique<DescriptorOutput>(path, STDOUT_FILENO);
  }
  const bool regular = !exists || S_ISREG(old.st_mode);
  if (exists && S_ISDIR(old.st_mode)) return CannotWrite(path, EISDIR);
  if (!regular || (in_place && exists)) {
    const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_TRUNC : 0);
    const int fd = open(path.c_str(), flags);
    if (fd < 0) return CannotWrite(path, errno);
    return std::make_unique<InPlaceOutput>(path, fd, regular);
  }
  // Renaming would replace a file that may not be written, and a link instead
  // of what it points to.
  if (exists && access(path.c_str(), W_OK) != 0) {
    return CannotWrite(path, errno);
  }
  std::string target = path;
  if (char* real = realpath(path.c_str(), nullptr); real != nullptr) {
    target = real;
    free(real);
  } else if (exists) {
    // Renaming would replace the link to a file that has no name any more.
    return CannotWrite(path, errno);
  }
  return ReplacingOutput::Open(path, target);
}

std::unique_ptr<Output> AccountedOutput(std::unique_ptr<Output> output,
                                        Budget& budget) {
  return std::make_unique<AccountedOutputImpl>(std::move(output), budget);
}

std::unique_ptr<Output> StringOutput(std::string* to) {
  return std::make_unique<AppendingOutput>(to);
}

}  // namespace perf2x
