// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_CSV_TEXT_H_
#define PERF2X_EMIT_CSV_CSV_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "converter/base/byte_buffer.h"

namespace perf2x {

// Texts in the cells of CSV, see CsvWriter. `plain` has no control characters
// (AsPlainText).

// Returns true if the cell has quotes: commas would end it, and quotes are
// written twice.
inline bool NeedsQuotes(absl::string_view plain) {
  return plain.find(',') != plain.npos || plain.find('"') != plain.npos;
}
// Returns true if a spreadsheet would take the text for a formula: the cell
// gets a leading apostrophe.
inline bool IsLikeFormula(absl::string_view plain) {
  if (plain.empty()) return false;
  const char first = plain[0];
  return first == '=' || first == '+' || first == '-' || first == '@';
}
// Appends the cell of a text of any bytes.
void AppendCsvCell(absl::string_view text, std::string* scratch,
                   ByteBuffer* out);

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_CSV_TEXT_H_
