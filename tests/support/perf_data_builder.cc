// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perf_data_builder.h"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/stream/record_reader.h"

namespace perf2x {
namespace {

constexpr size_t kFileHeaderSize = 104;
// Size of an attr when perf wrote files of the first version.
constexpr uint32_t kFirstVersionAttrSize = 72;

// Writes numbers in a recording's byte order.
class Writer {
 public:
  explicit Writer(ByteOrder order) : order_(order) {}
  template <class T>
  void Put(T value) {
    bytes_.resize(bytes_.size() + sizeof(value));
    Store(value, bytes_.data() + bytes_.size() - sizeof(value), order_);
  }
  void Put(const ByteVector& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void PutRecord(uint32_t type, uint16_t misc, const ByteVector& body) {
    Put(type);
    Put(misc);
    Put(static_cast<uint16_t>(body.size() + 8));
    Put(body);
  }
  void PutRecord(const Recording::Record& r) {
    PutRecord(r.type, r.misc, r.body);
    Put(r.payload);
  }
  void PutSection(uint64_t offset, uint64_t size) {
    Put(offset);
    Put(size);
  }
  size_t size() const { return bytes_.size(); }
  ByteVector Take() { return std::move(bytes_); }

 private:
  ByteOrder order_;
  ByteVector bytes_;
};

ByteVector Vector(absl::Span<const uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

// Copies a feature's data field by field into the other byte order.
class FeatureConverter {
 public:
  FeatureConverter(const ByteVector& data, ByteOrder from, ByteOrder to)
      : in_(data, from), out_(to) {}

  // Each letter of `format` is a field: 4 or 8: as many bytes, s: a string,
  // (…): a list after its count of 4 bytes.
  void Fields(absl::string_view format) {
    for (size_t i = 0; i < format.size() && in_.ok(); ++i) {
      switch (format[i]) {
        case '4':
          out_.Put(in_.U32());
          break;
        case '8':
          out_.Put(in_.U64());
          break;
        case 's':
          String();
          break;
        case '(': {
          const size_t end = format.find(')', i);
          const uint32_t n = in_.U32();
          out_.Put(n);
          for (uint32_t k = 0; k < n && in_.ok(); ++k) {
            Fields(format.substr(i + 1, end - i - 1));
          }
          i = end;
          break;
        }
      }
    }
  }
  void EventDesc(ByteOrder to) {
    const uint32_t n = in_.U32();
    const uint32_t attr_size = in_.U32();
    out_.Put(n);
    out_.Put(attr_size);
    for (uint32_t i = 0; i < n && in_.ok(); ++i) {
      EventAttr attr;
      DecodeAttr(in_.Bytes(attr_size), in_.order(), &attr);
      ByteVector encoded = EncodeAttr(attr, to);
      encoded.resize(attr_size);
      out_.Put(encoded);
      const uint32_t ids = in_.U32();
      out_.Put(ids);
      String();
      for (uint32_t k = 0; k < ids; ++k) out_.Put(in_.U64());
    }
  }
  void BuildIds() {
    while (in_.ok() && in_.left() > 0) {
      out_.Put(in_.U32());
      out_.Put(in_.U16());
      const uint16_t size = in_.U16();
      out_.Put(size);
      out_.Put(in_.U32());  // pid
      out_.Put(Vector(in_.Bytes(size - 12u)));
    }
  }
  ByteVector Take() {
    EXPECT_TRUE(in_.ok());
    return out_.Take();
  }

 private:
  void String() {
    const uint32_t n = in_.U32();
    out_.Put(n);
    out_.Put(Vector(in_.Bytes(n)));
  }
  ByteReader in_;
  Writer out_;
};

// Returns the layout, see Fields, of a feature that converted profiles depend
// on; null for other features.
const char* FormatOf(uint32_t feature) {
  switch (feature) {
    case kFeatureHostname:
    case kFeatureOsRelease:
    case kFeatureVersion:
    case kFeatureArch:
    case kFeatureCpuDesc:
    case kFeatureCpuId:
      return "s";
    case kFeatureNrCpus:
      return "44";
    case kFeatureTotalMem:
    case kFeatureClockId:
      return "8";
    case kFeatureCmdline:
      return "(s)";
    case kFeatureGroupDesc:
      return "(s44)";
    case kFeaturePmuMappings:
      return "(4s)";
    case kFeatureSampleTime:
      return "88";
    case kFeatureCompressed:
      return "44444";
    case kFeatureClockData:
      return "4488";
    default:
      return nullptr;
  }
}

// Branch flags are bit fields: in the other byte order, each has another place
// in the word.
ByteVector BranchesInOrder(const WordSpan& branches, ByteOrder to) {
  constexpr int kFields[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
  ByteVector out(branches.size() * 8);
  for (size_t i = 0; i < branches.size(); ++i) {
    uint64_t word = branches[i];
    if (i % 3 == 2) {
      word = 0;
      int at = 0;
      for (const int width : kFields) {
        const uint64_t field =
            BitField(branches[i], at, width, branches.order());
        word |= field << (to == ByteOrder::kLittle ? at : 64 - at - width);
        at += width;
      }
    }
    Store(word, &out[i * 8], to);
  }
  return out;
}

ByteVector EncodeAnew(const RawRecord& record, const AttrTable& attrs,
                      ByteOrder to) {
  const EventAttr& attr = attrs.AttrOf(record);
  const size_t trailer = attrs.TrailerSize(record);
  const size_t size = record.body.size() - trailer;
  ByteVector body;
  const bool known = AllRecords::Visit(record.type, [&](auto decoded) {
    EXPECT_TRUE(Decode(record.body.subspan(0, size), record.order, record.misc,
                       attr, &decoded));
    ByteVector branches;
    if constexpr (std::is_same_v<decltype(decoded), SampleRecord>) {
      branches = BranchesInOrder(decoded.branches, to);
      decoded.branches = WordSpan(branches.data(), branches.size() / 8, to);
    }
    body = Encode(decoded, to, record.misc, attr);
  });
  EXPECT_TRUE(known) << "record type " << record.type;
  body.resize(size);
  if (trailer > 0) {
    const ByteVector id = Encode(attrs.TrailerOf(record), to, 0, attr);
    body.insert(body.end(), id.begin(), id.end());
  }
  return body;
}

RawRecord RawOf(const Recording::Record& r, ByteOrder order) {
  RawRecord raw;
  raw.type = r.type;
  raw.misc = r.misc;
  raw.order = order;
  raw.body = r.body;
  return raw;
}

ByteVector AttrRecord(const Recording::Event& event, ByteOrder order) {
  Writer out(order);
  out.Put(EncodeAttr(event.attr, order));
  for (const uint64_t id : event.ids) out.Put(id);
  return out.Take();
}

ByteVector FileOf(const Recording& recording, bool first_version) {
  const ByteOrder order = recording.order;
  std::vector<Recording::Event> events = recording.events;
  uint32_t attr_size = kAttrSizeVer0;
  for (Recording::Event& event : events) {
    if (first_version) event.attr.size = kFirstVersionAttrSize;
    attr_size = std::max(attr_size, event.attr.size);
  }
  // The file has ids, attrs, names of events, data, then the features.
  Writer body(order);
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

  Writer out(order);
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
        out.features.push_back({number, Vector(in.Rest())});
        break;
      }
      case kRecordHeaderTracingData:
        out.features.push_back({kFeatureTracingData, Vector(record.payload)});
        break;
      default:
        out.records.push_back({record.type, record.misc, Vector(record.body),
                               Vector(record.payload),
                               attrs.TimeOf(record).value_or(0)});
    }
  }
  for (const RecordedEvent& event : attrs.events()) {
    out.events.push_back({event.attr, event.ids, event.name});
  }
  return out;
}

Recording InOtherOrder(const Recording& recording) {
  Recording out;
  out.order = recording.order == ByteOrder::kLittle ? ByteOrder::kBig
                                                    : ByteOrder::kLittle;
  out.events = recording.events;
  for (const Recording::Feature& f : recording.features) {
    FeatureConverter convert(f.data, recording.order, out.order);
    if (f.number == kFeatureTracingData) {
      out.features.push_back(f);  // states its own byte order
      continue;
    }
    if (f.number == kFeatureEventDesc) {
      convert.EventDesc(out.order);
    } else if (f.number == kFeatureBuildId) {
      convert.BuildIds();
    } else if (const char* format = FormatOf(f.number)) {
      convert.Fields(format);
    } else {
      continue;
    }
    out.features.push_back({f.number, convert.Take()});
  }
  Diagnostics diagnostics;
  AttrTable attrs(&diagnostics);
  for (const Recording::Event& event : recording.events) {
    const ByteVector attr = AttrRecord(event, recording.order);
    RawRecord raw;
    raw.type = kRecordHeaderAttr;
    raw.order = recording.order;
    raw.body = attr;
    attrs.Observe(raw);
  }
  for (const Recording::Record& r : recording.records) {
    Recording::Record& added = out.records.emplace_back(r);
    added.body = EncodeAnew(RawOf(r, recording.order), attrs, out.order);
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
  Writer out(order);
  const absl::string_view magic =
      order == ByteOrder::kLittle ? "PERFILE2" : "2ELIFREP";
  out.Put(ByteVector(magic.begin(), magic.end()));
  out.Put(uint64_t{kPipeHeaderSize});
  for (const Recording::Event& event : recording.events) {
    out.PutRecord(kRecordHeaderAttr, 0, AttrRecord(event, order));
  }
  for (const Recording::Feature& f : recording.features) {
    if (f.number == kFeatureTracingData) {
      Writer size(order);
      size.Put(static_cast<uint32_t>(f.data.size()));
      out.PutRecord(kRecordHeaderTracingData, 0, size.Take());
      out.Put(f.data);
      continue;
    }
    Writer body(order);
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
  Writer live(recording.order);
  for (const Recording::Record& r : recording.records) {
    if (r.time == 0) {
      out.records.push_back(r);
    } else {
      live.PutRecord(r);
    }
  }
  Writer feature(recording.order);
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
      Writer body(recording.order);
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
  Writer data[2] = {Writer(recording.order), Writer(recording.order)};
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
  Writer version(recording.order);
  version.Put(uint64_t{1});
  main.features.push_back({kFeatureDirFormat, version.Take()});
  WriteFile(path + "/data", AsFile(main));
  WriteFile(path + "/data.0", data[0].Take());
  WriteFile(path + "/data.1", data[1].Take());
}

ByteVector Gzipped(const ByteVector& bytes) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  ByteVector out(deflateBound(&z, bytes.size()));
  z.next_in = const_cast<uint8_t*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

ByteVector Bzip2ed(const ByteVector& bytes) {
  // libbz2's own bound: a hundredth and 600 bytes.
  ByteVector out(bytes.size() + bytes.size() / 100 + 600);
  auto size = static_cast<unsigned>(out.size());
  ByteVector in = bytes;  // libbz2 takes no constant input
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                                     reinterpret_cast<char*>(in.data()),
                                     static_cast<unsigned>(in.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

ByteVector Xzed(const ByteVector& bytes) {
  ByteVector out(lzma_stream_buffer_bound(bytes.size()));
  size_t size = 0;
  EXPECT_EQ(
      lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, bytes.data(),
                              bytes.size(), out.data(), &size, out.size()),
      LZMA_OK);
  out.resize(size);
  return out;
}

ByteVector Zstded(const ByteVector& bytes) {
  ByteVector out(ZSTD_compressBound(bytes.size()));
  out.resize(
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

}  // namespace perf2x
