// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_FILE_MAPPING_H_
#define PERF2X_BASE_FILE_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"

namespace perf2x {

// A file mapped for reading. A page is lost if the file now ends before the
// page, or if the system cannot read the page. Once an access hits a lost page,
// all bytes from that page to the end of the mapping read as zeros. Without
// this class, SIGBUS would end the process. Thread-safe.
//
// The first Map of a process installs a handler of SIGBUS, for good. The
// handler passes other faults to the handler that was installed before.
class FileMapping {
 public:
  // Maps `size` bytes, at least 1, from `offset`, a multiple of the page size.
  // The caller keeps `fd` and may close it. Returns null on failure; errno says
  // why.
  static std::unique_ptr<FileMapping> Map(int fd, uint64_t offset, size_t size);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  // Returns the mapped bytes; valid as long as this object.
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // Returns true if an access has hit a lost page. Says nothing about pages
  // that have not been accessed yet.
  bool has_lost_bytes() const;
  // Hint: drops the pages from memory. The next access reads the file again.
  void ReleasePages() const;

 private:
  struct Slot;
  friend class FileMappings;
  FileMapping(absl::Span<const uint8_t> bytes, Slot* slot)
      : bytes_(bytes), slot_(slot) {}

  const absl::Span<const uint8_t> bytes_;
  Slot* const slot_;  // the mapping as the signal handler sees it
};

}  // namespace perf2x

#endif  // PERF2X_BASE_FILE_MAPPING_H_
