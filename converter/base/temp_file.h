// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_TEMP_FILE_H_
#define PERF2X_BASE_TEMP_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/file_descriptor.h"

namespace perf2x {

// A file without a name, for data that does not fit into memory. The system
// frees its space when this object and all mappings of the file are destroyed.
// All errors are ResourceExhausted and say what failed, and why. Not
// thread-safe.
class TempFile {
 public:
  // Creates a file in Folder().
  static absl::StatusOr<TempFile> Make();
  // Returns the folder in which Make creates files: $TMPDIR or else /tmp.
  static std::string Folder();

  // Appends `bytes` to the file. On failure, size() includes the part that was
  // written.
  absl::Status Append(absl::Span<const uint8_t> bytes);
  // Rounds size() up to a multiple of the page size, where a mapping can begin.
  void AlignToPage();
  // Returns the offset of the next byte to be written.
  uint64_t size() const { return size_; }
  // Maps the bytes from `offset` to size(). Bytes that are appended later are
  // not in the block. Requires that `offset` is a multiple of the page size and
  // at most size(). `stable`: see Block::stable().
  absl::StatusOr<BlockRef> Map(uint64_t offset, bool stable) const;

 private:
  explicit TempFile(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
  uint64_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_TEMP_FILE_H_
