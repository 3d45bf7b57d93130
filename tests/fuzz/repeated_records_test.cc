// SPDX-License-Identifier: Apache-2.0

// Recordings of a few kilobytes that decompress to 64 MB of one or two records
// over and over, and others whose output is a product of their counts: events
// times processes, fields times samples. Each is converted to every format, and
// shown by info and dump, within the bounds that SECURITY.md states.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"
#include "tests/support/hostile.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

constexpr size_t kRepeatedSize = 66'000'000;

constexpr uint64_t kUsual = kSampleIp | kSampleTid;
constexpr uint64_t kDefers = uint64_t{1} << 38;  // attr.defer_callchain

Recording PlainRecording(uint64_t sample_type = kUsual, size_t events = 1) {
  Recording recording;
  for (size_t i = 0; i < events; ++i) {
    Recording::Event event;
    event.attr.type = kTypeSoftware;
    event.attr.size = kAttrSizeVer0;
    event.attr.sample_period = 1000;
    event.attr.sample_type = sample_type;
    event.attr.flags = uint64_t{1} << 18;  // sample_id_all
    if ((sample_type & kSampleIdentifier) != 0) event.ids = {i + 1};
    recording.events.push_back(event);
  }
  return recording;
}

SampleId Trailer(int32_t pid = 7) {
  SampleId id;
  id.pid = id.tid = pid;
  return id;
}

SampleRecord Sample(uint64_t ip = 0x2000, int32_t pid = 7) {
  SampleRecord sample;
  sample.ip = ip;
  sample.pid = sample.tid = pid;
  return sample;
}

MmapRecord MapAt(uint64_t start, absl::string_view name) {
  return MmapOf(7, name, start, 0x2000);
}

CommRecord Comm(absl::string_view name) {
  CommRecord comm;
  comm.pid = comm.tid = 7;
  comm.comm = name;
  return comm;
}

KsymbolRecord Function() {
  KsymbolRecord function;
  function.addr = 0xffffffff81000000;
  function.len = 64;
  function.name = "x";
  return function;
}

// Adds a user record.
void AddRaw(uint32_t type, ByteVector body, Recording* to) {
  to->records.push_back({type, 0, std::move(body), {}, 0});
}

using AddRecords = std::function<void(Recording*)>;

ByteVector RecordsOf(const Recording& events, const AddRecords& add) {
  Recording recording;
  recording.events = events.events;
  const size_t head = AsPipe(recording).size();
  add(&recording);
  const ByteVector all = AsPipe(recording);
  return {all.begin() + static_cast<ptrdiff_t>(head), all.end()};
}

// Returns the recording with the records of `add`, repeated up to `size` bytes
// and compressed.
ByteVector Packed(Recording recording, const AddRecords& add,
                  size_t size = kRepeatedSize) {
  const ByteVector once = RecordsOf(recording, add);
  ByteVector all;
  all.reserve(size);
  while (all.size() + once.size() <= size) {
    all.insert(all.end(), once.begin(), once.end());
  }
  const ByteVector packed = Zstded(all);
  constexpr size_t kSlice = 60'000;
  for (size_t at = 0; at < packed.size(); at += kSlice) {
    const size_t end = std::min(at + kSlice, packed.size());
    AddRaw(kRecordCompressed,
           {packed.begin() + static_cast<ptrdiff_t>(at),
            packed.begin() + static_cast<ptrdiff_t>(end)},
           &recording);
  }
  return AsPipe(recording);
}

constexpr Bomb kRepeatedRecords[] = {
    {"Rounds",
     [] {
       return Packed(PlainRecording(),
                     [](Recording* r) { AddRaw(kRecordFinishedRound, {}, r); });
     }},
    {"UnknownRecords",
     [] {
       return Packed(PlainRecording(),
                     [](Recording* r) { AddRaw(50, ByteVector(8), r); });
     }},
    {"Attrs",
     [] {
       return Packed(PlainRecording(), [](Recording* r) {
         const ByteVector pipe = AsPipe(PlainRecording());
         constexpr size_t kHead = 16 + 8;
         AddRaw(kRecordHeaderAttr, {pipe.begin() + kHead, pipe.end()}, r);
       });
     }},
    {"AttrsOfOneName", [] { return AsPipe(PlainRecording(kUsual, 13'000)); }},
    {"Functions",
     [] {
       return Packed(PlainRecording(),
                     [](Recording* r) { r->Add(Function(), Trailer()); });
     }},
    {"FunctionsAndSamples",
     [] {
       return Packed(PlainRecording(), [](Recording* r) {
         r->Add(Function(), Trailer());
         r->Add(Sample());
       });
     }},
    {"MapsAndSamples",
     [] {
       return Packed(PlainRecording(), [](Recording* r) {
         r->Add(MapAt(0x1000, "/a"), Trailer());
         r->Add(MapAt(0x2000, "/b"), Trailer());
         r->Add(Sample());
       });
     }},
    {"Names",
     [] {
       // A size that compresses to less than 1 MB; other records compress
       // better.
       return Packed(
           PlainRecording(),
           [](Recording* r) {
             r->Add(Comm("a"), Trailer());
             r->Add(Comm("b"), Trailer());
           },
           16'000'000);
     }},
    {"Execs",
     [] {
       return Packed(PlainRecording(), [](Recording* r) {
         r->Add(Comm("a"), Trailer(), kMiscCommExec);
         r->Add(MapAt(0x1000, "//anon"), Trailer());
         r->Add(Sample());
       });
     }},
    {"BuildIds",
     [] {
       return Packed(PlainRecording(), [](Recording* r) {
         ByteVector body(36);
         body[0] = body[1] = body[2] = body[3] = 0xff;
         body[24] = 20;
         for (const char c : {'/', 'x', '\0', '\0', '\0', '\0', '\0', '\0'}) {
           body.push_back(static_cast<uint8_t>(c));
         }
         AddRaw(kRecordHeaderBuildId, body, r);
       });
     }},
    {"Samples",
     [] {
       return Packed(PlainRecording(), [](Recording* r) { r->Add(Sample()); });
     }},
    {"SamplesOfALongPath",
     [] {
       Recording recording = PlainRecording();
       std::string path;
       for (int i = 0; i < 19; ++i) {
         absl::StrAppend(&path, "/", std::string(200, 'y'));
       }
       recording.Add(MapAt(0x1000, path), Trailer());
       return Packed(std::move(recording),
                     [](Recording* r) { r->Add(Sample()); });
     }},
    // One callchain that many samples wait for.
    {"DeferredCallchain",
     [] {
       Recording recording = PlainRecording(kSampleTid | kSampleCallchain);
       recording.events[0].attr.flags |= kDefers;
       return Packed(
           std::move(recording),
           [](Recording* r) {
             const uint64_t words[] = {kContextUserDeferred, 99};
             for (int i = 0; i < 23'000; ++i) {
               SampleRecord sample = Sample();
               sample.nr = 2;
               sample.ips = {reinterpret_cast<const uint8_t*>(words), 2,
                             kHostOrder};
               r->Add(sample);
             }
             ByteVector chain(16 + 8000 * 8);
             const uint64_t head[] = {99, 8000, kContextUser};
             std::memcpy(chain.data(), head, sizeof(head));
             for (uint64_t i = 1; i < 8000; ++i) {
               const uint64_t ip = 0x1000 + i;
               std::memcpy(&chain[16 + 8 * i], &ip, 8);
             }
             chain.resize(chain.size() + 8);
             std::memset(&chain[chain.size() - 8], 0, 8);
             chain[chain.size() - 8] = chain[chain.size() - 4] = 7;
             AddRaw(kRecordCallchainDeferred, chain, r);
           },
           8'000'000);
     }},
    // Many callchains, for none of which a sample waits, while others do.
    {"DeferredCallchains",
     [] {
       Recording recording = PlainRecording(kSampleTid | kSampleCallchain);
       recording.events[0].attr.flags |= kDefers;
       const uint64_t words[] = {kContextUserDeferred, 99};
       for (int i = 0; i < 12'000; ++i) {
         SampleRecord sample = Sample();
         sample.nr = 2;
         sample.ips = {reinterpret_cast<const uint8_t*>(words), 2, kHostOrder};
         recording.Add(sample);
       }
       return Packed(std::move(recording), [](Recording* r) {
         ByteVector chain(24);
         chain[0] = 1;
         chain[16] = chain[20] = 7;
         AddRaw(kRecordCallchainDeferred, chain, r);
       });
     }},
    {"ThrottledOnManyCpus",
     [] {
       Recording recording = PlainRecording(kUsual | kSampleTime | kSampleCpu);
       for (uint32_t i = 0; i < 17'000; ++i) {
         ThrottleRecord throttle;
         SampleId id = Trailer();
         id.time = throttle.time = 1 + i;
         id.cpu = i;
         recording.Add(throttle, id);
       }
       return AsPipe(recording);
     }},
    {"EventsByProcesses",
     [] {
       Recording recording = PlainRecording(kUsual, 4500);
       for (int32_t i = 10; i < 12'000; ++i) {
         ForkRecord fork;
         fork.pid = fork.tid = i;
         fork.ppid = fork.ptid = 1;
         recording.Add(fork, Trailer(i));
       }
       return AsPipe(recording);
     }},
    {"EventsBySamples",
     [] {
       Recording recording = PlainRecording(kUsual | kSampleIdentifier, 8000);
       for (uint64_t i = 1; i <= 8000; ++i) {
         SampleRecord sample = Sample(0x1000 + i);
         sample.id = i;
         recording.Add(sample);
       }
       return AsPipe(recording);
     }},
    // One event's ids are a single cell of a table that has a row for each
    // event.
    {"WideCell",
     [] {
       Recording recording = PlainRecording(kUsual, 8000);
       for (uint64_t i = 0; i < 8000; ++i) {
         recording.events[0].ids.push_back(~i);
       }
       return AsPipe(recording);
     }},
    {"LongRecord",
     [] {
       ByteVector body(16'000'000);
       ByteVector head(8);
       constexpr uint32_t kType = 40'000;
       std::memcpy(head.data(), &kType, 4);
       // simpleperf's records have 32 bits for their size: 66 MB.
       head[4] = 0xef, head[5] = 0x03, head[6] = 0x80, head[7] = 0x15;
       body.insert(body.begin(), head.begin(), head.end());
       body.resize(kRepeatedSize + 1000);
       Recording recording = PlainRecording();
       AddRaw(kRecordCompressed, Zstded(body), &recording);
       return AsPipe(recording);
     }},
    // A record header at every 8 bytes: each starts a chain of records that
    // ends some bytes before the end.
    {"ChainsOfHeaders",
     [] {
       constexpr size_t kSize = 900'000;
       ByteVector body(8);
       const uint64_t size = kSize + 5;
       std::memcpy(body.data(), &size, 8);
       for (size_t i = 0; i < kSize; i += 8) {
         const uint8_t header[] = {kRecordCompressed2, 0, 0, 0, 0, 0, 16, 0};
         body.insert(body.end(), header, header + 8);
       }
       body.resize(body.size() + 5, 0xff);
       ByteVector pipe = AsPipe(PlainRecording());
       const uint8_t header[] = {kRecordCompressed2, 0, 0, 0, 0, 0, 16, 0};
       pipe.insert(pipe.end(), header, header + 8);
       pipe.insert(pipe.end(), body.begin(), body.end());
       return pipe;
     }},
};

class RepeatedRecordsTest : public testing::TestWithParam<Bomb> {};

TEST_P(RepeatedRecordsTest, StayWithinTheBounds) {
  const ByteVector bomb = GetParam().make();
  ASSERT_LE(bomb.size(), kBoundedInput);
  // The walk looks at every frame of every sample, in minutes under sanitizers.
  const char* const first = Sanitized() ? "pprof" : "walk";
  Outcome outcome = ConvertHostile(MemoryInput(bomb), first, 2);
  outcome.seconds = 0;  // of a walk, mostly the test's
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  ExpectWithinBounds(outcome, first);
  if (Sanitized()) return;
  for (const std::string& way : EveryWay()) {
    outcome = TakeHostile(MemoryInput(bomb), way, 2);
    EXPECT_TRUE(FindEmitter(way) == nullptr || outcome.BytesAddUp());
    EXPECT_TRUE(outcome.status.ok()) << way << ": " << outcome.status;
    ExpectWithinBounds(outcome, way);
  }
}

INSTANTIATE_TEST_SUITE_P(Bombs, RepeatedRecordsTest,
                         testing::ValuesIn(kRepeatedRecords),
                         [](const auto& test) { return test.param.name; });

// Samples that wait for their rows are written before reading has used up what
// all may cost.
TEST(BudgetBombTest, SamplesOfOneLongStackAreOnRows) {
  const auto* const bomb = std::find_if(
      std::begin(kRepeatedRecords), std::end(kRepeatedRecords),
      [](const Bomb& b) { return std::string(b.name) == "DeferredCallchain"; });
  ASSERT_NE(bomb, std::end(kRepeatedRecords));
  const Outcome outcome =
      ConvertHostile(MemoryInput(bomb->make()), "chrome", 2);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_GT(outcome.output_bytes, 500'000u) << outcome.Complaints();
}

// Skipped records are counted, and all records before them are in the output.
TEST(BudgetBombTest, LeavesOutWhatIsTooMuchAndSaysSo) {
  const ByteVector bomb = Packed(PlainRecording(), [](Recording* r) {
    r->Add(Comm("a"), Trailer(), kMiscCommExec);
    r->Add(MapAt(0x1000, "//anon"), Trailer());
    r->Add(Sample());
  });
  const Outcome outcome = ConvertHostile(MemoryInput(bomb), "folded");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_GT(outcome.samples, 10'000u);
  uint64_t skipped = 0;
  for (const auto& [what, entry] : outcome.report.diagnostics.entries()) {
    if (what.find("record left out: the memory") == 0) skipped = entry.count;
  }
  EXPECT_GT(skipped, 100'000u) << outcome.Complaints();
  EXPECT_TRUE(outcome.report.diagnostics.lossy());
  // The same again, to the byte: no decision depends on a clock or a seed.
  const Outcome again = ConvertHostile(MemoryInput(bomb), "folded");
  EXPECT_EQ(again.samples, outcome.samples);
  EXPECT_EQ(again.output_bytes, outcome.output_bytes);
}

}  // namespace
}  // namespace perf2x
