// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_AUX_COVERAGE_H_
#define PERF2X_SESSION_AUX_COVERAGE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "converter/session/byte_ranges.h"

namespace perf2x {

// Compares the AUX data that AUX records name with the data that AUXTRACE
// records have. Not thread-safe.
class AuxCoverage {
 public:
  // A range of the AUX data of a CPU or, if `cpu` is -1, of a thread.
  struct Range {
    int32_t cpu = -1, tid = -1;
    uint64_t start = 0, size = 0;
  };

  // A part of the AUX data.
  struct Data {
    uint64_t start = 0, size = 0;
  };
  // Returns the sum of the parts' sizes.
  static uint64_t SizeOf(const std::vector<Data>& parts) {
    uint64_t size = 0;
    for (const Data& part : parts) size += part.size;
    return size;
  }

  // Adds the data of an AUXTRACE record. Returns its parts that no earlier
  // record had, ascending. perf pads records to 8 bytes, so the next one may
  // begin up to 7 bytes before the end of this one.
  std::vector<Data> AddData(const Range& range);
  // Adds the range that the AUX record at `offset` of the recording names. The
  // range is of the record's CPU if that has data, else of its thread. If all
  // data is of one CPU, a record without a CPU names data of that CPU; the same
  // applies to threads.
  void AddNamed(const Range& range, uint64_t offset);
  // Calls `f` with the offset of each AUX record that lacks data, and the
  // number of missing bytes.
  void ForEachMissing(
      absl::FunctionRef<void(uint64_t offset, uint64_t bytes)> f) const;
  // Returns the approximate memory, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfPlace = 128, kOfRange = 64;
    return data_.size() * kOfPlace + ranges_ * kOfRange +
           named_.capacity() * sizeof(Named);
  }

 private:
  struct Named {
    Range range;
    uint64_t offset = 0;
  };
  // A part of the data. Parts are disjoint.
  struct Part {
    uint64_t start = 0, end = 0;
    uint64_t before = 0;  // bytes of all earlier parts
  };
  using Place = std::pair<int32_t, int32_t>;  // a CPU and -1, or -1 and a tid
  using Parts = std::map<Place, std::vector<Part>>;
  Parts AllParts() const;

  std::map<Place, ByteRanges> data_;
  uint64_t ranges_ = 0;  // in data_
  std::vector<Named> named_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_AUX_COVERAGE_H_
