// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/field_copies.h"

#include <algorithm>
#include <variant>

namespace perf2x {

void FieldCopies::Add(Fields fields, bool names) {
  const size_t first = fields_.size();
  bytes_ += fields.size() * sizeof(Field);
  fields_.insert(fields_.end(), fields.begin(), fields.end());
  for (size_t i = first; i < fields_.size(); ++i) {
    Field& copy = fields_[i];
    if (names) copy.name = Copy(copy.name);
    if (const auto* text = std::get_if<absl::string_view>(&copy.value)) {
      copy.value = Copy(*text);
    }
  }
}

absl::string_view FieldCopies::Copy(absl::string_view text) {
  bytes_ += text.size();
  char* const copy = static_cast<char*>(texts_.allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), copy);
  return {copy, text.size()};
}

void FieldCopies::Clear() {
  fields_.clear();
  texts_.release();
  bytes_ = 0;
}

}  // namespace perf2x
