// SPDX-License-Identifier: Apache-2.0
#include "converter/base/stored_size.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace perf2x {

uint64_t StoredSize(int fd, const struct stat& st) {
  constexpr uint64_t kUnitOfBlocks = 512;  // stat(2)
  const auto size = static_cast<uint64_t>(st.st_size);
  if (static_cast<uint64_t>(st.st_blocks) * kUnitOfBlocks >= size) return size;
  const off_t before = lseek(fd, 0, SEEK_CUR);
  if (before < 0) return size;
  uint64_t stored = 0;
  for (off_t at = 0; at < st.st_size;) {
    const off_t data = lseek(fd, at, SEEK_DATA);
    // Only a hole from here on, or data that were written after fstat(2).
    if ((data < 0 && errno == ENXIO) || data >= st.st_size) break;
    const off_t end = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
    if (end <= at) {  // the file system does not say
      stored = size;
      break;
    }
    stored += static_cast<uint64_t>(std::min(end, st.st_size) - data);
    at = end;
  }
  lseek(fd, before, SEEK_SET);
  return stored;
}

std::string TooManyHoles(uint64_t size, uint64_t stored) {
  return absl::StrCat("its ", size, " bytes are holes but for ", stored,
                      ", too few for its size; if that is right, copy it with "
                      "cp --sparse=never");
}

}  // namespace perf2x
