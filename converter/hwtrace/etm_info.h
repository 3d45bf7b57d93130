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

// The settings of one CPU's trace unit, for its decoder. Fields that are named
// after registers have the registers' values.
struct EtmSource {
  EtmProtocol protocol = EtmProtocol::kEtmV4;
  int32_t cpu = -1;
  uint8_t trace_id = 0;  // 0: not known
  // Trace ids are distinct only among the sources of one sink.
  uint32_t sink = 0;
  uint32_t config = 0;  // TRCCONFIGR (ETMv4, ETE) or ETMCR (ETMv3, PTM)
  uint32_t idr0 = 0, idr1 = 0, idr2 = 0, idr8 = 0;  // TRCIDRn (ETMv4, ETE)
  uint32_t devarch = 0;                             // TRCDEVARCH (ETE)
  uint32_t ccer = 0, etm_idr = 0;  // ETMCCER and ETMIDR (ETMv3, PTM)
  // If set, timestamps are in ticks of the generic timer. TIME_CONV records
  // then convert them.
  bool timer_time = false;

  // Return true if context packets have the tid, in the context id or in the
  // virtual context id. A kernel at EL2 writes the tid to CONTEXTIDR_EL2, the
  // virtual context id in traces.
  bool has_context_id() const;
  bool has_virtual_context_id() const;
};

// Returns true if `id` is a valid trace id of a source: 0x01 … 0x6f.
constexpr bool IsEtmTraceId(uint64_t id) { return id > 0 && id < 0x70; }

// The trace units of a recording.
struct EtmInfo {
  // Set for `perf record --snapshot`: an AUX record's offset is then the end of
  // its data.
  bool snapshot = false;
  std::vector<EtmSource> sources;

  // Returns the source of a CPU; null: there is none.
  EtmSource* SourceOf(int32_t cpu);
};

// Parses the words of an AUXTRACE_INFO record of type kAuxtraceCsEtm; format:
// cs_etm_info_fill() in tools/perf/arch/arm/util/cs-etm.c. Ignores unknown
// parameters of a source. Returns nullopt for a version above 2, for an unknown
// kind of source, and for words that end within a source.
std::optional<EtmInfo> ParseEtmInfo(const WordSpan& words);

// The trace id and the sink of a CoreSight source, from an AUX_OUTPUT_HW_ID
// record (include/linux/coresight-pmu.h).
struct EtmHardwareId {
  uint8_t trace_id = 0;
  uint32_t sink = 0;  // 0: not recorded
};
// Returns nullopt if `hw_id` is of an unknown version or has no valid trace id.
std::optional<EtmHardwareId> ParseEtmHardwareId(uint64_t hw_id);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_INFO_H_
