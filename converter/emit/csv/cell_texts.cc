// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/cell_texts.h"

#include <algorithm>
#include <cstring>

#include "converter/emit/csv/csv_text.h"

namespace perf2x {

// A text of a table that is its own CSV is not copied.
void CellTexts::Add(const Cell& cell, std::vector<absl::string_view>* texts) {
  constexpr size_t kAccountAt = 1 << 16;  // bytes
  const size_t key = cell.key();
  if (key >= texts->size()) {
    const size_t size = std::max(key + 1, 2 * texts->size());
    bytes_ += (size - texts->size()) * sizeof(absl::string_view);
    texts->resize(size);
  }
  const absl::string_view text = cell.text();
  csv_.Clear(/*most_kept=*/kAccountAt);
  AppendCsvCell(text, &scratch_, &csv_);
  const absl::string_view made = csv_.view();
  if (made.empty()) {
    (*texts)[key] = "";
  } else if (cell.is_in_table() && made == text) {
    (*texts)[key] = text;
  } else {
    char* const copy = static_cast<char*>(made_.allocate(made.size(), 1));
    std::memcpy(copy, made.data(), made.size());
    (*texts)[key] = {copy, made.size()};
    bytes_ += made.size();
  }
  if (bytes_ < accounted_ + kAccountAt) return;
  accounted_ = bytes_;
  memory_.Set(bytes_);
}

}  // namespace perf2x
