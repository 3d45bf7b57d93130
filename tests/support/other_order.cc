// SPDX-License-Identifier: Apache-2.0
#include "tests/support/other_order.h"

#include <gtest/gtest.h>

#include "converter/base/diagnostics.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "tests/support/recording_writer.h"

namespace perf2x {
namespace {

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
      out_.Put(ToVector(in_.Bytes(size - 12u)));
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
    out_.Put(ToVector(in_.Bytes(n)));
  }
  ByteReader in_;
  RecordingWriter out_;
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

}  // namespace

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

}  // namespace perf2x
