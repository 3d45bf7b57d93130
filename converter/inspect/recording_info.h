// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_RECORDING_INFO_H_
#define PERF2X_INSPECT_RECORDING_INFO_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"
#include "converter/inspect/info_value.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"
#include "converter/perf/header/file_header.h"
#include "converter/perf/header/tracing_data.h"
#include "converter/perf/stream/record_reader.h"

namespace perf2x {

// The contents of a recording, as far as they are known without a conversion.
struct RecordingInfo {
  // The records of one type.
  struct RecordCount {
    uint64_t count = 0;
    uint64_t bytes = 0;  // header included, payload not
  };
  // Key in `records` for all types beyond 1024 distinct ones.
  static constexpr uint32_t kOtherType = ~0u;
  struct BuildIdFile {  // a BuildIdEntry that owns its file name
    int32_t pid = 0;
    uint16_t misc = 0;
    BuildId build_id;
    std::string file;
  };
  struct FileSymbols {  // see RecordedFile
    std::string path;
    uint32_t type = 0;
    uint64_t symbols = 0;  // number of symbols
  };

  std::string name, directory;  // as in Input
  uint64_t data_files = 0;      // non-empty data.N of a directory
  FileHeader header;
  HeaderFeatures features;
  std::vector<RecordedEvent> events;
  std::vector<std::string> event_names;  // distinct, by index into `events`
  std::vector<uint64_t> samples;         // counts, by index into `events`
  uint64_t samples_of_no_event = 0;      // their event is not known
  // By type. COMPRESSED records count as the records in them. Replayed records
  // do not count.
  std::map<uint32_t, RecordCount> records;
  ByteAccount bytes;
  uint64_t lost_records = 0;     // from LOST
  uint64_t lost_samples = 0;     // from LOST_SAMPLES
  uint64_t dropped_samples = 0;  // from LOST_SAMPLES; by perf's BPF filter
  std::optional<uint64_t> first_time, last_time;  // of records, in ns
  std::vector<BuildIdFile> build_ids;
  std::optional<TracingDataSummary> tracing;
  std::vector<std::string> auxtrace_types;  // one for each AUXTRACE_INFO
  std::vector<FileSymbols> recorded_files;
};

// Reads the whole recording. Fails if the input is no recording or cannot be
// read. Counts damage in `diagnostics`. Once the input's Budget is exhausted,
// skips further build ids, AUX trace types and recorded files, and counts them.
absl::StatusOr<RecordingInfo> ReadRecordingInfo(Input input,
                                                Diagnostics* diagnostics);

// Returns the tree that `perf2x info` prints, with the keys of its --json.
InfoValue Describe(const RecordingInfo& info);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_RECORDING_INFO_H_
