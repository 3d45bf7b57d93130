// SPDX-License-Identifier: Apache-2.0

// Packets, records and samples of hardware traces.

#include <algorithm>
#include <vector>

#include "converter/hwtrace/call_stack.h"
#include "converter/hwtrace/pt_decoder.h"
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
    const uint16_t events = SpeSampleEvents(record, ItraceOptions());
    FuzzPromise(events > 0 && events >> kSpeSampleEvents == 0,
                "a record is a sample of known events");
    (void)SpeDataSource(record, SpeSourceEncoding::kArm);
    (void)SpeDataSource(record, SpeSourceEncoding::kAmpereOne);
  }
  FuzzPromise(
      decoder.offset() == bytes.size() && decoder.bad_bytes() <= bytes.size(),
      "all bytes are read");
}

namespace {

// Code at 0x401000.
class FuzzCode final : public TracedCode {
 public:
  explicit FuzzCode(FuzzInput bytes) : bytes_(bytes) {}
  size_t Read(uint64_t address, absl::Span<uint8_t> to) override {
    const uint64_t at = address - 0x401000;
    if (at >= bytes_.size()) return 0;
    const FuzzInput found = bytes_.subspan(at, to.size());
    std::copy(found.begin(), found.end(), to.begin());
    return found.size();
  }

 private:
  const FuzzInput bytes_;
};

}  // namespace

// A trace, and the code that it was made of.
void FuzzIntelPt(FuzzInput bytes) {
  if (!CanDecodeIntelPt()) return;
  const std::vector<FuzzInput> pieces = FuzzPieces(bytes);
  const FuzzInput trace = pieces[0];
  FuzzCode code(pieces.back());
  PtSettings settings;
  SetPtProcessor("GenuineIntel,6,78,3", &settings);
  settings.mtc_frequency = 3;
  settings.nominal_ratio = 12;
  settings.tsc_numerator = 100;
  settings.tsc_denominator = 2;
  PtDecoder decoder(trace, settings, code);
  PtStep step, last;
  CallStack calls;
  // A loop without conditions needs no trace.
  for (int i = 0; i < 100'000 && decoder.Next(&step); ++i) {
    FuzzPromise(decoder.offset() <= trace.size(),
                "a step lies within the trace");
    FuzzPromise(step.kind != PtStep::Kind::kInstruction || step.size > 0,
                "an instruction has a size");
    switch (step.kind) {
      case PtStep::Kind::kInstruction:
        if (last.branch != PtStep::Branch::kNone) {
          calls.OnBranch(last, step.ip);
        }
        calls.OnInstruction(step.ip);
        break;
      case PtStep::Kind::kInterrupt:
        calls.OnInterrupt(step.ip, step.to);
        break;
      case PtStep::Kind::kEnabled:
        calls.OnEnabled(step.ip);
        break;
      case PtStep::Kind::kDisabled:
        calls.OnDisabled(last, step.ip);
        break;
      default:
        break;
    }
    last = step;
    FuzzPromise(calls.frames().size() <= CallStack::kMaxDepth,
                "calls that are followed are limited");
  }
}

}  // namespace perf2x
