// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_PAYLOAD_READER_H_
#define PERF2X_PERF_STREAM_PAYLOAD_READER_H_

#include <cstdint>

#include "converter/base/block.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/framer.h"

namespace perf2x {

// Reads the payload of HEADER_TRACING_DATA and AUXTRACE records: the bytes that
// follow the record. Skips traces without a decoder (IsDecodedTrace), and
// tracing data of more than 32 MiB. Not thread-safe.
class PayloadReader {
 public:
  // Reads an AUXTRACE_INFO record. If its type is decoded, Read() keeps all
  // later traces. Before that, Read() skips traces.
  void ObserveInfo(const RawRecord& record);

  // Sizes of one payload, in bytes.
  struct Size {
    uint64_t stated = 0;  // as the record says
    uint64_t found = 0;   // read or skipped; less if the input ends before
  };
  // Reads or skips the payload of `*record`, a HEADER_TRACING_DATA or AUXTRACE
  // record. It must be the last record that `framer` read. Sets record->payload
  // unless the payload is skipped. May move the record's bytes and set body and
  // block again. record->block is then valid until the next call. Set `mapped`
  // if the framer's block is mapped: then traces are not copied.
  //
  // Returns the size of the payload. Tracing data in the body, as simpleperf
  // writes them, become the payload; both sizes are then 0.
  Size Read(Framer& framer, bool mapped, RawRecord* record);

 private:
  void ReadTrace(Framer& framer, bool mapped, Size* size, RawRecord* record);

  bool decodes_ = false;
  BlockRef block_;  // that the last record lies in
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_PAYLOAD_READER_H_
