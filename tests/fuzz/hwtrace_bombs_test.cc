// SPDX-License-Identifier: Apache-2.0

// Recordings of at most 1 MB that decompress to 58 MB of hardware trace. Each
// record of Arm SPE is a sample of up to eleven events, and each buffer may be
// of a CPU of its own. Packets of Intel PT and CoreSight that say that nothing
// ran are no samples, but cost time and memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "converter/hwtrace/etm_info.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"
#include "tests/support/etm_writer.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/hostile.h"

namespace perf2x {
namespace {

// With a sanitizer, which takes minutes for the whole, a part shows its faults.
size_t TraceSize() { return Sanitized() ? 3'000'000 : 58'000'000; }

// What a record of the trace has besides its PC and all of SPE's events.
struct Contents {
  bool time = false, branches = false, context = false;
};

// A packet with an address. The two highest bytes of one of code are its
// exception level: 0.
void Address(uint8_t header, uint64_t address, ByteVector* to) {
  to->push_back(header);
  Append(address, 8, to);
}

// Appends the i-th record.
void AppendRecord(const Contents& contents, uint64_t i, ByteVector* to) {
  Address(0xb0, 0x400000 + 4 * i, to);
  if (contents.branches) {
    to->insert(to->end(), {0x4a, 0x01});  // a branch
    Address(0xb1, 0x500000 + 4 * i, to);  // its target
    Address(0xb4, 0x600000 + 4 * i, to);  // that of the one before
  } else {
    to->insert(to->end(), {0x49, 0x00});  // a load
  }
  to->insert(to->end(), {0x52, 0xff, 0xff});  // events
  if (contents.context) {
    to->push_back(0x65);
    Append(100 + i, 4, to);
  }
  if (contents.time) {
    to->push_back(0x71);
    Append(i, 8, to);
  } else {
    to->push_back(0x01);
  }
}

void AddPadded(TraceBytes trace, Recording* to) {
  trace.bytes.resize((trace.bytes.size() + 7) / 8 * 8);
  AddTrace(std::move(trace), to);
}

Recording SpeRecording(bool has_times) {
  Recording recording = NewRecording(kUsualFields);
  AddTraceInfo(kAuxtraceArmSpe, {8, 1}, &recording);
  if (has_times) AddTimeConversion(0, 1, 0, &recording);
  recording.Add(Map(1, 0x400000, 0x300000, "/bin/prog"), At(1));
  return recording;
}

// One buffer of records; after `distinct` of them, the first comes again.
ByteVector Records(const Contents& contents, uint64_t distinct) {
  ByteVector once, all;
  for (uint64_t i = 0; i < distinct; ++i) AppendRecord(contents, i, &once);
  while (all.size() + once.size() <= TraceSize()) {
    all.insert(all.end(), once.begin(), once.end());
  }
  Recording recording = SpeRecording(contents.time);
  AddPadded({.bytes = std::move(all)}, &recording);
  return Gzipped(AsFile(recording));
}

// A buffer of one record for each CPU.
ByteVector Buffers(uint32_t count, uint32_t step) {
  Recording recording = SpeRecording(/*has_times=*/false);
  ByteVector record;
  AppendRecord({}, 0, &record);
  for (uint32_t i = 0; i < count; ++i) {
    AddPadded({.bytes = record, .cpu = static_cast<int32_t>(step * i)},
              &recording);
  }
  return Gzipped(AsFile(recording));
}

// A long CPUID, which is needed for each buffer.
ByteVector LongCpuId() {
  Recording recording = SpeRecording(/*has_times=*/false);
  ByteVector record;
  AppendRecord({}, 0, &record);
  for (uint64_t i = 0; i < 100'000; ++i) {
    AddPadded({.bytes = record, .offset = 16 * i}, &recording);
  }
  constexpr size_t kSize = 60'000;
  ByteVector id;
  Append(kSize, 4, &id);
  id.resize(id.size() + kSize - 1, '0');
  id.push_back(0);
  recording.features.push_back({kFeatureCpuId, id});
  return Gzipped(AsFile(recording));
}

ByteVector TraceOf(const ByteVector& first, const ByteVector& again) {
  ByteVector all = first;
  while (all.size() + again.size() <= TraceSize()) {
    all.insert(all.end(), again.begin(), again.end());
  }
  return all;
}

Recording PtRecording() {
  Recording recording = NewRecording(kUsualFields);
  AddTraceInfo(kAuxtraceIntelPt, IntelPtInfo(), &recording);
  return recording;
}

// A PSB packet, with a time (TSC) and a mode (MODE.Exec), and its PSBEND.
ByteVector Psb() {
  ByteVector psb;
  for (int i = 0; i < 8; ++i) psb.insert(psb.end(), {0x02, 0x82});
  psb.insert(psb.end(), {0x19, 0xe8, 0x03, 0, 0, 0, 0, 0, 0x99, 0x01});
  psb.insert(psb.end(), {0x02, 0x23});
  return psb;
}

// Nothing but overflows.
ByteVector PtOverflows() {
  Recording recording = PtRecording();
  AddPadded({.bytes = TraceOf(Psb(), {0x02, 0xf3})}, &recording);
  return Gzipped(AsFile(recording));
}

// Buffers of a few packets that continue one without another PSB, so that it is
// decoded again with each.
ByteVector PtTails() {
  Recording recording = PtRecording();
  ByteVector trace = Psb();
  trace.resize(70 << 10, 0x03);  // CYC packets
  const uint64_t size = trace.size();
  AddPadded({.bytes = std::move(trace)}, &recording);
  for (uint64_t i = 0; i < 7400; ++i) {
    AddTrace({.bytes = ByteVector(8, 0x03), .offset = size + 8 * i},
             &recording);
  }
  return Gzipped(AsFile(recording));
}

// The same, but for the PSBEND packet: the flow never begins.
ByteVector PtTailsWithoutPsbEnd() {
  Recording recording = PtRecording();
  ByteVector trace = Psb();
  trace.resize(16);
  trace.resize(60 << 10, 0x03);  // CYC packets
  const uint64_t size = trace.size();
  AddPadded({.bytes = std::move(trace)}, &recording);
  for (uint64_t i = 0; i < 8000; ++i) {
    AddTrace({.bytes = ByteVector(8, 0x03), .offset = size + 8 * i},
             &recording);
  }
  return Gzipped(AsFile(recording));
}

// A flow begins every two bytes, in vain.
ByteVector PtPsbs() {
  Recording recording = PtRecording();
  AddPadded({.bytes = TraceOf({}, {0x02, 0x82})}, &recording);
  return Gzipped(AsFile(recording));
}

// Snapshots that could overlap at each of their packets.
ByteVector PtSnapshots() {
  Recording recording = PtRecording();
  recording.records.back().body[8 * 9] = 1;
  ByteVector trace;
  while (trace.size() < TraceSize() / 4) {
    trace.insert(trace.end(), {0x02, 0x82});
  }
  for (int i = 0; i < 4; ++i) {
    trace[trace.size() - 10] = static_cast<uint8_t>(i);
    AddPadded({.bytes = trace}, &recording);
  }
  return Gzipped(AsFile(recording));
}

Recording EtmRecording(uint8_t sources) {
  Recording recording = NewRecording(kUsualFields | kSampleCpu);
  std::vector<EtmSource> all;
  for (uint8_t i = 0; i < sources; ++i) {
    all.push_back(EtmWriter::Source(i, static_cast<uint8_t>(i + 1)));
  }
  AddTraceInfo(kAuxtraceCsEtm, EtmInfoWords(all), &recording);
  return recording;
}

// Events without end, and nothing that ran.
ByteVector EtmEvents() {
  Recording recording = EtmRecording(1);
  EtmWriter begin;
  begin.Sync().TraceOn();
  const ByteVector trace = TraceOf(begin.bytes(), {0x71});
  constexpr uint64_t kRaw = 0x100;
  AddAux({.size = trace.size(), .flags = kRaw}, At(10), &recording);
  AddPadded({.bytes = trace}, &recording);
  return Gzipped(AsFile(recording));
}

// As many events as may come before something that ran, over and over.
ByteVector EtmEventsAndAtoms() {
  Recording recording = EtmRecording(1);
  EtmWriter begin;
  begin.Sync().TraceOn().Context(0x400000, 1);
  ByteVector again(4001, 0x71);
  again.back() = 0xf7;
  const ByteVector trace = TraceOf(begin.bytes(), again);
  constexpr uint64_t kRaw = 0x100;
  AddAux({.size = trace.size(), .flags = kRaw}, At(10), &recording);
  AddPadded({.bytes = trace}, &recording);
  return Gzipped(AsFile(recording));
}

// Frames of wrong packets, of one of 110 sources.
ByteVector EtmWrongFrames() {
  Recording recording = EtmRecording(110);
  EtmWriter wrong;
  for (int i = 0; i < 11; ++i) wrong.Byte(0);
  for (const uint8_t byte : {0x80, 0x08, 0x08}) wrong.Byte(byte);
  const ByteVector trace = TraceOf({}, wrong.Frames(1));
  AddAux({.size = trace.size()}, At(10), &recording);
  AddPadded({.bytes = trace}, &recording);
  return Gzipped(AsFile(recording));
}

// Frames that go on with another of 110 sources every two bytes, none of which
// has a synchronization packet. A dozen AUX records name them.
ByteVector EtmUnsynchronized() {
  Recording recording = EtmRecording(110);
  ByteVector frame(16);
  for (size_t i = 0; i < 8; ++i) {
    frame[2 * i] = static_cast<uint8_t>(i < 7 ? (i + 1) << 1 | 1 : 0);
  }
  const ByteVector trace = TraceOf({}, frame);
  for (int i = 0; i < 12; ++i) {
    AddAux({.size = trace.size() - 16}, At(10), &recording);
  }
  AddPadded({.bytes = trace}, &recording);
  return Gzipped(AsFile(recording));
}

// One of 110 sources has another id before each AUX record.
ByteVector EtmIds() {
  Recording recording = EtmRecording(110);
  AddPadded({.bytes = ByteVector(16)}, &recording);
  for (uint64_t i = 0; i < 98'000; ++i) {
    AuxOutputHwIdRecord id;
    id.hw_id = 110 + i % 2;
    recording.Add(id, At(10));
    AddAux({.size = 16}, At(10), &recording);
  }
  return Gzipped(AsFile(recording));
}

constexpr Bomb kTraceBombs[] = {
    {"Untimed", [] { return Records({}, 1500); }},
    {"Timed", [] { return Records({.time = true}, 1000); }},
    {"TimedBranches",
     [] { return Records({.time = true, .branches = true}, 500); }},
    {"Threads", [] { return Records({.time = true, .context = true}, 800); }},
    {"BuffersOfCpus", [] { return Buffers(400'000, 1); }},
    {"BuffersOfACpu", [] { return Buffers(800'000, 0); }},
    {"PtOverflows", PtOverflows},
    {"PtTails", PtTails},
    {"PtTailsWithoutPsbEnd", PtTailsWithoutPsbEnd},
    {"PtPsbs", PtPsbs},
    {"PtSnapshots", PtSnapshots},
    {"EtmEvents", EtmEvents},
    {"EtmEventsAndAtoms", EtmEventsAndAtoms},
    {"EtmWrongFrames", EtmWrongFrames},
    {"EtmIds", EtmIds},
    {"EtmUnsynchronized", EtmUnsynchronized},
    {"LongCpuId", LongCpuId},
};

class HardwareTraceBombTest : public testing::TestWithParam<Bomb> {};

TEST_P(HardwareTraceBombTest, StaysWithinTheBounds) {
  // Most of the time goes to the decoder, which is the same for all formats.
  // For the others, scripts/check-bounds takes what PERF2X_KEEP_BOMBS keeps.
  ExpectWithinBounds(GetParam(), {"pprof", "csv", "chrome", "html"});
}

INSTANTIATE_TEST_SUITE_P(Bombs, HardwareTraceBombTest,
                         testing::ValuesIn(kTraceBombs),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace perf2x
