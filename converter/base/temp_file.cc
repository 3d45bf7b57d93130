// SPDX-License-Identifier: Apache-2.0
#include "converter/base/temp_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/mapped_block.h"

namespace perf2x {

std::string TempFile::Folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

// A file that never has a name cannot keep one. Some file systems have no such
// files.
absl::StatusOr<TempFile> TempFile::Make() {
  FileDescriptor nameless(
      open(Folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (nameless.get() >= 0) return TempFile(std::move(nameless));
  std::string path = absl::StrCat(Folder(), "/perf2x-XXXXXX");
  FileDescriptor fd(mkostemp(path.data(), O_CLOEXEC));
  if (fd.get() < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot make a temporary file ", path,
                     " (TMPDIR says where): ", std::strerror(errno)));
  }
  unlink(path.c_str());
  return TempFile(std::move(fd));
}

absl::Status TempFile::Append(absl::Span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd_.get(), bytes.data(), bytes.size(),
                             static_cast<off_t>(size_));
    if (n < 0) {
      if (errno == EINTR) continue;
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot write a temporary file (TMPDIR says where): ",
                       std::strerror(errno)));
    }
    size_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

void TempFile::AlignToPage() {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  size_ = (size_ + page - 1) / page * page;
}

absl::StatusOr<BlockRef> TempFile::Map(uint64_t offset, bool stable) const {
  BlockRef block = MapFile(fd_.get(), offset, size_ - offset, stable);
  if (!block) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot map a temporary file: ", std::strerror(errno)));
  }
  return block;
}

}  // namespace perf2x
