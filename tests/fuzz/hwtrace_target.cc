// SPDX-License-Identifier: Apache-2.0

// Packets, records and samples of hardware traces.

#include "converter/hwtrace/spe_packet.h"
#include "converter/hwtrace/spe_record.h"
#include "converter/hwtrace/spe_samples.h"
#include "tests/fuzz/targets.h"

namespace perf2x {

void FuzzSpe(FuzzInput bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    const SpePacket packet = ReadSpePacket(bytes, at);
    FuzzPromise(packet.size > 0 && packet.size <= bytes.size() - at,
                "a packet lies within the trace");
    text.clear();
    AppendSpePacket(packet, &text);
    at += packet.size;
  }
  SpeDecoder decoder(bytes);
  SpeRecord record;
  size_t before = 0;
  while (decoder.Next(&record)) {
    FuzzPromise(decoder.offset() > before, "a record has bytes of its own");
    before = decoder.offset();
    int samples = 0;
    ForEachSpeSample(record, ItraceOptions(),
                     [&](SpeSampleEvent) { ++samples; });
    FuzzPromise(samples > 0 && samples <= kSpeSampleEvents,
                "a record is a sample of each event once");
    (void)SpeDataSource(record, SpeSourceEncoding::kArm);
    (void)SpeDataSource(record, SpeSourceEncoding::kAmpereOne);
  }
  FuzzPromise(
      decoder.offset() == bytes.size() && decoder.bad_bytes() <= bytes.size(),
      "all bytes are read");
}

}  // namespace perf2x
