// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/attr_bit_names.h"

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// By bit number. include/uapi/linux/perf_event.h.
constexpr const char* kReadFormats[] = {
    "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST"};
constexpr const char* kBranchTypes[] = {
    "USER",       "KERNEL",     "HV",       "ANY",       "ANY_CALL",
    "ANY_RETURN", "IND_CALL",   "ABORT_TX", "IN_TX",     "NO_TX",
    "COND",       "CALL_STACK", "IND_JUMP", "CALL",      "NO_FLAGS",
    "NO_CYCLES",  "TYPE_SAVE",  "HW_INDEX", "PRIV_SAVE", "COUNTERS"};
// Bits 15 and 16 are precise_ip.
constexpr const char* kFlags[] = {"disabled",
                                  "inherit",
                                  "pinned",
                                  "exclusive",
                                  "exclude_user",
                                  "exclude_kernel",
                                  "exclude_hv",
                                  "exclude_idle",
                                  "mmap",
                                  "comm",
                                  "freq",
                                  "inherit_stat",
                                  "enable_on_exec",
                                  "task",
                                  "watermark",
                                  "",
                                  "",
                                  "mmap_data",
                                  "sample_id_all",
                                  "exclude_host",
                                  "exclude_guest",
                                  "exclude_callchain_kernel",
                                  "exclude_callchain_user",
                                  "mmap2",
                                  "comm_exec",
                                  "use_clockid",
                                  "context_switch",
                                  "write_backward",
                                  "namespaces",
                                  "ksymbol",
                                  "bpf_event",
                                  "aux_output",
                                  "cgroup",
                                  "text_poke",
                                  "build_id",
                                  "inherit_thread",
                                  "remove_on_exec",
                                  "sigtrap",
                                  "defer_callchain",
                                  "defer_output"};
constexpr uint64_t kPreciseIpBits = uint64_t{3} << 15;

std::vector<std::string> Words(uint64_t bits,
                               absl::Span<const char* const> names) {
  std::vector<std::string> words;
  for (size_t bit = 0; bit < 64; ++bit) {
    if (((bits >> bit) & 1) == 0) continue;
    words.push_back(bit < names.size() ? names[bit]
                                       : absl::StrCat("bit ", bit));
  }
  return words;
}

}  // namespace

std::vector<std::string> SampleTypeBitNames(uint64_t sample_type) {
  return Words(sample_type, kSampleTypeNames);
}
std::vector<std::string> ReadFormatBitNames(uint64_t read_format) {
  return Words(read_format, kReadFormats);
}
std::vector<std::string> BranchTypeBitNames(uint64_t branch_sample_type) {
  return Words(branch_sample_type, kBranchTypes);
}
std::vector<std::string> AttrFlagNames(const EventAttr& attr) {
  return Words(attr.flags & ~kPreciseIpBits, kFlags);
}

}  // namespace perf2x
