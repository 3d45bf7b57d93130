// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "converter/base/text.h"

namespace perf2x {

absl::string_view CsvCellOf(absl::string_view text, std::string* scratch) {
  const absl::string_view plain = AsPlainText(text, scratch);
  const absl::string_view apostrophe = IsLikeFormula(plain) ? "'" : "";
  if (NeedsQuotes(plain)) {
    *scratch = absl::StrCat("\"", apostrophe,
                            absl::StrReplaceAll(plain, {{"\"", "\"\""}}), "\"");
    return *scratch;
  }
  if (apostrophe.empty()) return plain;
  *scratch = absl::StrCat(apostrophe, plain);
  return *scratch;
}

}  // namespace perf2x
