// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_text.h"

#include <cstring>

#include "converter/base/text.h"

namespace perf2x {

void AppendCsvCell(absl::string_view text, std::string* scratch,
                   ByteBuffer* out) {
  const absl::string_view plain = AsPlainText(text, scratch);
  const bool quotes = NeedsQuotes(plain);
  // Each byte may be a quote, and there may be two quotes and an apostrophe.
  char* to = out->Reserve(2 * plain.size() + 3);
  if (quotes) *to++ = '"';
  if (IsLikeFormula(plain)) *to++ = '\'';
  absl::string_view rest = plain;
  for (size_t quote;
       quotes && (quote = rest.find('"')) != absl::string_view::npos;) {
    std::memcpy(to, rest.data(), quote + 1);
    to += quote + 1;
    *to++ = '"';
    rest.remove_prefix(quote + 1);
  }
  if (!rest.empty()) std::memcpy(to, rest.data(), rest.size());
  to += rest.size();
  if (quotes) *to++ = '"';
  out->SetEnd(to);
}

}  // namespace perf2x
