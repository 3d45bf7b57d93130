// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_SPE_SAMPLES_H_
#define PERF2X_HWTRACE_SPE_SAMPLES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/hwtrace/spe_record.h"

namespace perf2x {

// The events that Arm SPE records become, named and grouped as perf does.
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
// "l1d-miss"
const char* SpeSampleEventName(SpeSampleEvent event);

// How a processor encodes SpeRecord::source.
enum class SpeSourceEncoding : uint8_t { kUnknown, kArm, kAmpereOne };
// `midr`: the Main ID Register, whose fields are implementer and part number.
SpeSourceEncoding SpeSourceEncodingOf(uint64_t midr);

// Returns the record's memory access as union perf_mem_data_src of
// linux/perf_event.h; 0 if it is no load or store.
uint64_t SpeDataSource(const SpeRecord& record, SpeSourceEncoding encoding);

// Calls `found` for each event that `options` choose and that the record is a
// sample of.
void ForEachSpeSample(const SpeRecord& record, const ItraceOptions& options,
                      absl::FunctionRef<void(SpeSampleEvent)> found);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_SPE_SAMPLES_H_
