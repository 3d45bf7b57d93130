// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PARQUET_FILE_H_
#define PERF2X_TESTS_SUPPORT_PARQUET_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "parquet_types.h"

namespace perf2x {

// A column of a row group, read by code that shares nothing with the writer but
// the statement of the metadata.
struct ParquetChunk {
  std::string column;
  std::vector<std::string> encodings;  // of pages, without levels
  std::vector<std::string> cells;      // of rows; "-" is a null
  std::string least, most;             // statistics; "" if there are none
};

struct ParquetFile {
  std::string problem;  // what is wrong with it, or ""
  parquet::FileMetaData meta;
  std::vector<std::vector<ParquetChunk>> groups;
};

// Reads all of a file as perf2x writes it: pages compressed with zstd, values
// plain, in a dictionary or as differences.
ParquetFile ReadParquet(absl::string_view bytes);

// Returns the schema, the metadata and all row groups as lines of text.
std::string DumpParquet(absl::string_view bytes);

// Returns what is wrong with a file, or "". Sets `*rows` to its number of rows.
std::string CheckParquet(absl::string_view bytes, uint64_t* rows);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PARQUET_FILE_H_
