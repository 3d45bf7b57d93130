#ifndef PERF2X_PERF_ATTR_H_
#define PERF2X_PERF_ATTR_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// perf_event_attr: what was asked of the kernel for one event. Fields that the
// writer's version did not have yet are zero.
struct EventAttr {
  uint32_t type = 0;
  uint32_t size = 0;  // bytes on the wire
  uint64_t config = 0;
  uint64_t sample_period = 0;  // or frequency, when `freq`
  uint64_t sample_type = 0;
  uint64_t read_format = 0;
  // The flag word in the layout of a little-endian writer, whatever the byte
  // order of the recording: bit n is the n-th flag of the kernel's struct.
  uint64_t flags = 0;
  uint32_t wakeup_events = 0;
  uint32_t bp_type = 0;
  uint64_t config1 = 0;
  uint64_t config2 = 0;
  uint64_t branch_sample_type = 0;
  uint64_t sample_regs_user = 0;
  uint32_t sample_stack_user = 0;
  int32_t clockid = 0;
  uint64_t sample_regs_intr = 0;
  uint32_t aux_watermark = 0;
  uint16_t sample_max_stack = 0;
  uint32_t aux_sample_size = 0;
  uint32_t aux_action = 0;
  uint64_t sig_data = 0;
  uint64_t config3 = 0;
  uint64_t config4 = 0;

  bool flag(int bit) const { return (flags >> bit) & 1; }
  bool inherit() const { return flag(1); }
  bool freq() const { return flag(10); }
  int precise_ip() const { return static_cast<int>((flags >> 15) & 3); }
  bool sample_id_all() const { return flag(18); }
  bool use_clockid() const { return flag(25); }
};

inline constexpr size_t kAttrSizeVer0 = 64;

// Decodes the attr at the start of `bytes`, no further than its own size field
// says (0 means 64). False when `bytes` is shorter than 64 bytes. What a newer
// writer appended is ignored. Flag bits: a big-endian writer allocates bit
// fields from the top of each word (FORMAT 2.2; perf's own swap leaves
// precise_ip reversed, this does not).
bool DecodeAttr(absl::Span<const uint8_t> bytes, ByteOrder order,
                EventAttr* attr);

// Takes a bit field out of a 64-bit word that was written as C bit fields:
// `shift` and `width` as on a little-endian machine.
inline uint64_t BitField(uint64_t word, int shift, int width, ByteOrder order) {
  const int at = order == ByteOrder::kLittle ? shift : 64 - shift - width;
  return (word >> at) & ((uint64_t{1} << width) - 1);
}

}  // namespace perf2x

#endif  // PERF2X_PERF_ATTR_H_
