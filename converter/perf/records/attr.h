// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_ATTR_H_
#define PERF2X_PERF_RECORDS_ATTR_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// struct perf_event_attr: the settings of one event. Fields that the
// recording's version of the struct lacks are zero.
struct EventAttr {
  uint32_t type = 0;
  uint32_t size = 0;  // bytes on the wire
  uint64_t config = 0;
  uint64_t sample_period = 0;  // or frequency, when `freq`
  uint64_t sample_type = 0;
  uint64_t read_format = 0;
  // The flag word: bit n is the n-th flag of the kernel's struct, whatever the
  // byte order of the recording.
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

  // The fields as stored, of all versions. Visitors see the flag word in the
  // recording's layout: DecodeAttr() and EncodeAttr() convert it.
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("type", r.type);
    v("size", r.size);
    v.Hex("config", r.config);
    v("sample_period", r.sample_period);
    v.Hex("sample_type", r.sample_type);
    v.Hex("read_format", r.read_format);
    v.Hex("flags", r.flags);
    v("wakeup_events", r.wakeup_events);
    v("bp_type", r.bp_type);
    v.Hex("config1", r.config1);  // VER0 ends here
    v.Hex("config2", r.config2);
    v.Hex("branch_sample_type", r.branch_sample_type);
    v.Hex("sample_regs_user", r.sample_regs_user);
    v("sample_stack_user", r.sample_stack_user);
    v("clockid", r.clockid);
    v.Hex("sample_regs_intr", r.sample_regs_intr);
    v("aux_watermark", r.aux_watermark);
    v("sample_max_stack", r.sample_max_stack);
    v.Skip(2);
    v("aux_sample_size", r.aux_sample_size);
    v.Hex("aux_action", r.aux_action);
    v.Hex("sig_data", r.sig_data);
    v.Hex("config3", r.config3);
    v.Hex("config4", r.config4);
  }

  // Return flags of `flags`, by their bit or by the kernel's name.
  bool flag(int bit) const { return (flags >> bit) & 1; }
  bool inherit() const { return flag(1); }
  bool exclude_user() const { return flag(4); }
  bool exclude_kernel() const { return flag(5); }
  bool freq() const { return flag(10); }
  bool exclude_callchain_user() const { return flag(22); }
  bool defer_callchain() const { return flag(38); }
  int precise_ip() const { return static_cast<int>((flags >> 15) & 3); }
  bool sample_id_all() const { return flag(18); }
  bool use_clockid() const { return flag(25); }
};

// The size of the attr's oldest version, in bytes.
inline constexpr size_t kAttrSizeVer0 = 64;

// Decodes the attr at the start of `bytes`. The attr's own size field says
// where it ends; sizes below 64 count as 64. Fields after that end, or after
// the end of `bytes`, become zero. Ignores fields that a newer version
// appended. If `bytes` is shorter than 64 bytes, returns false and leaves
// `*attr` as it is.
//
// Moves flag bits to the layout of EventAttr::flags: a big-endian writer
// allocates bit fields from the top of each word. perf's own swap reverses
// precise_ip; this function does not.
bool DecodeAttr(absl::Span<const uint8_t> bytes, ByteOrder order,
                EventAttr* attr);

// The inverse of DecodeAttr(). Returns attr.size bytes, or 64 if `size` is 0.
// Cuts off fields after that size. Bytes after the last known field are zero.
std::vector<uint8_t> EncodeAttr(const EventAttr& attr, ByteOrder order);

// Returns a C bit field of `word`, which was loaded from a recording of byte
// order `order`. `shift` and `width` (at most 63) are the field's place on a
// little-endian machine. Big-endian machines allocate bit fields from the top.
inline uint64_t BitField(uint64_t word, int shift, int width, ByteOrder order) {
  const int at = order == ByteOrder::kLittle ? shift : 64 - shift - width;
  return (word >> at) & ((uint64_t{1} << width) - 1);
}

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_ATTR_H_
