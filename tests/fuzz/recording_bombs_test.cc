// SPDX-License-Identifier: Apache-2.0

// Recordings of at most 1 MB that would take much time, memory or output. Each
// is converted to every format within the bounds that SECURITY.md states.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/perf/header/file_header.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

// Every event says that its ids are the whole file.
ByteVector EventsThatShareIds() {
  ByteVector file = AsFile(NewRecording(kUsualFields, 6000));
  uint64_t attrs_at, attrs_size, stride;
  std::memcpy(&stride, &file[16], 8);
  std::memcpy(&attrs_at, &file[24], 8);
  std::memcpy(&attrs_size, &file[32], 8);
  file.resize(kBoundedInput);
  const uint64_t size = file.size();
  for (uint64_t at = attrs_at; at + stride <= attrs_at + attrs_size;
       at += stride) {
    std::memset(&file[at + stride - 16], 0, 8);
    std::memcpy(&file[at + stride - 8], &size, 8);
  }
  return file;
}

// All features that there can be, each of the whole file.
ByteVector FeaturesThatShareBytes() {
  Recording recording = NewRecording(kUsualFields);
  recording.Add(SampleAt(1));
  ByteVector file = AsFile(recording);
  uint64_t data_at, data_size;
  std::memcpy(&data_at, &file[40], 8);
  std::memcpy(&data_size, &file[48], 8);
  std::memset(&file[72], 0xff, 32);
  file.resize(kBoundedInput);
  const uint64_t size = file.size() - 8;
  for (int i = 0; i < 256; ++i) {
    const uint64_t at = data_at + data_size + 16 * i;
    std::memset(&file[at], 0, 8);
    std::memcpy(&file[at + 8], &size, 8);
  }
  return file;
}

// The header claims a million events.
ByteVector MillionsOfEvents() {
  Recording recording = NewRecording(kUsualFields);
  recording.Add(SampleAt(1));
  ByteVector file = AsFile(recording);
  uint64_t stride;
  std::memcpy(&stride, &file[16], 8);
  const uint64_t claimed = stride * 1'000'000;
  std::memcpy(&file[32], &claimed, 8);
  return file;
}

// As many events as fit, each with a sample.
ByteVector ManyEvents() {
  Recording recording = NewRecording(kUsualFields, 4500);
  for (uint64_t i = 1; i <= 4500; ++i) {
    SampleRecord sample = SampleAt(i);
    sample.id = i;
    recording.Add(sample);
  }
  return AsFile(recording);
}

// EVENT_UPDATE records for events, between samples.
ByteVector EventUpdates() {
  Recording recording = NewRecording(kUsualFields, 3000);
  return AsPipe(Fill(std::move(recording), [](Recording& r, uint32_t i) {
    Recording::Record update;
    update.type = kRecordEventUpdate;
    update.body.resize(32);
    update.body[0] = 2;  // name
    const uint64_t id = i % 3000 + 1;
    std::memcpy(&update.body[8], &id, 8);
    std::memcpy(&update.body[16], &i, 4);
    update.body[20] = 'x';
    r.records.push_back(update);
    SampleRecord sample = SampleAt(i);
    sample.id = id;
    r.Add(sample);
  }));
}

// All events but the first are described after a sample of the first event, and
// a sample of the last event comes at the end.
ByteVector LateEvents(size_t events) {
  Recording recording = NewRecording(kUsualFields, 1);
  const size_t head = AsPipe(recording).size();
  recording.Add(SampleAt(1));
  const ByteVector described = AsPipe(NewRecording(kUsualFields, events));
  // Each event has the same size, after the pipe's header.
  const size_t size = head - kPipeHeaderSize;
  for (size_t i = 1; i < events; ++i) {
    const auto at = described.begin() +
                    static_cast<ptrdiff_t>(kPipeHeaderSize + i * size + 8);
    recording.records.push_back({kRecordHeaderAttr,
                                 0,
                                 {at, at + static_cast<ptrdiff_t>(size - 8)},
                                 {},
                                 0});
  }
  SampleRecord sample = SampleAt(2);
  sample.id = events;
  sample.period = 0x4141414141414141;
  recording.Add(sample);
  return AsPipe(recording);
}
ByteVector LateEvent() { return LateEvents(2); }
ByteVector ManyLateEvents() { return LateEvents(4500); }

// Names of PMUs, over and over.
ByteVector PmuMappings() {
  Recording recording = NewRecording(kUsualFields, 3000);
  return AsPipe(Fill(std::move(recording), [](Recording& r, uint32_t i) {
    Recording::Record feature;
    feature.type = kRecordHeaderFeature;
    feature.body.resize(32);
    feature.body[0] = kFeaturePmuMappings;
    feature.body[8] = 1;   // number of PMUs
    feature.body[16] = 8;  // bytes of its name
    std::memcpy(&feature.body[20], &i, 4);
    feature.body[20] |= 1;
    r.records.push_back(feature);
  }));
}

ByteVector CallchainsWithoutEnd() {
  return AsPipe(Fill(NewRecording(kUsualFields | kSampleCallchain),
                     [](Recording& r, uint32_t i) {
                       r.Add(SampleAt(i));
                       // The count is the last word of these samples.
                       ByteVector& body = r.records.back().body;
                       std::memset(&body[body.size() - 8], 0xff, 8);
                     }));
}

// Callchains as long as a record allows, in which no address occurs twice.
ByteVector LongCallchains() {
  std::vector<uint64_t> words(8000);
  return AsPipe(Fill(NewRecording(kUsualFields | kSampleCallchain),
                     [&](Recording& r, uint32_t i) {
                       words[0] = kContextUser;
                       for (size_t w = 1; w < words.size(); ++w) {
                         words[w] = (uint64_t{i} << 32) + w * 16;
                       }
                       SampleRecord sample = SampleAt(i * 1000);
                       sample.nr = words.size();
                       sample.ips = SpanOf(words);
                       r.Add(sample);
                     }));
}

// The same callchains in a DSO whose name is as long as a record.
ByteVector LongNames() {
  static const std::string name = "/" + std::string(60'000, 'x');
  std::vector<uint64_t> words(8000);
  Recording recording = NewRecording(kUsualFields | kSampleCallchain);
  CommRecord comm;
  comm.pid = comm.tid = 1;
  comm.comm = name;
  recording.Add(comm, At(1));
  recording.Add(Map(1, 0x1000, uint64_t{1} << 62, name), At(2));
  return AsPipe(Fill(std::move(recording), [&](Recording& r, uint32_t i) {
    words[0] = kContextUser;
    for (size_t w = 1; w < words.size(); ++w) {
      words[w] = (uint64_t{i} << 32) + w * 16;
    }
    SampleRecord sample = SampleAt(10 + i * 1000);
    sample.nr = i % 10 == 0 ? words.size() - 50 : 2;
    sample.ips = {reinterpret_cast<const uint8_t*>(words.data()), sample.nr,
                  kHostOrder};
    r.Add(sample);
  }));
}

// An event whose name is most of the file.
ByteVector LongEventName() {
  Recording recording = NewRecording(kUsualFields);
  std::string name(500'000, 'e');
  ByteVector desc;
  auto u32 = [&](uint32_t v) {
    for (int i = 0; i < 4; ++i) desc.push_back(uint8_t(v >> (8 * i)));
  };
  u32(1);
  u32(136);
  const ByteVector attr =
      EncodeAttr(recording.events[0].attr, ByteOrder::kLittle);
  desc.insert(desc.end(), attr.begin(), attr.end());
  u32(1);
  u32(static_cast<uint32_t>(name.size()));
  desc.insert(desc.end(), name.begin(), name.end());
  u32(1);
  u32(0);
  recording.features.push_back({kFeatureEventDesc, desc});
  for (uint32_t i = 0; i < 8000; ++i) recording.Add(SampleAt(i * 1000 + 1));
  return AsFile(recording);
}

// Processes with long names, sampled in turn over and over.
ByteVector LongProcessNames() {
  static const std::string name(10'000, 'p');
  Recording recording = NewRecording(kUsualFields);
  for (int32_t pid = 1; pid < 50; ++pid) {
    CommRecord comm;
    comm.pid = comm.tid = pid;
    comm.comm = name;
    recording.Add(comm, At(1, pid));
  }
  return AsPipe(Fill(std::move(recording), [](Recording& r, uint32_t i) {
    r.Add(SampleAt(10 + i, static_cast<int32_t>(i % 50)));
  }));
}

ByteVector StringsWithoutEnd() {
  return AsPipe(Fill(NewRecording(kUsualFields), [](Recording& r, uint32_t i) {
    CommRecord comm;
    comm.pid = comm.tid = static_cast<int32_t>(i);
    static const std::string name(6000, 'c');
    comm.comm = name;
    r.Add(comm, At(i));
    // The name has no NUL up to the end of the record, and no trailer follows.
    ByteVector& body = r.records.back().body;
    std::fill(body.begin() + 8, body.end(), 'c');
    r.Add(Map(static_cast<int32_t>(i), 0x1000, 0x1000, "/m"), At(i));
    ByteVector& map = r.records.back().body;
    std::fill(map.begin() + 64, map.end(), 'm');
  }));
}

ByteVector MappingsOfEverything() {
  return AsPipe(Fill(NewRecording(kUsualFields), [](Recording& r, uint32_t i) {
    r.Add(Map(1, 0, ~uint64_t{0}, absl::StrCat("/lib", i)), At(2 * i));
    r.Add(SampleAt(2 * i + 1, 1, i));
  }));
}

// Small mappings that cut large ones into ever more pieces.
ByteVector MappingsInPieces() {
  return AsPipe(Fill(NewRecording(kUsualFields), [](Recording& r, uint32_t i) {
    if (i == 1) r.Add(Map(1, 0, uint64_t{1} << 60, "/whole"), At(1));
    r.Add(Map(1, uint64_t{i} << 20, 4096, "/piece"), At(2 * i));
    r.Add(SampleAt(2 * i + 1, 1, (uint64_t{i} << 20) + 1));
  }));
}

ByteVector ForkStorm() {
  return AsPipe(Fill(NewRecording(kUsualFields), [](Recording& r, uint32_t i) {
    ForkRecord fork;
    fork.pid = fork.tid = static_cast<int32_t>(i + 1);
    fork.ppid = fork.ptid = static_cast<int32_t>(i);
    fork.time = i;
    r.Add(fork, At(i));
  }));
}

// A process with many mappings, and children that each change theirs.
ByteVector ForksWithMappings() {
  Recording recording = NewRecording(kUsualFields);
  for (uint64_t i = 1; i < 4000; ++i) {
    recording.Add(Map(1, i << 20, 4096, absl::StrCat("/", i)), At(i));
  }
  return AsPipe(Fill(std::move(recording), [](Recording& r, uint32_t i) {
    const auto pid = static_cast<int32_t>(i + 1);
    ForkRecord fork;
    fork.pid = fork.tid = pid;
    fork.ppid = fork.ptid = 1;
    fork.time = 4500 + 3 * i;
    r.Add(fork, At(fork.time));
    r.Add(Map(pid, 0x1000, 0x1000, "/own"), At(fork.time + 1, pid));
    r.Add(SampleAt(fork.time + 2, pid, 0x1100));
  }));
}

ByteVector ThreadsWithoutEnd() {
  return AsPipe(Fill(NewRecording(kUsualFields), [](Recording& r, uint32_t i) {
    r.Add(SampleAt(i, static_cast<int32_t>(i)));
  }));
}

// The smallest samples that there are.
ByteVector SmallSamples() {
  Recording recording = NewRecording(kSampleIp);
  recording.events[0].attr.sample_type = kSampleIp;
  return AsPipe(Fill(std::move(recording), [](Recording& r, uint32_t i) {
    r.Add(SampleAt(i, 1, i));
  }));
}

// Every record is newer than the next one.
ByteVector TimeBackwards() {
  return AsPipe(Fill(NewRecording(kUsualFields), [](Recording& r, uint32_t i) {
    r.Add(SampleAt(1'000'000'000 - i, 1, i));
  }));
}

// Long callchains, equal in all processes, whose mappings are of different
// files: each frame of each is another.
ByteVector FramesWithoutEnd() {
  Recording recording = NewRecording(kUsualFields | kSampleCallchain);
  std::vector<uint64_t> chain(8000);
  chain[0] = kContextUser;
  for (size_t i = 1; i < chain.size(); ++i) chain[i] = 0x10000000 + 16 * i;
  for (int32_t pid = 1; pid <= 1000; ++pid) {
    recording.Add(Map(pid, 0x10000000, 0x1000000, absl::StrCat("/", pid)),
                  At(1, pid));
    SampleRecord sample =
        SampleAt(static_cast<uint64_t>(pid) + 1, pid, chain[1]);
    sample.nr = chain.size();
    sample.ips = {reinterpret_cast<const uint8_t*>(chain.data()), chain.size(),
                  kHostOrder};
    recording.Add(sample);
  }
  return Zstded(AsPipe(recording));
}

// Branch stacks over and over, each time after the program was mapped from
// another part of its file: every branch is another one.
ByteVector BranchesAtNewPlaces() {
  constexpr uint64_t kStart = 0x400000, kLength = 0x800000;
  constexpr size_t kBranches = 60, kStacks = 600;
  Recording recording = NewRecording(kUsualFields | kSampleBranchStack);
  recording.events[0].attr.branch_sample_type = kBranchAny;
  std::mt19937_64 random(1);
  std::vector<std::vector<uint64_t>> stacks(kStacks);
  for (std::vector<uint64_t>& words : stacks) {
    uint64_t target = kStart + kLength / 2;
    for (size_t i = 0; i < kBranches; ++i) {
      // The branch before, from where code ran through to this one.
      const uint64_t source = kStart + random() % kLength;
      words.insert(words.end(), {source, target, 1});
      target = source - std::min<uint64_t>(source - kStart, random() % 256);
    }
  }
  for (uint64_t turn = 1; turn <= 30; ++turn) {
    Mmap2Record map = Map(1, kStart, kLength, "/program");
    map.pgoff = turn * kLength;
    recording.Add(map, At(turn));
    for (const std::vector<uint64_t>& words : stacks) {
      SampleRecord sample = SampleAt(turn);
      sample.branch_nr = kBranches;
      sample.branches = SpanOf(words);
      recording.Add(sample);
    }
  }
  return Zstded(AsPipe(recording));
}

constexpr Bomb kRecordingBombs[] = {
    {"EventsThatShareIds", EventsThatShareIds},
    {"FeaturesThatShareBytes", FeaturesThatShareBytes},
    {"MillionsOfEvents", MillionsOfEvents},
    {"ManyEvents", ManyEvents},
    {"EventUpdates", EventUpdates},
    {"LateEvent", LateEvent},
    {"ManyLateEvents", ManyLateEvents},
    {"PmuMappings", PmuMappings},
    {"CallchainsWithoutEnd", CallchainsWithoutEnd},
    {"LongCallchains", LongCallchains},
    {"LongNames", LongNames},
    {"LongEventName", LongEventName},
    {"LongProcessNames", LongProcessNames},
    {"StringsWithoutEnd", StringsWithoutEnd},
    {"MappingsOfEverything", MappingsOfEverything},
    {"MappingsInPieces", MappingsInPieces},
    {"ForkStorm", ForkStorm},
    {"ForksWithMappings", ForksWithMappings},
    {"ThreadsWithoutEnd", ThreadsWithoutEnd},
    {"SmallSamples", SmallSamples},
    {"TimeBackwards", TimeBackwards},
    {"FramesWithoutEnd", FramesWithoutEnd},
};

class RecordingBombTest : public testing::TestWithParam<Bomb> {};

TEST_P(RecordingBombTest, StaysWithinTheBounds) {
  ExpectWithinBounds(GetParam());
}

// The decompressed recording, of up to 64 MiB, takes memory as well.
TEST(BranchBombTest, ProfilesOfBranchesLeaveRoomForTheRecording) {
  constexpr uint64_t kMax = 180'000'000;
  const ByteVector bytes = BranchesAtNewPlaces();
  ASSERT_LE(bytes.size(), kBoundedInput);
  for (const char* format : {"autofdo", "bolt", "profgen"}) {
    const Outcome outcome =
        ConvertHostile(MemoryInput(bytes), format, /*threads=*/2);
    ExpectWithinBounds(outcome, format);
    EXPECT_TRUE(Sanitized() || outcome.peak_memory < kMax)
        << format << ": " << outcome.peak_memory;
  }
}

INSTANTIATE_TEST_SUITE_P(Bombs, RecordingBombTest,
                         testing::ValuesIn(kRecordingBombs),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace perf2x
