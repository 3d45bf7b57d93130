// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_coverage.h"

#include <algorithm>
#include <iterator>

#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

constexpr uint64_t kMaxPadding = 7;

std::pair<int32_t, int32_t> PlaceOf(int32_t cpu, int32_t tid) {
  return {cpu, cpu < 0 ? tid : -1};
}

}  // namespace

AuxCoverage::Data AuxCoverage::AddData(const Range& range) {
  const Place place = PlaceOf(range.cpu, range.tid);
  uint64_t start = range.start;
  uint64_t end = SaturatingAdd(range.start, range.size);
  auto next = data_.upper_bound({place, start});
  auto before = data_.end();
  if (next != data_.begin() && std::prev(next)->first.first == place) {
    before = std::prev(next);
    uint64_t& known = before->second;
    const bool is_padding = known > start && known - start <= kMaxPadding &&
                            before->first.second < start && end > known;
    if (is_padding) known = start;
    if (known < start) before = data_.end();
    if (known > start) start = std::min(known, end);
  }
  const bool has_next = next != data_.end() && next->first.first == place;
  if (has_next) end = std::min(end, next->first.second);
  if (start >= end) return {start, 0};
  uint64_t known = end;
  if (has_next && next->first.second == end) {
    known = next->second;
    data_.erase(next);
  }
  if (before != data_.end()) {
    before->second = known;
  } else {
    data_[{place, start}] = known;
  }
  return {start, end - start};
}

void AuxCoverage::AddNamed(const Range& range, uint64_t offset) {
  if (range.size > 0) named_.push_back({range, offset});
}

AuxCoverage::Parts AuxCoverage::AllParts() const {
  Parts parts;
  for (const auto& [key, end] : data_) {
    std::vector<Part>& list = parts[key.first];
    Part part = {.start = key.second, .end = end, .before = 0};
    if (!list.empty()) {
      const Part& last = list.back();
      part.before = last.before + (last.end - last.start);
    }
    list.push_back(part);
  }
  return parts;
}

void AuxCoverage::ForEachMissing(
    absl::FunctionRef<void(uint64_t offset, uint64_t bytes)> f) const {
  const Parts parts = AllParts();
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
    auto it = range.cpu >= 0 ? parts.find(PlaceOf(range.cpu, -1)) : parts.end();
    if (it == parts.end()) it = parts.find(PlaceOf(-1, range.tid));
    const uint64_t end = SaturatingAdd(range.start, range.size);
    uint64_t missing = end - range.start;
    if (it != parts.end()) {
      missing -= before(it->second, end) - before(it->second, range.start);
    }
    if (missing > 0) f(offset, missing);
  }
}

}  // namespace perf2x
