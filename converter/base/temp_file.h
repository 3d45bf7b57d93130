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

// A nameless file in $TMPDIR, else /tmp, for what does not fit into memory. It
// is gone when it and all that was mapped of it are.
class TempFile {
 public:
  // The error says where it could not be made, and why.
  static absl::StatusOr<TempFile> Make();
  // Where Make makes them.
  static std::string Folder();

  // Writes behind what was written before. The error says why that fails.
  absl::Status Append(absl::Span<const uint8_t> bytes);
  // Steps to where a mapping can begin.
  void AlignToPage();
  // Where the next byte goes.
  uint64_t size() const { return size_; }
  // The bytes from `offset`, where a mapping can begin, to the end.
  absl::StatusOr<BlockRef> Map(uint64_t offset, bool stable) const;

 private:
  explicit TempFile(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
  uint64_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_TEMP_FILE_H_
