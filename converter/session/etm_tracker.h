// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ETM_TRACKER_H_
#define PERF2X_SESSION_ETM_TRACKER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/hwtrace/etm_info.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/aux_queues.h"
#include "converter/session/etm_fragment_decoder.h"
#include "converter/session/etm_samples.h"
#include "converter/session/mapped_etm_code.h"

namespace perf2x {

// Makes samples of CoreSight traces. An AUX record names a range of AUX data.
// The range is decoded as soon as the AUX record and the data have been read,
// with the memory maps of that time. If no AUX record names data, all data is
// decoded at the end. Otherwise, data that no AUX record names is skipped and
// counted. Also counts trace that cannot be decoded, and missing and repeated
// data. While RecordCounts::skips_all(), all trace is skipped and counted.
// Errors are the emitter's. Not thread-safe.
class EtmTracker {
 public:
  // All must outlive the tracker.
  struct Deps {
    TraceTables& tables;
    AddressSpaces& spaces;
    const JitCode& jit_code;
    HostEnvironment& environment;
    Diagnostics& diagnostics;
    EtmSamples::Deps samples;
  };
  explicit EtmTracker(const Deps& deps)
      : deps_(deps),
        code_(deps.tables, deps.spaces, deps.samples.threads, deps.jit_code,
              deps.environment),
        samples_(deps.samples) {}

  // Reads AUXTRACE_INFO, AUXTRACE (with payload) and TIME_CONV records. Ignores
  // all others. Uses only the first AUXTRACE_INFO record of a CoreSight trace,
  // and the first TIME_CONV record, that can be decoded. Keeps the blocks of
  // AUXTRACE records until their trace is decoded. AUXTRACE_INFO must come
  // before AUXTRACE.
  void ObserveHeader(const RawRecord& record);
  // Reads AUX and AUX_OUTPUT_HW_ID records. Ignores all others. Requires
  // has_trace() and, for these records, !ready(). `time` is the record's time.
  void Observe(const RawRecord& record, std::optional<uint64_t> time);
  // Makes the remaining trace ready. To be called once, after the last record.
  // After it, EmitSome must be called until ready() is false.
  void EndRecords();

  // Returns true if the recording has a CoreSight trace that can be decoded:
  // its description was understood, and this build has the decoder.
  bool has_trace() const { return info_.has_value(); }
  // Returns true if trace is ready to be decoded. EmitSome must then be called,
  // until this is false, before the next record.
  bool ready() const { return queues_.has_ready(); }
  // Decodes some trace and emits its samples. Stops when the budget must be
  // checked (RecordCounts::is_check_due) or the range of an AUX record ends.
  // Requires ready().
  absl::Status EmitSome();

  // Returns the approximate memory, in bytes, without blocks.
  uint64_t memory() const;

 private:
  // {true, CPU} for a raw trace; {false, sink} for one in formatter frames.
  using DecoderKey = std::pair<bool, uint32_t>;

  void AddInfo(const RawRecord& record);
  void AddData(const RawRecord& record);
  void AddFragment(const RawRecord& record, std::optional<uint64_t> time);
  void AddHardwareId(const RawRecord& record);
  void CountRepeatedAndUnnamed();
  void BeginFragment();
  EtmDecoder* DecoderOf(const AuxRange& range);
  void ChargeWork(uint64_t steps);
  absl::Status EndFragment();
  void SkipFragment();
  void ForgetFragment();
  void CountLacking(uint64_t bytes);

  const Deps deps_;
  std::optional<EtmInfo> info_;
  std::optional<TimeConvRecord> conversion_;
  AuxQueues queues_;
  bool has_fragments_ = false;
  bool raw_ = false;  // an AUX record says so
  MappedEtmCode code_;
  EtmSamples samples_;
  // Null: none of the sources can be decoded.
  std::map<DecoderKey, std::unique_ptr<EtmDecoder>> decoders_;

  // The state of queues_.ready(), the range (fragment) that is being decoded.
  bool begun_ = false;
  EtmFragmentDecoder fragment_;  // not active: no decoder, or no data
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ETM_TRACKER_H_
