// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_SPE_SAMPLES_H_
#define PERF2X_HWTRACE_SPE_SAMPLES_H_

#include <cstdint>

#include "converter/hwtrace/itrace_options.h"
#include "converter/hwtrace/spe_record.h"

namespace perf2x {

// The events that are made from Arm SPE records, with perf's names. A record
// may be a sample of several events.
enum class SpeSampleEvent : uint8_t {
  kL1dMiss,
  kL1dAccess,
  kLlcMiss,
  kLlcAccess,
  kTlbMiss,
  kTlbAccess,
  kBranchMiss,
  kBranch,
  kRemoteAccess,
  kMemory,
  kInstructions,
};
inline constexpr int kSpeSampleEvents = 11;
// Returns perf's name of an event: "l1d-miss".
const char* SpeSampleEventName(SpeSampleEvent event);

// How a processor encodes SpeRecord::source.
enum class SpeSourceEncoding : uint8_t { kUnknown, kArm, kAmpereOne };
// Returns the encoding of the processor whose Main ID Register is `midr`.
// Returns kUnknown for 0 and for processors without a known encoding.
SpeSourceEncoding SpeSourceEncodingOf(uint64_t midr);

// Returns the record's memory access as union perf_mem_data_src of
// linux/perf_event.h. Returns 0 if the record is no load or store. If
// `encoding` is kUnknown, level and snoop follow from `record.events`. If it is
// known, a load's level and snoop follow from `record.source`; a store's are
// "not available".
uint64_t SpeDataSource(const SpeRecord& record, SpeSourceEncoding encoding);

// Returns the events of which the record is a sample, a bit for each
// SpeSampleEvent, without those that `options` do not choose. Every record is a
// sample of kInstructions: the caller must apply `options.period`.
uint16_t SpeSampleEvents(const SpeRecord& record, const ItraceOptions& options);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_SPE_SAMPLES_H_
