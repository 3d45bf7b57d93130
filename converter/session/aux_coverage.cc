// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_coverage.h"

#include <algorithm>

#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

int64_t PlaceOfThread(int32_t tid) { return ~int64_t{tid}; }

}  // namespace

bool AuxCoverage::AddData(const Range& range) {
  const int64_t place = range.cpu >= 0 ? range.cpu : PlaceOfThread(range.tid);
  const uint64_t end = SaturatingAdd(range.start, range.size);
  const auto [it, is_new] = data_.try_emplace({place, range.start}, end);
  if (!is_new && it->second == end) return false;
  it->second = std::max(it->second, end);
  return true;
}

void AuxCoverage::AddNamed(const Range& range, uint64_t offset) {
  if (range.size > 0) named_.push_back({range, offset});
}

AuxCoverage::Parts AuxCoverage::DisjointParts() const {
  Parts parts;
  for (const auto& [key, end] : data_) {
    std::vector<Part>& list = parts[key.first];
    Part part = {.start = key.second, .end = end, .before = 0};
    if (!list.empty()) {
      const Part& last = list.back();
      part.start = std::max(part.start, last.end);
      part.before = last.before + (last.end - last.start);
    }
    if (part.start < part.end) list.push_back(part);
  }
  return parts;
}

void AuxCoverage::ForEachMissing(
    absl::FunctionRef<void(uint64_t offset, uint64_t bytes)> f) const {
  const Parts parts = DisjointParts();
  // Returns the bytes of data before offset `at` of the stream.
  const auto before = [](const std::vector<Part>& list, uint64_t at) {
    const auto next = std::partition_point(
        list.begin(), list.end(),
        [at](const Part& part) { return part.start < at; });
    if (next == list.begin()) return uint64_t{0};
    const Part& last = *(next - 1);
    return last.before + (std::min(at, last.end) - last.start);
  };
  for (const auto& [range, offset] : named_) {
    auto it = range.cpu >= 0 ? parts.find(range.cpu) : parts.end();
    if (it == parts.end()) it = parts.find(PlaceOfThread(range.tid));
    const uint64_t end = SaturatingAdd(range.start, range.size);
    uint64_t missing = end - range.start;
    if (it != parts.end()) {
      missing -= before(it->second, end) - before(it->second, range.start);
    }
    if (missing > 0) f(offset, missing);
  }
}

}  // namespace perf2x
