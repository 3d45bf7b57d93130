// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/cell.h"

#include <variant>

namespace perf2x {

Cell Cell::FromField(const Field& field) {
  if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
    return Text(*text);
  }
  if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    return Hex(hex->value);
  }
  if (const auto* i = std::get_if<int64_t>(&field.value)) return Signed(*i);
  if (const auto* d = std::get_if<double>(&field.value)) return Real(*d);
  return Number(std::get<uint64_t>(field.value));
}

Cell Cell::DecimalFromField(const Field& field) {
  const Cell cell = FromField(field);
  return cell.kind() == Kind::kHex ? Number(cell.number()) : cell;
}

}  // namespace perf2x
