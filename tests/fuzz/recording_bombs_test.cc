// SPDX-License-Identifier: Apache-2.0

// Recordings of at most 1 MB that would take much time, memory or output. Each
// is converted to every format within the bounds that SECURITY.md states.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"
#include "converter/perf/header/file_header.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/fuzz/name_that_doubles.h"
#include "tests/support/bounds.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

constexpr uint64_t kSampleIdAll = uint64_t{1} << 18;  // attr.sample_id_all

Recording NewRecording(uint64_t sample_type, size_t events = 1) {
  Recording recording;
  for (size_t i = 0; i < events; ++i) {
    Recording::Event event;
    event.attr.type = 1;  // PERF_TYPE_SOFTWARE
    event.attr.size = 136;
    event.attr.sample_period = 1000;
    event.attr.sample_type = sample_type | kSampleIdentifier;
    event.attr.flags = kSampleIdAll;
    event.ids = {i + 1};
    recording.events.push_back(event);
  }
  return recording;
}

constexpr uint64_t kUsual = kSampleIp | kSampleTid | kSampleTime;

// Calls `add` for as many records as there is room for.
Recording Fill(Recording recording,
               const std::function<void(Recording&, uint32_t)>& add) {
  size_t size = AsPipe(recording).size();
  Recording more;
  more.order = recording.order;
  more.events = recording.events;
  for (uint32_t i = 1;; ++i) {
    more.records.clear();
    add(more, i);
    for (auto& record : more.records) {
      size += 8 + record.body.size();
      if (size > kBoundedInput) return recording;
      recording.records.push_back(std::move(record));
    }
  }
}

SampleId At(uint64_t time, int32_t pid = 1, uint64_t id = 1) {
  SampleId out;
  out.id = id;
  out.pid = out.tid = pid;
  out.time = time;
  return out;
}

SampleRecord SampleAt(uint64_t time, int32_t pid = 1, uint64_t ip = 0x400123) {
  SampleRecord sample;
  sample.id = 1;
  sample.ip = ip;
  sample.pid = sample.tid = pid;
  sample.time = time;
  sample.period = 1;
  return sample;
}

Mmap2Record Map(int32_t pid, uint64_t start, uint64_t length,
                absl::string_view name) {
  Mmap2Record map;
  map.pid = map.tid = pid;
  map.addr = start;
  map.len = length;
  map.prot = 5;
  map.filename = name;
  return map;
}

struct Bomb {
  const char* name;
  ByteVector (*make)();
};

// Every event says that its ids are the whole file.
ByteVector EventsThatShareIds() {
  ByteVector file = AsFile(NewRecording(kUsual, 6000));
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
  Recording recording = NewRecording(kUsual);
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
  Recording recording = NewRecording(kUsual);
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
  Recording recording = NewRecording(kUsual, 4500);
  for (uint64_t i = 1; i <= 4500; ++i) {
    SampleRecord sample = SampleAt(i);
    sample.id = i;
    recording.Add(sample);
  }
  return AsFile(recording);
}

// EVENT_UPDATE records for events, between samples.
ByteVector EventUpdates() {
  Recording recording = NewRecording(kUsual, 3000);
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
  Recording recording = NewRecording(kUsual, 1);
  const size_t head = AsPipe(recording).size();
  recording.Add(SampleAt(1));
  const ByteVector described = AsPipe(NewRecording(kUsual, events));
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
  Recording recording = NewRecording(kUsual, 3000);
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
  return AsPipe(Fill(NewRecording(kUsual | kSampleCallchain),
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
  return AsPipe(Fill(
      NewRecording(kUsual | kSampleCallchain), [&](Recording& r, uint32_t i) {
        words[0] = kContextUser;
        for (size_t w = 1; w < words.size(); ++w) {
          words[w] = (uint64_t{i} << 32) + w * 16;
        }
        SampleRecord sample = SampleAt(i * 1000);
        sample.nr = words.size();
        sample.ips = {reinterpret_cast<const uint8_t*>(words.data()),
                      words.size(), kHostOrder};
        r.Add(sample);
      }));
}

// The same callchains in a DSO whose name is as long as a record.
ByteVector LongNames() {
  static const std::string name = "/" + std::string(60'000, 'x');
  std::vector<uint64_t> words(8000);
  Recording recording = NewRecording(kUsual | kSampleCallchain);
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
  Recording recording = NewRecording(kUsual);
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
  Recording recording = NewRecording(kUsual);
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
  return AsPipe(Fill(NewRecording(kUsual), [](Recording& r, uint32_t i) {
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
  return AsPipe(Fill(NewRecording(kUsual), [](Recording& r, uint32_t i) {
    r.Add(Map(1, 0, ~uint64_t{0}, absl::StrCat("/lib", i)), At(2 * i));
    r.Add(SampleAt(2 * i + 1, 1, i));
  }));
}

// Small mappings that cut large ones into ever more pieces.
ByteVector MappingsInPieces() {
  return AsPipe(Fill(NewRecording(kUsual), [](Recording& r, uint32_t i) {
    if (i == 1) r.Add(Map(1, 0, uint64_t{1} << 60, "/whole"), At(1));
    r.Add(Map(1, uint64_t{i} << 20, 4096, "/piece"), At(2 * i));
    r.Add(SampleAt(2 * i + 1, 1, (uint64_t{i} << 20) + 1));
  }));
}

ByteVector ForkStorm() {
  return AsPipe(Fill(NewRecording(kUsual), [](Recording& r, uint32_t i) {
    ForkRecord fork;
    fork.pid = fork.tid = static_cast<int32_t>(i + 1);
    fork.ppid = fork.ptid = static_cast<int32_t>(i);
    fork.time = i;
    r.Add(fork, At(i));
  }));
}

// A process with many mappings, and children that each change theirs.
ByteVector ForksWithMappings() {
  Recording recording = NewRecording(kUsual);
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
  return AsPipe(Fill(NewRecording(kUsual), [](Recording& r, uint32_t i) {
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
  return AsPipe(Fill(NewRecording(kUsual), [](Recording& r, uint32_t i) {
    r.Add(SampleAt(1'000'000'000 - i, 1, i));
  }));
}

// A copy of `pattern` over and over.
ByteVector Repeated(const ByteVector& start, const ByteVector& pattern,
                    size_t size) {
  ByteVector out = start;
  out.reserve(size);
  while (out.size() + pattern.size() <= size) {
    out.insert(out.end(), pattern.begin(), pattern.end());
  }
  return out;
}

// Bytes of repeated records that compress to less than 1 MB.
constexpr size_t kUnpacked = 200'000'000;

ByteVector HeadOfPipe() {
  Recording recording = NewRecording(kUsual);
  return AsPipe(recording);
}
ByteVector BodyOfPipe() {
  const ByteVector head = HeadOfPipe();
  Recording recording = NewRecording(kUsual);
  recording.Add(SampleAt(1));
  ByteVector pipe = AsPipe(recording);
  pipe.erase(pipe.begin(), pipe.begin() + head.size());
  return pipe;
}

ByteVector GzipOfZeros() {
  ByteVector file = AsFile(NewRecording(kUsual));
  file.resize(kUnpacked);
  return Gzipped(file);
}
ByteVector GzipOfRecords() {
  return Gzipped(Repeated(HeadOfPipe(), BodyOfPipe(), kUnpacked));
}
ByteVector Bzip2OfZeros() {
  ByteVector file = AsFile(NewRecording(kUsual));
  file.resize(kUnpacked);
  return Bzip2ed(file);
}
ByteVector Bzip2OfRecords() {
  // Compressed in pieces, because bzip2 is slow on repetitive bytes.
  constexpr size_t kPiece = 1 << 20;
  return Repeated(Bzip2ed(HeadOfPipe()),
                  Bzip2ed(Repeated({}, BodyOfPipe(), kPiece)), kBoundedInput);
}
ByteVector ZstdOfZeros() {
  ByteVector file = AsFile(NewRecording(kUsual));
  file.resize(kUnpacked);
  return Zstded(file);
}
ByteVector ZstdOfRecords() {
  return Zstded(Repeated(HeadOfPipe(), BodyOfPipe(), kUnpacked));
}
ByteVector XzOfZeros() {
  ByteVector file = AsFile(NewRecording(kUsual));
  file.resize(kUnpacked);
  return Xzed(file);
}

// Nothing but COMPRESSED records, of samples or of zeros.
Recording CompressedRecords(const ByteVector& what, int records = 15) {
  Recording recording = NewRecording(kUsual);
  const ByteVector packed = Zstded(Repeated({}, what, kUnpacked / 4));
  EXPECT_LT(packed.size(), 60'000u);
  // A file may have many such records, each with a frame of its own.
  for (int i = 0; i < records; ++i) {
    recording.records.push_back({kRecordCompressed, 0, packed, {}, 0});
  }
  return recording;
}
ByteVector CompressedSamples() {
  return AsFile(CompressedRecords(BodyOfPipe()));
}
ByteVector CompressedZeros() {
  return AsFile(CompressedRecords(ByteVector(4096)));
}
// 60 MB of COMPRESSED records, compressed once more.
ByteVector ZstdOfCompressed() {
  return Zstded(AsFile(CompressedRecords(BodyOfPipe(), 1000)));
}
ByteVector ZstdOfCompressedPipe() {
  return Zstded(AsPipe(CompressedRecords(BodyOfPipe(), 1000)));
}

constexpr Bomb kBombs[] = {
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
    {"GzipOfZeros", GzipOfZeros},
    {"GzipOfRecords", GzipOfRecords},
    {"Bzip2OfZeros", Bzip2OfZeros},
    {"Bzip2OfRecords", Bzip2OfRecords},
    {"ZstdOfZeros", ZstdOfZeros},
    {"ZstdOfRecords", ZstdOfRecords},
    {"XzOfZeros", XzOfZeros},
    {"CompressedSamples", CompressedSamples},
    {"CompressedZeros", CompressedZeros},
    {"ZstdOfCompressed", ZstdOfCompressed},
    {"ZstdOfCompressedPipe", ZstdOfCompressedPipe},
};

class RecordingBombTest : public testing::TestWithParam<Bomb> {};

void ExpectWithinBounds(Input input, const std::string& format) {
  // Two threads, of which one reads ahead as in the command; that takes more
  // memory.
  const Outcome outcome =
      ConvertHostile(std::move(input), format, /*threads=*/2);
  EXPECT_TRUE(outcome.BytesAddUp());
  testing::Test::RecordProperty("seconds_" + format,
                                std::to_string(outcome.seconds));
  testing::Test::RecordProperty("memory_" + format,
                                std::to_string(outcome.peak_memory));
  testing::Test::RecordProperty("written_" + format,
                                std::to_string(outcome.output_bytes));
  ExpectWithinBounds(outcome, format);
}

TEST_P(RecordingBombTest, StaysWithinTheBounds) {
  const ByteVector bomb = GetParam().make();
  ASSERT_LE(bomb.size(), kBoundedInput);
  KeepBomb(GetParam().name, bomb);
  ExpectWithinBounds(MemoryInput(bomb), "walk");
  if (Sanitized()) return;
  for (const EmitterInfo& format : Emitters()) {
    ExpectWithinBounds(MemoryInput(bomb), format.name);
  }
}

// Kernel symbols whose names are short in the recording and long in the output,
// thousands of times on each stack. No two stacks have a common root.
ByteVector LongNamesInLongCallchains() {
  constexpr uint64_t kSymbols = 0xffffffffc0000000;
  Recording recording = NewRecording(kUsual | kSampleCallchain);
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    names.push_back(NameThatDoubles(i, 14));
    KsymbolRecord symbol;
    symbol.addr = kSymbols + static_cast<uint64_t>(i) * 0x1000;
    symbol.len = 0x1000;
    symbol.ksym_type = 2;  // out of line: no code of BPF
    symbol.name = names.back();
    recording.Add(symbol, At(1));
  }
  std::vector<uint64_t> words(8000);
  words[0] = kContextKernel;
  return AsPipe(Fill(std::move(recording), [&](Recording& r, uint32_t i) {
    for (size_t w = 1; w < words.size(); ++w) {
      words[w] = kSymbols + (i >> (w % 5) & 1) * 0x1000 + 16;
    }
    SampleRecord sample = SampleAt(i * 1000, 1, words[1]);
    sample.nr = words.size();
    sample.ips = {reinterpret_cast<const uint8_t*>(words.data()), words.size(),
                  kHostOrder};
    r.Add(sample, {}, /*misc=*/1);
  }));
}

TEST(LongNameBombTest, LongNamesInLongCallchains) {
  const ByteVector bomb = LongNamesInLongCallchains();
  ASSERT_LE(bomb.size(), kBoundedInput);
  KeepBomb("LongNamesInLongCallchains", bomb);
  struct Way {
    const char* format;
    FormatOptions options;
    bool leaves_out;  // names are not written for each sample otherwise
  };
  for (const Way& way : {Way{"pprof", {}, false},
                         {"folded", {}, true},
                         {"csv", {}, true},
                         {"csv", {{"table", "samples"}}, true},
                         {"csv", {{"table", "results"}}, false},
                         {"chrome", {{"samples", "slices"}}, true},
                         {"chrome", {{"samples", "instants"}}, true},
                         {"chrome", {{"samples", "profile"}}, true}}) {
    std::string name = way.format;
    for (const auto& [key, value] : way.options) name += " " + value;
    SCOPED_TRACE(name);
    const Outcome outcome = ConvertWithNames(MemoryInput(bomb), way.format,
                                             way.options, /*threads=*/2);
    ExpectWithinBounds(outcome, name);
    // The names are used.
    if (way.leaves_out) {
      EXPECT_GT(outcome.output_bytes, 2'000'000u);
    }
    EXPECT_EQ(!outcome.Complaints().empty(), way.leaves_out)
        << outcome.Complaints();
  }
}

// The size of a pipe stream is not known before its end.
TEST(CompressedBombTest, InALivePipe) {
  const ByteVector bomb = AsPipe(CompressedRecords(BodyOfPipe()));
  ASSERT_LE(bomb.size(), kBoundedInput);
  KeepBomb("InALivePipe", bomb);
  const TempFolder folder;
  const std::string path = folder.File("live_pipe_bomb");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bomb.data()),
               static_cast<std::streamsize>(bomb.size()));
  });
  auto input = OpenInput(path);
  ASSERT_TRUE(input.ok()) << input.status();
  ExpectWithinBounds(*std::move(input), "pprof");
  writer.join();
}

// Each file of a folder is small.
TEST(CompressedBombTest, InManyDataFiles) {
  const ByteVector head = AsFile(NewRecording(kUsual));
  ByteVector body = AsPipe(CompressedRecords(BodyOfPipe(), 1));
  const ByteVector other = HeadOfPipe();
  body.erase(body.begin(), body.begin() + other.size());
  Input input = MemoryInput(head);
  for (int i = 0; i < 60; ++i) {
    input.data_files.push_back(
        {absl::StrCat("data.", i), MemoryInput(body).mapped});
  }
  ASSERT_LE(60 * body.size(), kBoundedInput);
  ExpectWithinBounds(std::move(input), "pprof");
}

INSTANTIATE_TEST_SUITE_P(Bombs, RecordingBombTest, testing::ValuesIn(kBombs),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace perf2x
