// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SIMPLEPERF_RECORDS_H_
#define PERF2X_PERF_RECORDS_SIMPLEPERF_RECORDS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/perf/records/wire.h"

// The records that simpleperf, Android's recorder, writes besides the kernel's
// (simpleperf/record.h). They are framed (framer.h), named and counted, but not
// decoded, because mappings, samples and the FILE feature repeat what outputs
// need. Not repeated are tracepoint formats (TRACING_DATA) and event ids that
// are added while recording (EVENT_ID).

namespace perf2x {

struct SimpleperfFields {
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Rest("data", r.data);
  }
};

struct SimpleperfKernelSymbolRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 1;
  static constexpr char kName[] = "SIMPLEPERF_KERNEL_SYMBOL";
};
struct SimpleperfDsoRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 2;
  static constexpr char kName[] = "SIMPLEPERF_DSO";
};
struct SimpleperfSymbolRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 3;
  static constexpr char kName[] = "SIMPLEPERF_SYMBOL";
};
struct SimpleperfSplitRecord : SimpleperfFields {  // a slice of a long record
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 4;
  static constexpr char kName[] = "SIMPLEPERF_SPLIT";
};
struct SimpleperfSplitEndRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 5;
  static constexpr char kName[] = "SIMPLEPERF_SPLIT_END";
};
struct SimpleperfEventIdRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 6;
  static constexpr char kName[] = "SIMPLEPERF_EVENT_ID";
};
struct SimpleperfCallchainRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 7;
  static constexpr char kName[] = "SIMPLEPERF_CALLCHAIN";
};
struct SimpleperfUnwindingResultRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 8;
  static constexpr char kName[] = "SIMPLEPERF_UNWINDING_RESULT";
};
struct SimpleperfTracingDataRecord : SimpleperfFields {
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 9;
  static constexpr char kName[] = "SIMPLEPERF_TRACING_DATA";
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SIMPLEPERF_RECORDS_H_
