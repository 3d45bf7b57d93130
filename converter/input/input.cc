// SPDX-License-Identifier: Apache-2.0
#include "converter/input/input.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/compression_ratio.h"
#include "converter/base/decompress.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/mapped_block.h"
#include "converter/base/reopen.h"
#include "converter/base/status_macros.h"
#include "converter/base/stored_size.h"
#include "converter/base/temp_file.h"

namespace perf2x {
namespace {

constexpr size_t kSpoolChunk = 1 << 20;
constexpr int kPipeSize = 1 << 20;  // what Linux grants every user

absl::Status CannotRead(absl::string_view name, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot read ", name, ": ", why));
}

// A block of bytes that the caller owns and keeps alive.
class BorrowedBlock final : public Block {
 public:
  explicit BorrowedBlock(absl::Span<const uint8_t> bytes) : Block(true) {
    bytes_ = bytes;
  }
};

// Maps a regular file, of which `stored` bytes are not holes.
absl::StatusOr<BlockRef> Map(int fd, const struct stat& st, uint64_t stored,
                             absl::string_view name) {
  const auto size = static_cast<uint64_t>(st.st_size);
  // Holes are zeros that cost nothing on disk, as compressed ones.
  if (IsDecompressionBomb(stored, size)) {
    return CannotRead(name, TooManyHoles(size, stored));
  }
  BlockRef block = MapFile(fd, 0, size, /*stable=*/true);
  if (!block) return CannotRead(name, std::strerror(errno));
  return block;
}

class FdSource final : public ByteSource {
 public:
  // `bytes_read` is kept up to date, for other threads.
  FdSource(FileDescriptor fd, std::string name,
           std::shared_ptr<std::atomic<uint64_t>> bytes_read,
           std::shared_ptr<const ReadStop> stop)
      : fd_(std::move(fd)),
        name_(std::move(name)),
        bytes_read_(std::move(bytes_read)),
        stop_(std::move(stop)) {}
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    if (at_ < ahead_.size()) {
      const size_t n = std::min(to.size(), ahead_.size() - at_);
      std::memcpy(to.data(), ahead_.data() + at_, n);
      at_ += n;
      return n;
    }
    return ReadOn(to);
  }
  uint64_t CompressedSizeUpTo(uint64_t enough) override {
    if (size_ > enough) return size_;
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<ptrdiff_t>(at_));
    at_ = 0;
    while (size_ <= enough) {
      const size_t had = ahead_.size();
      ahead_.resize(had + enough + 1 - size_);
      auto n = ReadOn(absl::MakeSpan(ahead_).subspan(had));
      ahead_.resize(had + n.value_or(0));
      if (n.value_or(0) == 0) break;
    }
    return size_;
  }

 private:
  // Reads from fd_. An error stays: a socket reports its own only once.
  absl::StatusOr<size_t> ReadOn(absl::Span<uint8_t> to) {
    RETURN_IF_ERROR(error_);
    for (;;) {
      if (!stop_->WaitFor(fd_.get())) return 0;
      const ssize_t n = read(fd_.get(), to.data(), to.size());
      if (n >= 0) {
        size_ += static_cast<uint64_t>(n);
        bytes_read_->store(size_, std::memory_order_relaxed);
        return static_cast<size_t>(n);
      }
      if (errno != EINTR) {
        error_ = CannotRead(name_, std::strerror(errno));
        return error_;
      }
    }
  }

  FileDescriptor fd_;
  std::string name_;
  const std::shared_ptr<std::atomic<uint64_t>> bytes_read_;
  const std::shared_ptr<const ReadStop> stop_;
  uint64_t size_ = 0;           // bytes read from fd_
  std::vector<uint8_t> ahead_;  // bytes read ahead, unused from at_ on
  size_t at_ = 0;
  absl::Status error_;  // the first one
};

class BlockSource final : public ByteSource {
 public:
  // Of the block, `stored` bytes are no holes of a file.
  BlockSource(BlockRef block, uint64_t stored)
      : block_(std::move(block)), left_(block_->bytes()), stored_(stored) {}
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    const size_t n = std::min(to.size(), left_.size());
    if (n > 0) std::memcpy(to.data(), left_.data(), n);
    left_.remove_prefix(n);
    return n;
  }
  uint64_t CompressedSizeUpTo(uint64_t) override { return stored_; }

 private:
  BlockRef block_;
  absl::Span<const uint8_t> left_;
  const uint64_t stored_;
};

// Opens a file of a folder recording, which is untrusted: opens regular files
// only, and follows no links, which could lead anywhere. Errors name the file
// `path`.
absl::StatusOr<FileDescriptor> OpenMember(int folder, const std::string& name,
                                          const std::string& path) {
  const FileDescriptor found(
      openat(folder, name.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
  struct stat st;
  if (found.get() < 0 || fstat(found.get(), &st) != 0) {
    return CannotRead(path, std::strerror(errno));
  }
  if (S_ISLNK(st.st_mode)) {
    return CannotRead(path,
                      "a symbolic link in a folder recording is not followed");
  }
  if (!S_ISREG(st.st_mode)) return CannotRead(path, "not a regular file");
  FileDescriptor file = Reopen(found.get(), folder, name, O_NOFOLLOW);
  if (file.get() < 0) return CannotRead(path, std::strerror(errno));
  return file;
}

// Sets `may_be_from_others` if other users may have written a file.
void NoteWriters(const struct stat& st, Input* input) {
  input->may_be_from_others |=
      (st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & S_IWOTH) != 0;
}

// Opens one file of any kind and decompresses it.
absl::Status OpenOne(FileDescriptor fd, Input* input) {
  struct stat st;
  if (fstat(fd.get(), &st) != 0) {
    return CannotRead(input->name, std::strerror(errno));
  }
  NoteWriters(st, input);
  if (S_ISREG(st.st_mode) && input->name != "-") {
    input->written_at =
        int64_t{st.st_mtim.tv_sec} * 1'000'000'000 + st.st_mtim.tv_nsec;
  }
  // A regular file is mapped, unless bytes were already read from it (as
  // standard input): then the rest is read as a stream.
  if (S_ISREG(st.st_mode) && lseek(fd.get(), 0, SEEK_CUR) == 0) {
    const uint64_t stored = StoredSize(fd.get(), st);
    ASSIGN_OR_RETURN(BlockRef block, Map(fd.get(), st, stored, input->name));
    input->size = std::make_shared<std::atomic<uint64_t>>(stored);
    const Compression compression = DetectCompression(block->bytes());
    if (compression == Compression::kNone) {
      input->mapped = std::move(block);
      input->stored = stored;
    } else {
      input->stream = Decompress(
          compression, std::make_unique<BlockSource>(std::move(block), stored));
    }
    return absl::OkStatus();
  }
  if (S_ISFIFO(st.st_mode)) {
    // So that the writer need not wait for a reader every 64 KiB. The kernel
    // may refuse.
    fcntl(fd.get(), F_SETPIPE_SZ, kPipeSize);
  }
  auto size = std::make_shared<std::atomic<uint64_t>>(0);
  input->size = size;
  input->stop = std::make_shared<ReadStop>();
  auto source =
      std::make_unique<FdSource>(std::move(fd), input->name, size, input->stop);
  std::array<uint8_t, kCompressionMagicSize> magic;
  ASSIGN_OR_RETURN(const size_t n, ReadFully(*source, absl::MakeSpan(magic)));
  const auto first = absl::MakeConstSpan(magic).subspan(0, n);
  input->stream =
      Decompress(DetectCompression(first), Prepend(first, std::move(source)));
  return absl::OkStatus();
}

// Returns the names of the data.N files of a folder, in order of N.
absl::StatusOr<std::vector<std::string>> DataFilesIn(int folder,
                                                     const std::string& path) {
  std::vector<std::pair<uint64_t, std::string>> names;
  const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* dir = fd < 0 ? nullptr : fdopendir(fd);
  if (dir == nullptr) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return CannotRead(path, std::strerror(error));
  }
  while (const dirent* entry = readdir(dir)) {
    absl::string_view name = entry->d_name;
    uint64_t number = 0;
    if (absl::ConsumePrefix(&name, "data.") &&
        absl::SimpleAtoi(name, &number)) {
      names.emplace_back(number, entry->d_name);
    }
  }
  closedir(dir);
  std::sort(names.begin(), names.end());
  std::vector<std::string> sorted;
  sorted.reserve(names.size());
  for (auto& [number, name] : names) sorted.push_back(std::move(name));
  return sorted;
}

absl::Status OpenDirectory(int folder, const std::string& path, Input* input) {
  input->directory = path;
  if (faccessat(folder, "data", F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read ", path,
                     ": a folder without a file \"data\" is no recording"));
  }
  ASSIGN_OR_RETURN(FileDescriptor main,
                   OpenMember(folder, "data", path + "/data"));
  RETURN_IF_ERROR(OpenOne(std::move(main), input));

  ASSIGN_OR_RETURN(const auto names, DataFilesIn(folder, path));
  for (const std::string& name : names) {
    const std::string member = absl::StrCat(path, "/", name);
    ASSIGN_OR_RETURN(FileDescriptor fd, OpenMember(folder, name, member));
    struct stat st;
    if (fstat(fd.get(), &st) != 0 || st.st_size == 0) continue;
    NoteWriters(st, input);
    const uint64_t stored = StoredSize(fd.get(), st);
    ASSIGN_OR_RETURN(BlockRef block, Map(fd.get(), st, stored, member));
    input->data_files.push_back({member, std::move(block), stored});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Input> OpenInput(const InputIdentity& found) {
  Input input;
  input.name = found.path;
  if (found.is_stdin()) {
    RETURN_IF_ERROR(OpenOne(FileDescriptor(dup(STDIN_FILENO)), &input));
    return input;
  }
  ASSIGN_OR_RETURN(const FileDescriptor object, found.OpenSame());
  if (found.HasType(S_IFDIR)) {
    RETURN_IF_ERROR(OpenDirectory(object.get(), found.path, &input));
    return input;
  }
  // Opening a FIFO does not wait for a writer; the first read does.
  FileDescriptor fd = Reopen(object.get(), AT_FDCWD, found.path,
                             found.follow_link ? 0 : O_NOFOLLOW);
  if (fd.get() < 0) return CannotRead(found.path, std::strerror(errno));
  if (!found.HasType(S_IFREG)) fcntl(fd.get(), F_SETFL, O_RDONLY);
  RETURN_IF_ERROR(OpenOne(std::move(fd), &input));
  return input;
}

absl::StatusOr<Input> OpenInput(const std::string& path) {
  return OpenInput(InputIdentity::FromPath(path));
}

absl::StatusOr<BlockRef> Spool(ByteSource& source, absl::Status* damage) {
  ASSIGN_OR_RETURN(TempFile file, TempFile::Make());
  std::vector<uint8_t> buffer(kSpoolChunk);
  for (;;) {
    const absl::StatusOr<size_t> got = source.Read(absl::MakeSpan(buffer));
    if (!got.ok()) *damage = got.status();
    if (got.value_or(0) == 0) return file.Map(0, /*stable=*/true);
    RETURN_IF_ERROR(file.Append(absl::MakeConstSpan(buffer).subspan(0, *got)));
  }
}

absl::Status SpoolStream(Input* input, Diagnostics* diagnostics) {
  const std::unique_ptr<ByteSource> whole = std::move(input->stream);
  absl::Status damage;
  ASSIGN_OR_RETURN(input->mapped, Spool(*whole, &damage));
  if (!damage.ok()) {
    diagnostics->Add(Diagnostics::Severity::kDamage, damage.message(),
                     input->mapped->bytes().size());
  }
  return absl::OkStatus();
}

void Input::AddSizesTo(Budget* budget) const {
  budget->AddInput(size);
  for (const DataFile& file : data_files) {
    budget->AddInput(file.size());
  }
}

Input MemoryInput(absl::Span<const uint8_t> bytes) {
  Input input;
  input.name = "memory";
  input.size = std::make_shared<std::atomic<uint64_t>>(bytes.size());
  const Compression compression = DetectCompression(bytes);
  BlockRef block(std::make_unique<BorrowedBlock>(bytes));
  if (compression == Compression::kNone) {
    input.mapped = std::move(block);
    input.stored = bytes.size();
  } else {
    input.stream = Decompress(compression, std::make_unique<BlockSource>(
                                               std::move(block), bytes.size()));
  }
  return input;
}

}  // namespace perf2x
