// SPDX-License-Identifier: Apache-2.0
#include "converter/base/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "converter/base/budget.h"
#include "converter/base/early_exit_cleanup.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/output_target.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

constexpr size_t kBufferSize = 64 << 10;

std::string LinkTo(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

// Waits until a descriptor in non-blocking mode, which whoever started the
// process may have set, takes more bytes or never will. Returns false if that
// cannot be waited for; errno says why.
bool WaitUntilWritable(int fd) {
  pollfd waited = {.fd = fd, .events = POLLOUT, .revents = 0};
  while (poll(&waited, 1, /*timeout=*/-1) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

// A descriptor that is written through a small buffer.
class DescriptorOutput : public StagedOutput {
 public:
  // `path` is for errors. If `syncs` is set, starts to transfer the bytes to
  // the disk while more are written, without waiting for the system to do so.
  DescriptorOutput(std::string path, int fd, bool syncs = false)
      : path_(std::move(path)), fd_(fd), syncs_(syncs) {}

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
  absl::Status Prepare() override { return absl::OkStatus(); }
  absl::Status Publish() override { return absl::OkStatus(); }

 protected:
  absl::Status Fail(int error) { return status_ = CannotWrite(path_, error); }
  absl::Status Flush() {
    RETURN_IF_ERROR(status_);
    RETURN_IF_ERROR(WriteNow(buffer_));
    buffer_.clear();
    return absl::OkStatus();
  }
  // Some file systems report a full disk or an exceeded quota only on close().
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
      if (n < 0 && errno == EAGAIN && WaitUntilWritable(fd_)) continue;
      if (n < 0) return Fail(errno);
      bytes.remove_prefix(static_cast<size_t>(n));
      written_ += n;
    }
    if (syncs_ && written_ - synced_ >= kSyncAt) {
      // Only starts the transfer, so that the fdatasync before the rename has
      // little left to wait for. Errors are ignored: fdatasync reports them
      // again.
      sync_file_range(fd_, synced_, written_ - synced_, SYNC_FILE_RANGE_WRITE);
      synced_ = written_;
    }
    return absl::OkStatus();
  }

  static constexpr int64_t kSyncAt = 4 << 20;
  const bool syncs_;
  int64_t written_ = 0, synced_ = 0;  // bytes from the start of the file
  absl::Status status_;
  std::string buffer_;
};

// A device, FIFO or file that keeps its inode: readers may have it open.
class InPlaceOutput final : public DescriptorOutput {
 public:
  // Waits for the reader of a FIFO.
  static absl::StatusOr<std::unique_ptr<StagedOutput>> Open(
      const OutputTarget& target) {
    const std::string& path = target.path;
    const FileDescriptor found(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat st;
    if (found.get() < 0 || fstat(found.get(), &st) != 0) {
      return CannotWrite(path, errno);
    }
    if (st.st_dev != target.device || st.st_ino != target.inode) {
      return absl::FailedPreconditionError(absl::StrCat(
          "cannot write ", path, ": another file has taken its place"));
    }
    const int flags =
        O_WRONLY | O_CLOEXEC | O_NOCTTY | (target.regular ? O_TRUNC : 0);
    int fd = open(LinkTo(found.get()).c_str(), flags);
    if (fd < 0 && errno == ENOENT) fd = open(path.c_str(), flags);  // no /proc
    if (fd < 0) return CannotWrite(path, errno);
    return std::make_unique<InPlaceOutput>(path, fd, target.regular);
  }
  InPlaceOutput(std::string path, int fd, bool regular)
      : DescriptorOutput(std::move(path), fd), regular_(regular) {
    if (!regular_) return;
    cleanup_.emplace([fd] {
      if (ftruncate(fd, 0) != 0) errno = 0;
    });
  }
  ~InPlaceOutput() override {
    cleanup_.reset();
    if (fd_ < 0) return;
    // Nothing can be done about a failure: the bytes then stay.
    if (regular_ && ftruncate(fd_, 0) != 0) errno = 0;
    close(fd_);
  }
  absl::Status Close() override {
    RETURN_IF_ERROR(Flush());
    cleanup_.reset();
    return CloseDescriptor();
  }

 private:
  const bool regular_;
  std::optional<EarlyExitCleanup> cleanup_;
};

// A file in the folder of its final name. Where the file system can, it has no
// name (O_TMPFILE), so that it is gone however the process ends; else it has a
// temporary name.
class ReplacingOutput final : public DescriptorOutput {
 public:
  // If `publishes`, Close renames the file.
  static absl::StatusOr<std::unique_ptr<StagedOutput>> Open(
      const OutputTarget& target, bool publishes) {
    ASSIGN_OR_RETURN(FileDescriptor opened, OpenFolderOf(target));
    const auto folder =
        std::make_shared<const FileDescriptor>(std::move(opened));
    std::unique_ptr<Temporary> temporary;
    int fd = openat(folder->get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0 && access(LinkTo(fd).c_str(), F_OK) != 0) {
      close(fd);  // no /proc to name it through later
      fd = -1;
    }
    if (fd < 0) {
      temporary = MakeTemporary(
          folder, NameInFolder(target.final_path), [&](const char* name) {
            fd = openat(folder->get(), name,
                        O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
            return fd >= 0;
          });
    }
    if (fd < 0) return CannotWrite(target.path, errno);
    return std::unique_ptr<StagedOutput>(new ReplacingOutput(
        target, folder, std::move(temporary), fd, publishes));
  }
  ~ReplacingOutput() override {
    if (fd_ >= 0) close(fd_);
    if (temporary_ != nullptr) temporary_->Remove();
  }

  absl::Status Close() override {
    RETURN_IF_ERROR(Flush());
    struct stat old, made;
    if (fstatat(folder_->get(), name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) ==
            0 &&
        S_ISREG(old.st_mode) &&
        (fstat(fd_, &made) != 0 || (made.st_mode ^ old.st_mode) % 01000 != 0) &&
        fchmod(fd_, old.st_mode % 01000) != 0) {
      return Fail(errno);
    }
    // If it was renamed before its bytes are on the disk, it could be empty
    // after a crash of the machine. Some file systems do not support fdatasync.
    if (fdatasync(fd_) != 0 && errno != EINVAL && errno != ENOSYS &&
        errno != EROFS) {
      return Fail(errno);
    }
    if (!publishes_) return absl::OkStatus();
    RETURN_IF_ERROR(NameTemporary());
    return Publish();
  }

  absl::Status Prepare() override {
    RETURN_IF_ERROR(NameTemporary());
    return RecheckTarget(target_, *folder_);
  }

  absl::Status Publish() override {
    if (renameat(folder_->get(), temporary_->name.c_str(), folder_->get(),
                 name_.c_str()) != 0) {
      return Fail(errno);
    }
    temporary_.reset();
    return absl::OkStatus();
  }

 private:
  using Folder = std::shared_ptr<const FileDescriptor>;
  // A temporary name in a folder, which must not outlive the process.
  struct Temporary {
    Temporary(Folder in, std::string of)
        : folder(std::move(in)),
          name(std::move(of)),
          cleanup([this] { Remove(); }) {}
    void Remove() const { unlinkat(folder->get(), name.c_str(), 0); }
    const Folder folder;
    const std::string name;
    const EarlyExitCleanup cleanup;
  };
  // Calls `make` with temporary names, made from `target`, until it has made a
  // file. The names are random, so that no one can take them before, and not
  // longer than a name may be. Returns null on failure; errno says why.
  static std::unique_ptr<Temporary> MakeTemporary(
      const Folder& folder, const std::string& target,
      absl::FunctionRef<bool(const char*)> make) {
    constexpr uint64_t kTries = 100;
    constexpr size_t kSuffix = 1 + 16 + 4;  // ".", a number, ".tmp"
    const absl::string_view start =
        absl::string_view(target).substr(0, NAME_MAX - kSuffix);
    for (uint64_t i = 0; i < kTries; ++i) {
      uint64_t random = 0;
      if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0) random = i;
      auto temporary = std::make_unique<Temporary>(
          folder, absl::StrCat(start, ".", absl::Hex(random), ".tmp"));
      if (make(temporary->name.c_str())) return temporary;
      if (errno != EEXIST) break;
    }
    return nullptr;
  }
  // Gives the file a temporary name if it has none, and closes it.
  absl::Status NameTemporary() {
    if (temporary_ == nullptr) {
      temporary_ = MakeTemporary(folder_, name_, [this](const char* name) {
        return linkat(AT_FDCWD, LinkTo(fd_).c_str(), folder_->get(), name,
                      AT_SYMLINK_FOLLOW) == 0;
      });
      if (temporary_ == nullptr) return Fail(errno);
    }
    return CloseDescriptor();
  }
  ReplacingOutput(const OutputTarget& target, Folder folder,
                  std::unique_ptr<Temporary> temporary, int fd, bool publishes)
      : DescriptorOutput(target.path, fd, /*syncs=*/true),
        target_(target),
        folder_(std::move(folder)),
        name_(NameInFolder(target.final_path)),
        publishes_(publishes),
        temporary_(std::move(temporary)) {}

  const OutputTarget target_;
  const Folder folder_;  // the same one if it is renamed meanwhile
  const std::string name_;
  const bool publishes_;
  std::unique_ptr<Temporary> temporary_;  // null: no temporary name
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

class MeteredOutput final : public Output {
 public:
  MeteredOutput(std::unique_ptr<Output> output, Budget& budget)
      : output_(std::move(output)), budget_(budget) {}
  absl::Status Write(absl::string_view bytes) override {
    budget_.Spend(Budget::kOutput, bytes.size());
    return output_->Write(bytes);
  }
  absl::Status WriteBuffer(ByteBuffer& buffer) override {
    budget_.Spend(Budget::kOutput, buffer.size());
    return output_->WriteBuffer(buffer);
  }
  absl::Status Close() override { return output_->Close(); }

 private:
  const std::unique_ptr<Output> output_;
  Budget& budget_;
};

absl::StatusOr<std::unique_ptr<StagedOutput>> Open(const OutputTarget& target,
                                                   bool publishes) {
  switch (target.method) {
    case OutputTarget::Method::kStandardOutput:
      return std::make_unique<DescriptorOutput>(target.path, STDOUT_FILENO);
    case OutputTarget::Method::kInPlace:
      return InPlaceOutput::Open(target);
    case OutputTarget::Method::kReplace:
      break;
  }
  return ReplacingOutput::Open(target, publishes);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const OutputTarget& target) {
  return Open(target, /*publishes=*/true);
}

absl::StatusOr<std::unique_ptr<StagedOutput>> OpenStagedOutput(
    const OutputTarget& target) {
  return Open(target, /*publishes=*/false);
}

absl::StatusOr<std::unique_ptr<Output>> OpenOutput(const std::string& path,
                                                   bool in_place) {
  ASSIGN_OR_RETURN(const OutputTarget target,
                   OutputTarget::Resolve(path, in_place));
  return OpenOutput(target);
}

std::unique_ptr<Output> MakeMeteredOutput(std::unique_ptr<Output> output,
                                          Budget& budget) {
  return std::make_unique<MeteredOutput>(std::move(output), budget);
}

std::unique_ptr<Output> MakeStringOutput(std::string* to) {
  return std::make_unique<AppendingOutput>(to);
}

}  // namespace perf2x
