// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perf_data_builder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "converter/base/diagnostics.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/stream/record_reader.h"
#include "tests/support/recording_writer.h"

namespace perf2x {
namespace {

constexpr size_t kFileHeaderSize = 104;
// Size of an attr when perf wrote files of the first version.
constexpr uint32_t kFirstVersionAttrSize = 72;

ByteVector FileOf(const Recording& recording, bool first_version) {
  const ByteOrder order = recording.order;
  std::vector<Recording::Event> events = recording.events;
  uint32_t attr_size = kAttrSizeVer0;
  for (Recording::Event& event : events) {
    if (first_version) event.attr.size = kFirstVersionAttrSize;
    attr_size = std::max(attr_size, event.attr.size);
  }
  // The file has ids, attrs, names of events, data, then the features.
  RecordingWriter body(order);
  std::vector<uint64_t> id_offsets;
  for (const Recording::Event& event : events) {
    id_offsets.push_back(kFileHeaderSize + body.size());
    for (const uint64_t id : event.ids) body.Put(id);
  }
  const uint64_t attrs = kFileHeaderSize + body.size();
  for (size_t i = 0; i < events.size(); ++i) {
    ByteVector attr = EncodeAttr(events[i].attr, order);
    attr.resize(attr_size);
    body.Put(attr);
    body.PutSection(id_offsets[i], events[i].ids.size() * 8);
  }
  const uint64_t types = kFileHeaderSize + body.size();
  if (first_version) {
    for (const Recording::Event& event : events) {
      body.Put(event.attr.config);
      ByteVector name(event.name.begin(), event.name.end());
      name.resize(64);
      body.Put(name);
    }
  }
  const uint64_t data = kFileHeaderSize + body.size();
  for (const Recording::Record& r : recording.records) body.PutRecord(r);
  const uint64_t end = kFileHeaderSize + body.size();
  std::array<uint64_t, 4> bitmap{};
  if (!first_version) {
    std::vector<Recording::Feature> features = recording.features;
    std::sort(features.begin(), features.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    uint64_t at = end + 16 * features.size();
    for (const Recording::Feature& f : features) {
      bitmap[f.number / 64] |= uint64_t{1} << (f.number % 64);
      body.PutSection(at, f.data.size());
      at += f.data.size();
    }
    for (const Recording::Feature& f : features) body.Put(f.data);
  }

  RecordingWriter out(order);
  const absl::string_view magic = first_version                 ? "PERFFILE"
                                  : order == ByteOrder::kLittle ? "PERFILE2"
                                                                : "2ELIFREP";
  out.Put(ByteVector(magic.begin(), magic.end()));
  out.Put(uint64_t{kFileHeaderSize});
  out.Put(uint64_t{attr_size + 16});
  out.PutSection(attrs, events.size() * (attr_size + 16));
  out.PutSection(data, end - data);
  out.PutSection(first_version ? types : 0, first_version ? data - types : 0);
  for (const uint64_t word : bitmap) out.Put(word);
  out.Put(body.Take());
  return out.Take();
}

void WriteFile(const std::string& path, const ByteVector& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good()) << path;
}

}  // namespace

EventAttr& Recording::AddSoftwareEvent(uint64_t sample_type, uint64_t period) {
  Event& event = events.emplace_back();
  event.attr.type = kTypeSoftware;
  event.attr.size = 136;
  event.attr.sample_period = period;
  event.attr.sample_type = sample_type;
  event.ids = {events.size()};
  return event.attr;
}

// A string of a header: its length with padding, then itself.
void Recording::SetArch(absl::string_view name) {
  RecordingWriter writer(order);
  ByteVector text(name.begin(), name.end());
  text.resize((text.size() + 4) / 4 * 4);
  writer.Put(static_cast<uint32_t>(text.size()));
  writer.Put(text);
  features.push_back({kFeatureArch, writer.Take()});
}

Input OpenTestdata(const std::string& name) {
  auto input = OpenInput("testdata/" + name);
  EXPECT_TRUE(input.ok()) << input.status();
  return input.ok() ? *std::move(input) : Input();
}

int ChangeSamples(Recording* recording,
                  absl::FunctionRef<bool(SampleRecord*)> change) {
  const EventAttr& attr = recording->events.at(0).attr;
  int changed = 0;
  for (Recording::Record& record : recording->records) {
    if (record.type != kRecordSample) continue;
    SampleRecord sample;
    EXPECT_TRUE(
        Decode(record.body, recording->order, record.misc, attr, &sample));
    if (!change(&sample)) continue;
    record.body = Encode(sample, recording->order, record.misc, attr);
    ++changed;
  }
  return changed;
}

Recording TakeApart(Input input) {
  Recording out;
  Diagnostics diagnostics;
  auto reader = RecordReader::Open(std::move(input), &diagnostics);
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return out;
  out.order = (*reader)->header().order;
  AttrTable attrs(&diagnostics);
  for (RawRecord record; (*reader)->Next(&record);) {
    attrs.Observe(record);
    switch (record.type) {
      case kRecordHeaderAttr:
        break;
      case kRecordHeaderFeature: {
        ByteReader in(record.body, record.order);
        const auto number = static_cast<uint32_t>(in.U64());
        // Skips the end marker, and compression, which belongs to the
        // container.
        if (in.left() == 0 || number == kFeatureCompressed) break;
        out.features.push_back({number, ToVector(in.Rest())});
        break;
      }
      case kRecordHeaderTracingData:
        out.features.push_back({kFeatureTracingData, ToVector(record.payload)});
        break;
      default:
        out.records.push_back({record.type, record.misc, ToVector(record.body),
                               ToVector(record.payload),
                               attrs.TimeOf(record).value_or(0)});
    }
  }
  for (const RecordedEvent& event : attrs.events()) {
    out.events.push_back({event.attr, event.ids, event.name});
  }
  return out;
}

ByteVector AsFile(const Recording& recording) {
  return FileOf(recording, false);
}
ByteVector AsFirstVersion(const Recording& recording) {
  return FileOf(recording, true);
}

ByteVector AsPipe(const Recording& recording) {
  const ByteOrder order = recording.order;
  RecordingWriter out(order);
  const absl::string_view magic =
      order == ByteOrder::kLittle ? "PERFILE2" : "2ELIFREP";
  out.Put(ByteVector(magic.begin(), magic.end()));
  out.Put(uint64_t{kPipeHeaderSize});
  for (const Recording::Event& event : recording.events) {
    out.PutRecord(kRecordHeaderAttr, 0, AttrRecord(event, order));
  }
  for (const Recording::Feature& f : recording.features) {
    if (f.number == kFeatureTracingData) {
      RecordingWriter size(order);
      size.Put(static_cast<uint32_t>(f.data.size()));
      out.PutRecord(kRecordHeaderTracingData, 0, size.Take());
      out.Put(f.data);
      continue;
    }
    RecordingWriter body(order);
    body.Put(uint64_t{f.number});
    body.Put(f.data);
    out.PutRecord(kRecordHeaderFeature, 0, body.Take());
  }
  for (const Recording::Record& r : recording.records) out.PutRecord(r);
  return out.Take();
}

Recording Compressed(const Recording& recording, uint32_t type, size_t chunk,
                     size_t slice) {
  Recording out = recording;
  out.records.clear();
  RecordingWriter live(recording.order);
  for (const Recording::Record& r : recording.records) {
    if (r.time == 0) {
      out.records.push_back(r);
    } else {
      live.PutRecord(r);
    }
  }
  RecordingWriter feature(recording.order);
  for (const uint32_t field : {1, 1, 1, 4, 1 << 20}) feature.Put(field);
  out.features.push_back({kFeatureCompressed, feature.Take()});

  const ByteVector bytes = live.Take();
  std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream*)> zstd(
      ZSTD_createCStream(), ZSTD_freeCStream);
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    ZSTD_inBuffer in{bytes.data() + at, std::min(chunk, bytes.size() - at), 0};
    ByteVector packed(ZSTD_compressBound(in.size) + 64);
    ZSTD_outBuffer to{packed.data(), packed.size(), 0};
    EXPECT_EQ(ZSTD_compressStream2(zstd.get(), &to, &in, ZSTD_e_flush), 0u);
    for (size_t done = 0; done < to.pos; done += slice) {
      const size_t n = std::min(slice, to.pos - done);
      RecordingWriter body(recording.order);
      if (type == kRecordCompressed2) body.Put(uint64_t{n});
      body.Put(ByteVector(packed.begin() + done, packed.begin() + done + n));
      if (type == kRecordCompressed2) {
        body.Put(ByteVector((8 - n % 8) % 8));
      }
      out.records.push_back({type, 0, body.Take(), {}, 0});
    }
  }
  return out;
}

void WriteDirectory(const Recording& recording, const std::string& path) {
  mkdir(path.c_str(), 0777);
  Recording main = recording;
  main.records.clear();
  RecordingWriter data[2] = {RecordingWriter(recording.order),
                             RecordingWriter(recording.order)};
  for (const Recording::Record& r : recording.records) {
    if (r.type == kRecordFinishedRound) continue;
    if (r.time == 0) {
      main.records.push_back(r);
    } else {
      // Records of equal times go to the same file, as there is no order
      // between files.
      data[(r.time >> 20) % 2].PutRecord(r);
    }
  }
  RecordingWriter version(recording.order);
  version.Put(uint64_t{1});
  main.features.push_back({kFeatureDirFormat, version.Take()});
  WriteFile(path + "/data", AsFile(main));
  WriteFile(path + "/data.0", data[0].Take());
  WriteFile(path + "/data.1", data[1].Take());
}

}  // namespace perf2x
