// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/sample_times.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "converter/base/diagnostics.h"
#include "converter/base/status_macros.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/record_reader.h"

namespace perf2x {

absl::StatusOr<std::pair<uint64_t, uint64_t>> SampleTimesOf(
    const Input& input) {
  if (!input.mapped) {
    return absl::InvalidArgumentError(
        "--time in percent must know the end before the start: not of a "
        "stream, but of a file");
  }
  Input again;
  again.name = input.name;
  again.mapped = input.mapped;
  again.stored = input.stored;
  again.data_files = input.data_files;
  again.directory = input.directory;
  Diagnostics diagnostics;  // not used: the conversion itself reports them
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::Open(std::move(again), &diagnostics));
  AttrTable attrs(&diagnostics);
  HeaderFeatures features;
  Budget budget;
  using Span = std::optional<std::pair<uint64_t, uint64_t>>;
  const auto add = [](uint64_t time, Span* span) {
    if (!*span) span->emplace(time, time);
    (*span)->first = std::min((*span)->first, time);
    (*span)->second = std::max((*span)->second, time);
  };
  Span times, all;
  bool has_trace = false;
  for (RawRecord record; reader->Next(&record);) {
    attrs.Observe(record);
    if (record.replayed) {
      features.Observe(record, budget);
      continue;
    }
    const auto& known = features.sample_time;
    if (known && known->second != 0 && known->first <= known->second) {
      return *known;
    }
    if (record.type == AuxtraceRecord::kType) has_trace = true;
    const std::optional<uint64_t> time = attrs.TimeOf(record);
    if (!time) continue;
    add(*time, &all);
    if (record.type == kRecordSample) add(*time, &times);
  }
  if (times) return *times;
  // Its samples are made while it is converted.
  if (has_trace && all) return *all;
  return absl::InvalidArgumentError(
      "no sample of the recording has a time, which percentages of --time "
      "refer to; counts are selected by START,STOP");
}

}  // namespace perf2x
