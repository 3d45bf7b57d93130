// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/recording_info.h"

#include <algorithm>

#include "converter/base/distinct_names.h"
#include "converter/base/status_macros.h"
#include "converter/inspect/header_collector.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {
namespace {

// Collects RecordingInfo from the records of one recording.
class Collector {
 public:
  Collector(RecordingInfo* info, Budget& budget, Diagnostics* diagnostics)
      : info_(*info), header_(info, budget, diagnostics), attrs_(diagnostics) {}

  void Observe(const RawRecord& record) {
    attrs_.Observe(record);
    header_.Observe(record);
    if (record.replayed) return;
    // Damaged recordings may have any number of types.
    constexpr size_t kMaxTypes = 1024;
    const bool known = info_.records.size() < kMaxTypes ||
                       info_.records.count(record.type) > 0;
    RecordingInfo::RecordCount& count =
        info_.records[known ? record.type : RecordingInfo::kOtherType];
    ++count.count;
    count.bytes += 8 + record.body.size();
    Count(record);
  }

  void Finish() {
    info_.events = attrs_.events();
    DistinctNames names;
    for (const RecordedEvent& event : info_.events) {
      info_.event_names.push_back(names.MakeDistinct(event.name));
    }
    header_.ReportSkipped();
  }

 private:
  template <class R>
  R Decoded(const RawRecord& record) {
    R decoded;
    const size_t size = record.body.size() - attrs_.TrailerSize(record);
    if (!Decode(record.body.subspan(0, size), record.order, record.misc,
                attrs_.AttrOf(record), &decoded)) {
      return R();
    }
    return decoded;
  }

  void Count(const RawRecord& record) {
    if (const auto time = attrs_.TimeOf(record)) {
      info_.first_time = std::min(info_.first_time.value_or(*time), *time);
      info_.last_time = std::max(info_.last_time.value_or(*time), *time);
    }
    switch (record.type) {
      case kRecordSample: {
        const uint32_t event = attrs_.EventOf(record);
        if (event == kNoEvent) {
          ++info_.samples_of_no_event;
          break;
        }
        info_.samples.resize(std::max<size_t>(info_.samples.size(), event + 1));
        ++info_.samples[event];
        break;
      }
      case kRecordLost:
        info_.lost_records += Decoded<LostRecord>(record).lost;
        break;
      case kRecordLostSamples:
        ((record.misc & kMiscLostSamplesBpf) != 0 ? info_.dropped_samples
                                                  : info_.lost_samples) +=
            Decoded<LostSamplesRecord>(record).lost;
        break;
      case kRecordAuxtraceInfo:
        if (!header_.HasRoomFor("")) break;
        info_.auxtrace_types.push_back(
            AuxtraceTypeName(Decoded<AuxtraceInfoRecord>(record).trace_type));
        break;
      default:
        break;
    }
  }

  RecordingInfo& info_;
  HeaderCollector header_;
  AttrTable attrs_;
};

}  // namespace

absl::StatusOr<RecordingInfo> ReadRecordingInfo(Input input,
                                                Diagnostics* diagnostics) {
  RecordingInfo info;
  info.name = input.name;
  info.directory = input.directory;
  info.data_files = input.data_files.size();
  Budget budget;
  input.AddSizesTo(&budget);
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::Open(std::move(input), diagnostics));
  info.header = reader->header();
  Collector collector(&info, budget, diagnostics);
  for (RawRecord record; reader->Next(&record);) collector.Observe(record);
  collector.Finish();
  info.samples.resize(info.events.size());
  info.bytes = reader->bytes();
  return info;
}

}  // namespace perf2x
