// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_HARDWARE_TRACE_H_
#define PERF2X_TESTS_SUPPORT_HARDWARE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/perf_data_builder.h"

// Recordings with a hardware trace. All bytes are little-endian.

namespace perf2x {

// Appends the low `size` bytes of `value`.
void Append(uint64_t value, size_t size, ByteVector* to);
ByteVector Words(const std::vector<uint64_t>& words);

// Returns a recording of one event with the id 5, without records. Samples and
// trailers have a time, a thread, a CPU and the id.
Recording HardwareTraceRecording(const std::string& event);

// AUXTRACE_INFO: the type of the trace, and the words that describe it.
void AddTraceInfo(uint64_t type, const std::vector<uint64_t>& words,
                  Recording* to);
// The words for Intel PT: without snapshots, with all packets of times.
std::vector<uint64_t> IntelPtInfo();
// TIME_CONV: the time of `ticks` is zero + (ticks * mult >> shift).
void AddTimeConversion(uint64_t shift, uint64_t mult, uint64_t zero,
                       Recording* to);

// AUX.
struct AuxRange {
  uint64_t offset = 0, size = 0, flags = 0;
};
void AddAux(const AuxRange& range, const SampleId& id, Recording* to);

// AUXTRACE: bytes at an offset of the buffer of a CPU or, if that is -1, of a
// thread.
struct TraceBytes {
  ByteVector bytes;
  uint64_t offset = 0;
  int32_t cpu = 0, tid = -1;
};
void AddTrace(TraceBytes trace, Recording* to);
// Returns the bytes [begin, end) of a trace, or those up to its own end.
ByteVector PartOf(const ByteVector& trace, size_t begin,
                  size_t end = ~size_t{0});

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_HARDWARE_TRACE_H_
