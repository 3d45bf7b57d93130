// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/record_sequence.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "absl/strings/string_view.h"
#include "converter/perf/records/wire.h"
#include "tests/fuzz/record_bytes.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

constexpr size_t kMaxUnpacked = 1 << 20;

// Appends the records of a recording to a list.
class Parser {
 public:
  explicit Parser(RecordSequence* list)
      : list_(*list), zstd_(ZSTD_createDStream(), ZSTD_freeDStream) {}

  void File(FuzzInput bytes) {
    const auto u64 = [&](size_t at) {
      return Get<uint64_t>(bytes, at, list_.order);
    };
    const uint64_t stride = u64(16);
    const FuzzInput attrs = Part(bytes, u64(24), u64(32));
    for (size_t at = 0; stride > 16 && attrs.size() - at >= stride;
         at += stride) {
      Attr(bytes, attrs.subspan(at, stride));
    }
    const uint64_t data = u64(40);
    const uint64_t end = u64(48) == 0 ? bytes.size() : data + u64(48);
    size_t table = end;
    for (uint32_t bit = 0; bit < 256; ++bit) {
      if (((u64(72 + bit / 64 * 8) >> (bit % 64)) & 1) == 0) continue;
      Feature(bit, Part(bytes, u64(table), u64(table + 8)));
      table += 16;
    }
    Records(Part(bytes, data, end - std::min(data, end)));
  }

  void Records(FuzzInput bytes) {
    while (bytes.size() >= kRecordHeader) {
      RecordSequence::Record record;
      record.type = Get<uint32_t>(bytes, 0, list_.order);
      record.misc = Get<uint16_t>(bytes, 4, list_.order);
      const size_t size = Get<uint16_t>(bytes, 6, list_.order);
      if (size < kRecordHeader || size > bytes.size()) return;
      const FuzzInput body = bytes.subspan(kRecordHeader, size - kRecordHeader);
      bytes.remove_prefix(size);
      uint64_t payload = 0;
      if (record.type == kRecordAuxtrace) {
        payload = Get<uint64_t>(body, 0, list_.order);
      } else if (record.type == kRecordHeaderTracingData) {
        payload = Get<uint32_t>(body, 0, list_.order);
      }
      payload = std::min<uint64_t>(payload, bytes.size());
      record.payload = Vector(bytes.subspan(0, payload));
      bytes.remove_prefix(payload);
      if (!Unpack(record.type, body)) {
        record.body = Vector(body);
        list_.records.push_back(std::move(record));
      }
    }
  }

 private:
  void Attr(FuzzInput bytes, FuzzInput entry) {
    const FuzzInput attr = entry.subspan(0, entry.size() - 16);
    const auto u64 = [&](size_t at) {
      return Get<uint64_t>(entry, at, list_.order);
    };
    RecordSequence::Record record;
    record.type = kRecordHeaderAttr;
    record.body = Vector(attr);
    const FuzzInput ids = Part(bytes, u64(attr.size()), u64(attr.size() + 8));
    Append(ids.subspan(0, std::min(ids.size(), kMaxUnpacked - ids_)),
           &record.body);
    ids_ += record.body.size() - attr.size();
    list_.records.push_back(std::move(record));
  }

  void Feature(uint32_t number, FuzzInput data) {
    RecordSequence::Record record;
    if (number == kFeatureTracingData) {
      record.type = kRecordHeaderTracingData;
      Put(static_cast<uint32_t>(data.size()), list_.order, &record.body);
      record.payload = Vector(data);
    } else {
      record.type = kRecordHeaderFeature;
      Put(uint64_t{number}, list_.order, &record.body);
      Append(data, &record.body);
    }
    list_.records.push_back(std::move(record));
  }

  // Returns false if the record is not compressed or cannot be decompressed.
  bool Unpack(uint32_t type, FuzzInput body) {
    if (type == kRecordCompressed2) {
      body = Part(body, 8, Get<uint64_t>(body, 0, list_.order));
    } else if (type != kRecordCompressed) {
      return false;
    }
    ZSTD_inBuffer in{body.data(), body.size(), 0};
    while (in.pos < in.size && unpacked_ < kMaxUnpacked) {
      std::array<uint8_t, 1 << 14> buffer;
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      if (ZSTD_isError(ZSTD_decompressStream(zstd_.get(), &out, &in)) != 0) {
        return false;
      }
      unpacked_ += out.pos;
      inner_.insert(inner_.end(), buffer.begin(),
                    buffer.begin() + static_cast<ptrdiff_t>(out.pos));
    }
    Inner();
    return true;
  }

  // Appends the complete records among the decompressed bytes to the list.
  void Inner() {
    size_t at = 0;
    while (inner_.size() - at >= kRecordHeader) {
      const size_t size = Get<uint16_t>(inner_, at + 6, list_.order);
      const auto type = Get<uint32_t>(inner_, at, list_.order);
      if (size < kRecordHeader || type == kRecordCompressed ||
          type == kRecordCompressed2) {
        at = inner_.size();
      }
      if (size > inner_.size() - at) break;
      Records(FuzzInput(inner_).subspan(at, size));
      at += size;
    }
    inner_.erase(inner_.begin(), inner_.begin() + static_cast<ptrdiff_t>(at));
  }

  RecordSequence& list_;
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> zstd_;
  ByteVector inner_;  // decompressed bytes, from the start of a record on
  size_t unpacked_ = 0;
  size_t ids_ = 0;  // bytes of events' ids; their sections may overlap
};

}  // namespace

size_t RecordSequence::HeadSize() const {
  size_t size = 0;
  while (size < records.size() &&
         (records[size].type == kRecordHeaderAttr ||
          records[size].type == kRecordHeaderFeature ||
          records[size].type == kRecordHeaderTracingData)) {
    ++size;
  }
  return size;
}

RecordSequence ParseRecordSequence(FuzzInput bytes) {
  RecordSequence list;
  Parser parser(&list);
  if (bytes.size() < kPipeHeader) return list;
  list.order = Vector(bytes.subspan(0, 8)) == MagicOf(ByteOrder::kBig)
                   ? ByteOrder::kBig
                   : ByteOrder::kLittle;
  if (Get<uint64_t>(bytes, 8, list.order) == kPipeHeader) {
    parser.Records(bytes.subspan(kPipeHeader));
  } else {
    parser.File(bytes);
  }
  return list;
}

uint64_t WordAt(const RecordSequence::Record& record, size_t at, size_t size,
                ByteOrder order) {
  return size == 8   ? Get<uint64_t>(record.body, at, order)
         : size == 4 ? Get<uint32_t>(record.body, at, order)
                     : Get<uint16_t>(record.body, at, order);
}

void SetWordAt(RecordSequence::Record* record, size_t at, size_t size,
               uint64_t value, ByteOrder order) {
  if (at > record->body.size() || size > record->body.size() - at) return;
  uint8_t* const to = record->body.data() + at;
  if (size == 8) {
    Store(value, to, order);
  } else if (size == 4) {
    Store(static_cast<uint32_t>(value), to, order);
  } else {
    Store(static_cast<uint16_t>(value), to, order);
  }
}

}  // namespace perf2x
