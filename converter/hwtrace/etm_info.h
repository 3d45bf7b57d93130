// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_INFO_H_
#define PERF2X_HWTRACE_ETM_INFO_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/base/byte_reader.h"

namespace perf2x {

// The protocols of CoreSight's instruction traces.
enum class EtmProtocol : uint8_t { kEtmV3, kPtm, kEtmV4, kEte };

// The trace unit of a CPU: what a decoder has to know of it. Registers have the
// names that Arm's architecture manuals give them.
struct EtmSource {
  EtmProtocol protocol = EtmProtocol::kEtmV4;
  int32_t cpu = -1;
  uint8_t trace_id = 0;  // 0: not known
  // Trace ids are distinct only among the sources of one sink.
  uint32_t sink = 0;
  uint32_t config = 0;  // TRCCONFIGR; of ETMv3 and PTM, ETMCR
  // Of ETMv4 and ETE.
  uint32_t idr0 = 0, idr1 = 0, idr2 = 0, idr8 = 0;
  uint32_t devarch = 0;            // of ETE
  uint32_t ccer = 0, etm_idr = 0;  // ETMCCER and ETMIDR of ETMv3 and PTM
  // Timestamps count like the generic timer, so that TIME_CONV applies to them.
  bool timer_time = false;

  // Whether the trace names the thread, and by which number of its context: at
  // EL2, the kernel has the thread's number in CONTEXTIDR_EL2, which is traced
  // as that of a virtual machine.
  bool has_context_id() const;
  bool has_virtual_context_id() const;
};

// Returns true if `id` is one that a source may have: 0x01 … 0x6f.
constexpr bool IsEtmTraceId(uint64_t id) { return id > 0 && id < 0x70; }

struct EtmInfo {
  // AUX buffers are overwritten: an AUX record's offset is the end of its data.
  bool snapshot = false;
  std::vector<EtmSource> sources;

  // Returns the source of a CPU; null: there is none.
  EtmSource* SourceOf(int32_t cpu);
};

// Parses the words of an AUXTRACE_INFO record of type kAuxtraceCsEtm
// (cs_etm_info_fill() in tools/perf/arch/arm/util/cs-etm.c), of version 0 to 2.
// Parameters that are not known here are passed over. Nullopt if the words end
// within the parameters of a source, or if a source is of an unknown kind.
std::optional<EtmInfo> ParseEtmInfo(const WordSpan& words);

// What an AUX_OUTPUT_HW_ID record says of a CoreSight source
// (include/linux/coresight-pmu.h).
struct EtmHardwareId {
  uint8_t trace_id = 0;
  uint32_t sink = 0;  // 0: not told
};
// Nullopt if `hw_id` is of an unknown version or has no valid trace id.
std::optional<EtmHardwareId> ParseEtmHardwareId(uint64_t hw_id);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_INFO_H_
