// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sample_measurements.h"

#include <algorithm>

#include "converter/model/sample_field.h"

namespace perf2x {
namespace {

bool IsEmpty(const Field& field) {
  if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    return hex->value == 0;
  }
  if (const auto* number = std::get_if<uint64_t>(&field.value)) {
    return *number == 0;
  }
  const auto* text = std::get_if<absl::string_view>(&field.value);
  return text != nullptr && text->empty();
}

}  // namespace

bool HasMeasurement(Fields fields) {
  return std::any_of(fields.begin(), fields.end(), [](const Field& field) {
    const SampleField* known = FindSampleField(field.name);
    return known != nullptr && known->is_measurement && !IsEmpty(field);
  });
}

}  // namespace perf2x
