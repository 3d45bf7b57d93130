// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_ALL_RECORDS_H_
#define PERF2X_PERF_RECORDS_ALL_RECORDS_H_

#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/simpleperf_records.h"
#include "converter/perf/records/stat_records.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {

// A list of record types, to be walked at compile time.
template <class... Records>
struct RecordList {
  // Calls f(R()), with a default record, for the R whose kType is `type`.
  // Returns false, without a call, if there is none.
  template <class F>
  static bool Visit(uint32_t type, F&& f) {
    return ((Records::kType == type ? (f(Records()), true) : false) || ...);
  }
  // Calls f(R()) for every R, in the order of the list.
  template <class F>
  static void ForEach(F&& f) {
    (f(Records()), ...);
  }
};

// Every record type that perf2x knows. Dispatch, names, statistics and tests
// all use this list.
using AllRecords = RecordList<
    MmapRecord, LostRecord, CommRecord, ExitRecord, ThrottleRecord,
    UnthrottleRecord, ForkRecord, ReadRecord, SampleRecord, Mmap2Record,
    AuxRecord, ItraceStartRecord, LostSamplesRecord, SwitchRecord,
    SwitchCpuWideRecord, NamespacesRecord, KsymbolRecord, BpfEventRecord,
    CgroupRecord, TextPokeRecord, AuxOutputHwIdRecord, CallchainDeferredRecord,
    HeaderAttrRecord, HeaderEventTypeRecord, HeaderTracingDataRecord,
    HeaderBuildIdRecord, FinishedRoundRecord, IdIndexRecord, AuxtraceInfoRecord,
    AuxtraceRecord, AuxtraceErrorRecord, ThreadMapRecord, CpuMapRecord,
    StatConfigRecord, StatRecord, StatRoundRecord, EventUpdateRecord,
    TimeConvRecord, HeaderFeatureRecord, CompressedRecord, FinishedInitRecord,
    Compressed2Record, BpfMetadataRecord, SchedstatCpuRecord,
    SchedstatDomainRecord, SimpleperfKernelSymbolRecord, SimpleperfDsoRecord,
    SimpleperfSymbolRecord, SimpleperfSplitRecord, SimpleperfSplitEndRecord,
    SimpleperfEventIdRecord, SimpleperfCallchainRecord,
    SimpleperfUnwindingResultRecord, SimpleperfTracingDataRecord,
    SimpleperfDebugRecord>;

// Returns the name of a record type: "MMAP2" for 10. Empty for a type that is
// not in AllRecords.
inline absl::string_view RecordName(uint32_t type) {
  absl::string_view name;
  AllRecords::Visit(type, [&](auto r) { name = decltype(r)::kName; });
  return name;
}

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_ALL_RECORDS_H_
