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

// How the files of a dataset are divided among folders, in the manner of Hive:
// TABLE/host=web1/date=2026-11-24/RECORDING.parquet.
class DatasetPath {
 public:
  // Parses a list of folders: `host`, `date` (UTC) and `NAME=VALUE`, separated
  // by commas. An empty list is valid. Fails with InvalidArgument for other
  // words, for a name that occurs twice and for a VALUE of more than 64 bytes.
  static absl::StatusOr<DatasetPath> Parse(absl::string_view list);

  // Returns the path of a recording's file for `table`, relative to the
  // dataset's folder. The file is named after TraceInfo::recording_id. A value
  // that is not known is `__HIVE_DEFAULT_PARTITION__`; the end of one of more
  // than 64 bytes is replaced by a hash of all. No value leads out of the
  // dataset's folder: a byte that is not a letter, a digit, or one of "-_." is
  // written as in "%2F".
  std::string FileOf(absl::string_view table, const TraceInfo& info) const;

  // Fails with InvalidArgument if a folder has the name of this column, in
  // capital letters or not: readers make a column of the folders.
  absl::Status CheckColumn(absl::string_view column) const;

 private:
  // A folder for each; an empty value is the recording's own.
  std::vector<std::pair<std::string, std::string>> parts_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_DATASET_PATH_H_
