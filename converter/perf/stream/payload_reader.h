// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_PAYLOAD_READER_H_
#define PERF2X_PERF_STREAM_PAYLOAD_READER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/framer.h"

namespace perf2x {

// Reads the bytes that follow HEADER_TRACING_DATA and AUXTRACE records. Traces
// that are not decoded are skipped, and so is tracing data of more than 32 MiB.
// Not thread-safe.
class PayloadReader {
 public:
  // Learns from an AUXTRACE_INFO record whether traces are decoded.
  void ObserveInfo(const RawRecord& record);

  struct Size {
    uint64_t wanted = 0;  // as the record says
    uint64_t got = 0;     // read or skipped; less if the input ends before
  };
  // Sets the payload of `*record`, the last one of `framer`; also its body and
  // block, which may move. They are valid until the next call or, if `mapped`
  // is set, as long as the framer's block.
  Size Read(Framer& framer, bool mapped, RawRecord* record);

 private:
  void ReadTrace(Framer& framer, bool mapped, Size* size, RawRecord* record);

  bool decodes_ = false;
  BlockRef block_;  // that the last record lies in
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_PAYLOAD_READER_H_
