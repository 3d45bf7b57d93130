// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/attr.h"

#include <algorithm>

#include "converter/perf/records/decode.h"
#include "converter/perf/records/encode.h"

namespace perf2x {
namespace {

constexpr int kPreciseIpShift = 15;

uint64_t FlagsOf(uint64_t word, ByteOrder order) {
  if (order == ByteOrder::kLittle) return word;
  uint64_t flags = 0;
  for (int bit = 0; bit < 64; ++bit) {
    flags |= BitField(word, bit, 1, order) << bit;
  }
  // precise_ip is the only field of two bits: reversing it bit by bit is wrong.
  flags &= ~(uint64_t{3} << kPreciseIpShift);
  return flags | BitField(word, kPreciseIpShift, 2, order) << kPreciseIpShift;
}

}  // namespace

bool DecodeAttr(absl::Span<const uint8_t> bytes, ByteOrder order,
                EventAttr* attr) {
  if (bytes.size() < kAttrSizeVer0) return false;
  *attr = EventAttr();
  const uint32_t size = Load<uint32_t>(bytes.data() + 4, order);
  bytes = bytes.subspan(0, std::max<size_t>(size, kAttrSizeVer0));
  // At the end of the attr the decoder fails, and the fields of later versions
  // read as zero.
  Decode(bytes, order, 0, *attr, attr);
  attr->flags = FlagsOf(attr->flags, order);
  return true;
}

std::vector<uint8_t> EncodeAttr(const EventAttr& attr, ByteOrder order) {
  EventAttr wire = attr;
  wire.flags = FlagsOf(attr.flags, order);  // its own inverse
  std::vector<uint8_t> bytes = Encode(wire, order, 0, attr);
  bytes.resize(attr.size == 0 ? kAttrSizeVer0 : attr.size);
  return bytes;
}

}  // namespace perf2x
