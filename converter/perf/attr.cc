#include "converter/perf/attr.h"

#include <algorithm>

#include "converter/base/byte_reader.h"

namespace perf2x {
namespace {

constexpr int kPreciseIpShift = 15;

uint64_t FlagsOf(uint64_t word, ByteOrder order) {
  if (order == ByteOrder::kLittle) return word;
  uint64_t flags = 0;
  for (int bit = 0; bit < 64; ++bit) {
    flags |= BitField(word, bit, 1, order) << bit;
  }
  // Bit by bit is wrong for the one field of two bits.
  flags &= ~(uint64_t{3} << kPreciseIpShift);
  return flags | BitField(word, kPreciseIpShift, 2, order) << kPreciseIpShift;
}

}  // namespace

bool DecodeAttr(absl::Span<const uint8_t> bytes, ByteOrder order,
                EventAttr* attr) {
  if (bytes.size() < kAttrSizeVer0) return false;
  *attr = EventAttr();
  attr->size = Load<uint32_t>(bytes.data() + 4, order);
  const size_t size = attr->size == 0 ? kAttrSizeVer0 : attr->size;
  ByteReader in(bytes.subspan(0, std::max(size, kAttrSizeVer0)), order);
  attr->type = in.U32();
  in.Skip(4);
  attr->config = in.U64();
  attr->sample_period = in.U64();
  attr->sample_type = in.U64();
  attr->read_format = in.U64();
  attr->flags = FlagsOf(in.U64(), order);
  attr->wakeup_events = in.U32();
  attr->bp_type = in.U32();
  attr->config1 = in.U64();
  // The rest came with later versions: where the attr ends, the reader fails
  // and all that follows reads as zero.
  attr->config2 = in.U64();
  attr->branch_sample_type = in.U64();
  attr->sample_regs_user = in.U64();
  attr->sample_stack_user = in.U32();
  attr->clockid = static_cast<int32_t>(in.U32());
  attr->sample_regs_intr = in.U64();
  attr->aux_watermark = in.U32();
  attr->sample_max_stack = in.U16();
  in.Skip(2);
  attr->aux_sample_size = in.U32();
  attr->aux_action = in.U32();
  attr->sig_data = in.U64();
  attr->config3 = in.U64();
  attr->config4 = in.U64();
  return true;
}

}  // namespace perf2x
