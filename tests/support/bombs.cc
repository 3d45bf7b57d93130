// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bombs.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "converter/emit/registry.h"
#include "tests/support/bounds.h"
#include "tests/support/hostile.h"

namespace perf2x {
Recording NewRecording(uint64_t sample_type, size_t events) {
  Recording recording;
  for (size_t i = 0; i < events; ++i) {
    recording.AddSoftwareEvent(sample_type | kSampleIdentifier).flags =
        kSampleIdAll;
  }
  return recording;
}

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

SampleId At(uint64_t time, int32_t pid, uint64_t id) {
  SampleId out;
  out.id = id;
  out.pid = out.tid = pid;
  out.time = time;
  return out;
}

SampleRecord SampleAt(uint64_t time, int32_t pid, uint64_t ip) {
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

void ExpectWithinBounds(const Bomb& bomb,
                        absl::Span<const std::string> formats) {
  const ByteVector bytes = bomb.make();
  ASSERT_LE(bytes.size(), kBoundedInput);
  KeepBomb(bomb.name, bytes);
  ExpectWithinBounds(MemoryInput(bytes), "walk");
  if (Sanitized()) return;
  for (const std::string& format : formats) {
    ExpectWithinBounds(MemoryInput(bytes), format);
  }
}

void ExpectWithinBounds(const Bomb& bomb) {
  std::vector<std::string> formats;
  for (const EmitterInfo& format : Emitters()) formats.push_back(format.name);
  ExpectWithinBounds(bomb, formats);
}

}  // namespace perf2x
