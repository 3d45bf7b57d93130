// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/ordered_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_source.h"
#include "converter/base/file_descriptor.h"
#include "converter/input/input.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/decode.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

// Of one event; records other than samples end in a sample id (sample_id_all).
Recording WithoutRecords() {
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeSoftware;
  event.attr.size = kAttrSizeVer0;
  event.attr.sample_type = kSampleTid | kSampleTime;
  event.attr.flags = 1 << 18;  // sample_id_all
  event.ids = {7};
  event.name = "cpu-clock";
  recording.events.push_back(event);
  return recording;
}

// COMM records whose times go back and forth within rounds.
ByteVector Shuffled(int n) {
  Recording recording = WithoutRecords();
  for (int i = 0; i < n; ++i) {
    const std::string name = absl::StrCat("c", i);
    CommRecord comm;
    comm.pid = i;
    comm.comm = name;
    SampleId id;
    id.pid = id.tid = i;
    id.time = 1000 + static_cast<uint64_t>(i / 100 * 100 + 7 * i % 100);
    recording.Add(comm, id);
    if (i % 1000 == 999) {
      recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
    }
  }
  return AsPipe(recording);
}

// Calls `apply` for each record.
template <class F>
class To final : public OrderedReader::Sink {
 public:
  explicit To(F apply) : apply_(std::move(apply)) {}
  absl::Status Apply(const RawRecord& record,
                     std::optional<uint64_t> time) override {
    return apply_(record, time);
  }

 private:
  F apply_;
};

template <class F>
absl::Status RunTo(OrderedReader& reader, bool ahead, F apply) {
  To<F> to(std::move(apply));
  return reader.Run(ahead, to);
}

struct Given {
  uint32_t type;
  std::optional<uint64_t> time;
  ByteVector body;
  friend bool operator==(const Given& a, const Given& b) {
    return a.type == b.type && a.time == b.time && a.body == b.body;
  }
};

std::vector<Given> All(const ByteVector& bytes, bool ahead) {
  std::vector<Given> out;
  auto reader = OrderedReader::Open(MemoryInput(bytes), 0, Budget::Unlimited());
  EXPECT_TRUE(reader.ok()) << reader.status();
  const absl::Status status = RunTo(
      **reader, ahead,
      [&](const RawRecord& record, std::optional<uint64_t> time) {
        out.push_back(
            {record.type, time, {record.body.begin(), record.body.end()}});
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

// Writes a file of samples with stack copies: `samples` times the same.
void WriteStacks(const std::string& path, int samples) {
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeSoftware;
  event.attr.size = 136;
  event.attr.sample_type = kSampleTime | kSampleStackUser;
  event.attr.sample_stack_user = 60'000;
  event.ids = {7};
  recording.events.push_back(event);
  const ByteVector stack(event.attr.sample_stack_user, 'x');
  SampleRecord sample;
  sample.time = 1000;
  sample.stack_size = sample.stack_dyn_size = stack.size();
  sample.stack = stack;
  recording.Add(sample);
  recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  ByteVector file = AsFile(recording);
  // perf_file_header.data
  const auto begin = Load<uint64_t>(&file[40], recording.order);
  const auto size = Load<uint64_t>(&file[48], recording.order);
  Store(size * static_cast<uint64_t>(samples), &file[48], recording.order);
  std::ofstream out(path, std::ios::binary);
  const auto* bytes = reinterpret_cast<const char*>(file.data());
  out.write(bytes, static_cast<std::streamsize>(begin));
  for (int i = 0; i < samples; ++i) {
    out.write(bytes + begin, static_cast<std::streamsize>(size));
  }
}

// Bytes of files that are in this process's memory.
uint64_t MappedBytes() {
  uint64_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  for (int i = 0; i < 3; ++i) statm >> pages;  // size, resident, shared
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(OrderedReaderTest, StackCopiesThatWereReadTakeNoMemory) {
  const TempFolder folder;
  const std::string path = folder.File("stacks.data");
  constexpr int kSamples = 2'500;  // 150 MB
  WriteStacks(path, kSamples);
  auto input = OpenInput(path);
  ASSERT_TRUE(input.ok()) << input.status();
  auto reader =
      OrderedReader::Open(*std::move(input), 64 << 20, Budget::Unlimited());
  ASSERT_TRUE(reader.ok()) << reader.status();
  const uint64_t before = MappedBytes();
  const uint8_t* first = nullptr;
  int samples = 0;
  const absl::Status status =
      RunTo(**reader, /*ahead=*/false,
            [&](const RawRecord& record, std::optional<uint64_t>) {
              if (record.type != kRecordSample) return absl::OkStatus();
              if (first == nullptr) first = record.body.data();
              ++samples;
              EXPECT_EQ(std::count(record.body.begin(), record.body.end(), 'x'),
                        60'000);
              return absl::OkStatus();
            });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(samples, kSamples);
  EXPECT_LT(MappedBytes() - before, 90u << 20);
  EXPECT_EQ(first[1000], 'x');  // still there for who asks
}

TEST(OrderedReaderTest, AThreadAheadChangesNothing) {
  const ByteVector bytes = Shuffled(10'000);
  const std::vector<Given> here = All(bytes, false);
  EXPECT_GT(here.size(), 10'000u);
  EXPECT_TRUE(here == All(bytes, true));
  uint64_t last = 0;
  for (const Given& given : here) {
    if (!given.time) continue;
    EXPECT_LE(last, *given.time);
    last = *given.time;
  }
}

// Samples of three threads, in rounds of two buffers, with a COMM here and
// there. Some have callchains that are not in the form that heads need.
Recording WithSamples(int n) {
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeSoftware;
  event.attr.size = kAttrSizeVer0;
  event.attr.sample_type = kSampleIp | kSampleTid | kSampleTime | kSampleCpu |
                           kSamplePeriod | kSampleCallchain;
  event.attr.flags = 1 << 18;  // sample_id_all
  event.ids = {7};
  recording.events.push_back(event);
  for (int i = 0; i < n; ++i) {
    const uint64_t time =
        1000 + static_cast<uint64_t>(i / 200 * 200 + i % 100 * 2 + i / 100 % 2);
    SampleId id;
    id.time = time;
    if (i % 37 == 0) {
      CommRecord comm;
      comm.pid = i;
      comm.comm = "a";
      recording.Add(comm, id);
      continue;
    }
    uint64_t chain[] = {kContextUser, 0x401000 + static_cast<uint64_t>(i % 50),
                        0x402000};
    if (i % 11 == 0) chain[0] = 0x403000;
    SampleRecord sample;
    sample.ip = chain[1];
    sample.pid = 1;
    sample.tid = 1 + i % 3;
    sample.time = time;
    sample.cpu = static_cast<uint32_t>(i / 100 % 2);
    sample.period = static_cast<uint64_t>(i);
    sample.nr = 3;
    sample.ips =
        WordSpan(reinterpret_cast<const uint8_t*>(chain), 3, recording.order);
    recording.Add(sample, id);
    if (i % 200 == 199) {
      recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
    }
  }
  return recording;
}

// Notes what it gets, a line a record. Samples come with or without heads.
class Notes final : public OrderedReader::Sink {
 public:
  Notes(const AttrTable& attrs, bool accepts_keys)
      : attrs_(attrs), accepts_keys_(accepts_keys) {}
  absl::Status Apply(const RawRecord& record,
                     std::optional<uint64_t> time) override {
    if (record.type >= kRecordUserFirst) return absl::OkStatus();
    Note(record.type, time.value_or(0), record.body);
    return absl::OkStatus();
  }
  bool AcceptsKeysOf(uint32_t event) override {
    return event == 0 && accepts_keys_;
  }
  absl::Status ApplyKeys(const OrderedRecords& samples,
                         ByteOrder order) override {
    for (const TimedRecord* pointer : samples.records) {
      const TimedRecord& sample = *pointer;
      ++heads_;
      const absl::Span<const uint8_t> body(sample.body, sample.size);
      const absl::Span<const uint8_t> block = samples.BlockOf(sample)->bytes();
      EXPECT_GE(body.data(), block.data());
      EXPECT_LE(body.end(), block.end());
      SampleRecord decoded;
      EXPECT_TRUE(
          Decode(body, order, sample.misc, attrs_.events()[0].attr, &decoded));
      EXPECT_EQ(sample.key.period, decoded.period);
      EXPECT_EQ(sample.key.tid, decoded.tid);
      EXPECT_TRUE(sample.key.callchain_hash == HashBytes(decoded.ips.bytes()));
      Note(sample.type, sample.time, body);
    }
    return absl::OkStatus();
  }
  const std::vector<std::string>& lines() const { return lines_; }
  int heads() const { return heads_; }

 private:
  void Note(uint32_t type, uint64_t time, absl::Span<const uint8_t> body) {
    lines_.push_back(absl::StrCat(
        type, "@", time, " ",
        absl::string_view(reinterpret_cast<const char*>(body.data()),
                          body.size())));
  }
  const AttrTable& attrs_;
  const bool accepts_keys_;
  std::vector<std::string> lines_;
  int heads_ = 0;
};

class Nothing final : public ByteSource {
  absl::StatusOr<size_t> Read(absl::Span<uint8_t>) override { return 0; }
  uint64_t CompressedSizeUpTo(uint64_t enough) override { return enough + 1; }
};

// Whether a recording is mapped, comes as a stream or out of compressed
// records, is read ahead or in turn, with heads or without: the records and
// their order are the same.
TEST(OrderedReaderTest, GivesTheSameFromEveryKindOfInput) {
  const Recording recording = WithSamples(20'000);
  Diagnostics diagnostics;
  AttrTable attrs(&diagnostics);
  {
    RawRecord attr;
    attr.type = kRecordHeaderAttr;
    const ByteVector body =
        EncodeAttr(recording.events[0].attr, recording.order);
    attr.body = body;
    attrs.Observe(attr);
  }
  const ByteVector file = AsFile(recording);
  const ByteVector pipe = AsPipe(recording);
  const ByteVector zstd =
      AsFile(Compressed(recording, kRecordCompressed, 100'000));
  std::vector<std::string> first;
  for (const bool heads : {false, true}) {
    for (const bool ahead : {false, true}) {
      for (int kind = 0; kind < 4; ++kind) {
        SCOPED_TRACE(absl::StrCat(heads, ahead, kind));
        Input input = MemoryInput(kind == 0 ? file : kind == 3 ? zstd : pipe);
        if (kind == 2) {
          input.stream = Prepend(pipe, std::make_unique<Nothing>());
          input.mapped = BlockRef();
        }
        auto reader =
            OrderedReader::Open(std::move(input), 0, Budget::Unlimited());
        ASSERT_TRUE(reader.ok()) << reader.status();
        Notes notes(attrs, heads);
        const absl::Status status = (*reader)->Run(ahead, notes);
        ASSERT_TRUE(status.ok()) << status;
        if (first.empty()) first = notes.lines();
        ASSERT_EQ(notes.lines().size(), 20'000u);
        EXPECT_TRUE(notes.lines() == first);
        // Callchains in another byte order are not left in place.
        EXPECT_EQ(notes.heads() > 10'000,
                  heads && recording.order == kHostOrder);
      }
    }
  }
}

TEST(OrderedReaderTest, AnErrorStopsTheReading) {
  const ByteVector bytes = Shuffled(10'000);
  for (const bool ahead : {false, true}) {
    auto reader =
        OrderedReader::Open(MemoryInput(bytes), 0, Budget::Unlimited());
    ASSERT_TRUE(reader.ok());
    int calls = 0;
    const absl::Status status =
        RunTo(**reader, ahead, [&](const RawRecord&, std::optional<uint64_t>) {
          return ++calls == 20 ? absl::DataLossError("enough")
                               : absl::OkStatus();
        });
    EXPECT_EQ(status.message(), "enough");
    EXPECT_EQ(calls, 20);
  }
}

TEST(OrderedReaderTest, CountsSwitchesThatAreLeftOut) {
  Recording recording = WithoutRecords();
  SampleId id;
  for (id.time = 1; id.time <= 9; ++id.time) {
    if (id.time % 3 == 0) recording.Add(CommRecord(), id);
    if (id.time % 3 == 1) recording.Add(SwitchRecord(), id);
    if (id.time % 3 == 2) recording.Add(SwitchCpuWideRecord(), id);
  }
  const ByteVector bytes = AsPipe(recording);
  for (const bool leaves_out : {false, true}) {
    auto reader =
        OrderedReader::Open(MemoryInput(bytes), 0, Budget::Unlimited());
    ASSERT_TRUE(reader.ok());
    if (leaves_out) (*reader)->SkipSwitches();
    int switches = 0, others = 0;
    const absl::Status status = RunTo(
        **reader, true, [&](const RawRecord& record, std::optional<uint64_t>) {
          const bool is_switch = record.type == kRecordSwitch ||
                                 record.type == kRecordSwitchCpuWide;
          ++(is_switch ? switches : others);
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(switches, leaves_out ? 0 : 6);
    EXPECT_GE(others, 3);
    const auto skipped = (*reader)->skipped();
    ASSERT_EQ(skipped.size(), 2u);
    EXPECT_EQ(skipped[0].records, leaves_out ? 3u : 0u);
    EXPECT_EQ(skipped[1].records, leaves_out ? 3u : 0u);
    if (!leaves_out) continue;
    EXPECT_EQ(skipped[0].type, kRecordSwitch);
    EXPECT_EQ(skipped[0].bytes, 3u * (8 + 16));
    EXPECT_EQ(skipped[0].first_time, 1u);
    EXPECT_EQ(skipped[0].last_time, 7u);
    EXPECT_EQ(skipped[1].type, kRecordSwitchCpuWide);
    EXPECT_EQ(skipped[1].bytes, 3u * (8 + 8 + 16));
    EXPECT_EQ(skipped[1].first_time, 2u);
    EXPECT_EQ(skipped[1].last_time, 8u);
  }
}

TEST(OrderedReaderTest, TellsWhatIsDamaged) {
  ByteVector bytes = Shuffled(10);
  bytes.resize(bytes.size() - 3);
  for (const bool ahead : {false, true}) {
    auto reader =
        OrderedReader::Open(MemoryInput(bytes), 0, Budget::Unlimited());
    ASSERT_TRUE(reader.ok());
    const auto ignore = [](const RawRecord&, std::optional<uint64_t>) {
      return absl::OkStatus();
    };
    EXPECT_TRUE(RunTo(**reader, ahead, ignore).ok());
    EXPECT_TRUE((*reader)->diagnostics().lossy());
  }
}

// Whoever writes into the pipe may have nothing to write for hours.
TEST(OrderedReaderTest, AnErrorDoesNotWaitForThePipe) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor reading(ends[0]), writing(ends[1]);
  // Enough for some batches to be handed over, so that the error occurs, and
  // less than the queue holds, so that the other thread waits for bytes by
  // then.
  const ByteVector bytes = Shuffled(23'500);
  ASSERT_GT(bytes.size(), 850'000u);
  ASSERT_LT(bytes.size(), 1'000'000u);
  ASSERT_GE(fcntl(writing.get(), F_SETPIPE_SZ, 1 << 20), 1 << 20);
  ASSERT_EQ(write(writing.get(), bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
  auto input = OpenInput(absl::StrCat("/proc/self/fd/", reading.get()));
  ASSERT_TRUE(input.ok()) << input.status();
  auto reader = OrderedReader::Open(*std::move(input), 0, Budget::Unlimited());
  ASSERT_TRUE(reader.ok()) << reader.status();
  const absl::Status status = RunTo(
      **reader, /*ahead=*/true, [](const RawRecord&, std::optional<uint64_t>) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return absl::ResourceExhaustedError("disk full");
      });
  EXPECT_EQ(status.message(), "disk full");
}

}  // namespace
}  // namespace perf2x
