// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_DATASET_PATH_H_
#define PERF2X_EMIT_PARQUET_DATASET_PATH_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/model/model.h"

namespace perf2x {

// The paths of a dataset's files, with Hive partitions as folders:
// TABLE/host=web1/date=2026-11-24/RECORDING.parquet.
class DatasetPath {
 public:
  // Parses a list of partitions: `host`, `date` (UTC) and `NAME=VALUE`,
  // separated by commas. An empty list is valid. Fails with InvalidArgument for
  // other words, and for empty words. Also fails for a name that occurs twice,
  // and for a VALUE of more than 64 bytes.
  static absl::StatusOr<DatasetPath> Parse(absl::string_view list);

  // Returns the path of a recording's file for `table`, relative to the
  // dataset's folder. The file is named after TraceInfo::recording_id. Unknown
  // values become `__HIVE_DEFAULT_PARTITION__`. Values of more than 64 bytes
  // are cut, with a hash of the whole value at the end. Escapes all bytes
  // except letters, digits and "-_." as in URLs ("%2F"). So no value leads out
  // of the dataset's folder.
  std::string FileOf(absl::string_view table, const TraceInfo& info) const;

  // Fails with InvalidArgument if a partition has the name of this column,
  // ignoring case. Readers turn each partition into a column.
  absl::Status CheckColumn(absl::string_view column) const;

 private:
  // Name and value of each partition. Empty value: from the recording.
  std::vector<std::pair<std::string, std::string>> parts_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_DATASET_PATH_H_
