// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/sample_batch.h"

#include <algorithm>
#include <variant>

namespace perf2x {

void SampleBatch::Add(const Sample& sample) {
  samples_.push_back(sample);
  samples_.back().branches = {};
  samples_.back().access = nullptr;
  Copy(sample.fields, /*names=*/false);
  Copy(sample.tracepoint, /*names=*/true);
}

void SampleBatch::Copy(Fields fields, bool names) {
  bytes_ += fields.size() * sizeof(Field);
  for (const Field& field : fields) {
    Field& copy = fields_.emplace_back(field);
    if (names) copy.name = Copy(field.name);
    if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
      copy.value = Copy(*text);
    }
  }
}

absl::string_view SampleBatch::Copy(absl::string_view text) {
  bytes_ += text.size();
  char* const copy = static_cast<char*>(texts_.allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), copy);
  return {copy, text.size()};
}

// fields_ moves while it grows, so the spans are set here.
absl::Span<const Sample> SampleBatch::samples() {
  const Field* next = fields_.data();
  for (Sample& sample : samples_) {
    sample.fields = {next, sample.fields.size()};
    next += sample.fields.size();
    sample.tracepoint = {next, sample.tracepoint.size()};
    next += sample.tracepoint.size();
  }
  return samples_;
}

void SampleBatch::Clear() {
  samples_.clear();
  fields_.clear();
  texts_.release();
  bytes_ = 0;
}

}  // namespace perf2x
