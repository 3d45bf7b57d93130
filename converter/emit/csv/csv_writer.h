// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CSV_WRITER_H_
#define PERF2X_EMIT_CSV_CSV_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/output.h"
#include "converter/emit/csv/csv_rows.h"
#include "converter/emit/json_fields.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes one table by RFC 4180: a header row, CRLF line ends, quotes only
// around cells with a comma or quote. Numbers are decimal, addresses "0x…". An
// absent value is an empty cell.
//
// Texts may have any bytes. Invalid UTF-8 becomes U+FFFD; control characters
// become text such as "\n" (AsPlainText). A text that begins like a formula
// gets a leading apostrophe.
//
// Not thread-safe. Returns the output's errors, maybe from a later call; an
// error sticks.
class CsvWriter {
 public:
  // Up to `helpers` other threads make the text. The bytes do not depend on
  // them.
  explicit CsvWriter(std::unique_ptr<Output> out, size_t helpers = 0);

  // Each writes one cell, from left to right.
  void Text(absl::string_view text) { rows_.chunk().Text(text); }
  void Number(uint64_t value) { rows_.chunk().Number(value); }
  void Signed(int64_t value) { rows_.chunk().Signed(value); }
  void Hex(uint64_t value) { rows_.chunk().Hex(value); }
  void Share(double value) { rows_.chunk().Share(value); }  // six decimals
  // Writes the fewest digits that identify `value`, without exponent; an empty
  // cell if it is not finite.
  void Real(double value);
  void Empty() { rows_.chunk().Empty(); }
  // Writes fields as a JSON object, or an empty cell if there are none.
  void Json(Fields fields);

  // Ends the header row, whose cells are the names of the columns.
  void EndHeader() { rows_.chunk().EndRow(); }
  // Ends a row. Buffers rows, and writes them in order.
  absl::Status EndRow();
  // Writes buffered rows and closes the output. To be called once, last.
  absl::Status Close();

 private:
  const std::unique_ptr<Output> out_;
  FieldsText json_;
  OrderedChunks<CsvRows, 8> rows_;  // uses out_
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CSV_WRITER_H_
