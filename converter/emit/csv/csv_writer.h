// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CSV_WRITER_H_
#define PERF2X_EMIT_CSV_CSV_WRITER_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/output.h"
#include "converter/emit/csv/csv_rows.h"
#include "converter/emit/csv/path_texts.h"

namespace perf2x {

// Writes one table by RFC 4180: a header row, CRLF line ends, quotes only
// around cells with a comma or quote. Numbers are decimal, addresses "0x…". An
// absent value is an empty cell.
//
// Shares have six decimals. Other doubles have the fewest digits that identify
// them, without exponent; an infinite one is an empty cell.
//
// Texts may have any bytes. Invalid UTF-8 becomes U+FFFD; control characters
// become text such as "\n" (AsPlainText). A text that begins like a formula
// gets a leading apostrophe.
//
// Not thread-safe. Returns the output's errors, maybe from a later call; an
// error sticks.
class CsvWriter {
 public:
  // Threads of `helpers` make the text. The bytes do not depend on them.
  // `paths` must outlive this; may be null if no path is written.
  explicit CsvWriter(std::unique_ptr<Output> out, HelperPool* helpers = nullptr,
                     const PathTexts* paths = nullptr);

  // Begins a row, to which at most `cells` cells will be added. EndRow ends it.
  CsvRow NewRow(size_t cells) { return rows_.chunk().NewRow(cells); }
  // Buffers rows, and writes them in order.
  absl::Status EndRow(CsvRow& row);
  // Writes buffered rows and closes the output. To be called once, last.
  absl::Status Close();

 private:
  const std::unique_ptr<Output> out_;
  OrderedChunks<CsvRows, 8> rows_;  // uses out_
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CSV_WRITER_H_
