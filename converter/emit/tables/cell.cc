// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/cell.h"

#include <variant>

namespace perf2x {

void Cell::SetToField(const Field& field) {
  if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
    kind_ = Kind::kText;
    number_ = kNoId;
    data_ = text->data();
    size_ = text->size();
  } else if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    SetToNumber(Kind::kHex, hex->value);
  } else if (const auto* i = std::get_if<int64_t>(&field.value)) {
    SetToNumber(Kind::kSigned, static_cast<uint64_t>(*i));
  } else if (const auto* d = std::get_if<double>(&field.value)) {
    SetToNumber(Kind::kReal, std::bit_cast<uint64_t>(*d));
  } else {
    SetToNumber(Kind::kNumber, std::get<uint64_t>(field.value));
  }
}

void Cell::SetToDecimalField(const Field& field) {
  SetToField(field);
  if (kind_ == Kind::kHex) kind_ = Kind::kNumber;
}

}  // namespace perf2x
