// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ETM_TRACKER_H_
#define PERF2X_SESSION_ETM_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/hwtrace/etm_info.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/aux_data.h"
#include "converter/session/etm_samples.h"
#include "converter/session/mapped_etm_code.h"

namespace perf2x {

// Makes samples of CoreSight traces. The range of AUX data that an AUX record
// names is decoded when that record comes, with the memory maps of that moment,
// and its samples come then, before what comes after the record. Data that no
// AUX record names is not decoded, unless the recording has no AUX record.
// While RecordCounts::skips_all(), trace is skipped and counted. Errors are the
// emitter's. Not thread-safe.
class EtmTracker {
 public:
  // All must outlive the tracker.
  struct Deps {
    TraceTables& tables;
    AddressSpaces& spaces;
    Diagnostics& diagnostics;
    EtmSamples::Deps samples;
  };
  explicit EtmTracker(const Deps& deps)
      : deps_(deps),
        code_(deps.tables, deps.spaces, deps.samples.threads),
        samples_(deps.samples) {}

  // Reads AUXTRACE_INFO, AUXTRACE with its payload and TIME_CONV records.
  // Ignores all others.
  void ObserveHeader(const RawRecord& record);
  // Reads AUX and AUX_OUTPUT_HW_ID records. `time` is that of the record.
  // Ignores all others.
  void Observe(const RawRecord& record, std::optional<uint64_t> time);
  // To be called after the last record, before the last calls of EmitSome.
  void EndRecords();

  // Returns true if the recording has a CoreSight trace.
  bool has_trace() const { return info_.has_value(); }
  // Returns true if EmitSome has something to do.
  bool ready() const { return !ready_.empty(); }
  // Decodes some trace and emits its samples: as much as may be done between
  // two checks of the budget. Requires ready().
  absl::Status EmitSome();

  // Returns the approximate memory, in bytes, without that of blocks.
  uint64_t memory() const;

 private:
  // A range of AUX data.
  struct Fragment {
    int32_t cpu = -1, tid = -1;  // of the AUX record
    uint64_t start = 0, end = 0;
    std::optional<uint64_t> time;
    uint64_t offset = 0;  // of the AUX record
    bool raw = false;     // of one source, not in frames
  };
  // Of a raw trace, the CPU; of one in frames, the sink.
  using DecoderKey = std::pair<bool, uint32_t>;

  void AddInfo(const RawRecord& record);
  void AddData(const RawRecord& record);
  void AddFragment(const RawRecord& record, std::optional<uint64_t> time);
  void AddHardwareId(const RawRecord& record);
  AuxData* DataOf(const Fragment& fragment, int32_t* cpu);
  void WakeWaiting();
  absl::Status BeginFragment();
  EtmDecoder* DecoderOf(const Fragment& fragment, int32_t cpu);
  void DecodeSome();
  absl::Status AddElements();
  absl::Status EndFragment();
  void SkipFragment();
  void Count(Diagnostics::Severity severity, const char* what, uint64_t count);

  const Deps deps_;
  std::optional<EtmInfo> info_;
  std::optional<TimeConvRecord> conversion_;
  // By CPU, or by thread if the CPU is -1.
  std::map<std::pair<int32_t, int32_t>, AuxData> data_;
  uint64_t pieces_ = 0;  // in data_, since the beginning
  bool has_fragments_ = false;
  std::deque<Fragment> ready_, waiting_;  // waiting_: for their data
  MappedEtmCode code_;
  EtmSamples samples_;
  // Null: none of the sources can be decoded.
  std::map<DecoderKey, std::unique_ptr<EtmDecoder>> decoders_;

  // Of the fragment that is decoded, ready_.front(), once it was begun.
  bool begun_ = false;
  EtmDecoder* decoder_ = nullptr;
  AuxData::Piece piece_;  // what is left of the current piece
  uint64_t at_ = 0;       // of the stream: the start of piece_
  std::vector<EtmElement> elements_;
  size_t next_ = 0;  // in elements_
  uint64_t unknown_code_ = 0, overflows_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ETM_TRACKER_H_
