// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_MMAP_RECORD_H_
#define PERF2X_TESTS_SUPPORT_MMAP_RECORD_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/perf/records/kernel_records.h"

namespace perf2x {

// Returns a record of process `pid`, written by its main thread, which maps
// `len` bytes of `filename` from offset `pgoff` on at address `addr`.
inline MmapRecord MmapOf(int32_t pid, absl::string_view filename, uint64_t addr,
                         uint64_t len = 0x1000, uint64_t pgoff = 0) {
  MmapRecord mmap;
  mmap.pid = mmap.tid = pid;
  mmap.addr = addr;
  mmap.len = len;
  mmap.pgoff = pgoff;
  mmap.filename = filename;
  return mmap;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_MMAP_RECORD_H_
