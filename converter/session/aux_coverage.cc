// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_coverage.h"

#include <algorithm>

#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

constexpr uint64_t kMaxPadding = 7;

std::pair<int32_t, int32_t> PlaceOf(int32_t cpu, int32_t tid) {
  return {cpu, cpu < 0 ? tid : -1};
}

}  // namespace

std::vector<AuxCoverage::Data> AuxCoverage::AddData(const Range& range) {
  const uint64_t start = range.start, end = SaturatingAdd(start, range.size);
  std::vector<Data> parts;
  if (start == end) return parts;
  ByteRanges& known = data_[PlaceOf(range.cpu, range.tid)];
  ranges_ -= known.size();
  const uint64_t known_end = known.EndOfRangeAround(start);
  if (known_end - start <= kMaxPadding && known_end < end) {
    known.Remove(start, known_end);
  }
  known.Add(start, end, [&parts](uint64_t from, uint64_t to) {
    parts.push_back({from, to - from});
  });
  ranges_ += known.size();
  return parts;
}

void AuxCoverage::AddNamed(const Range& range, uint64_t offset) {
  if (range.size > 0) named_.push_back({range, offset});
}

AuxCoverage::Parts AuxCoverage::AllParts() const {
  Parts parts;
  for (const auto& [place, ranges] : data_) {
    std::vector<Part>& list = parts[place];
    list.reserve(ranges.size());
    uint64_t before = 0;
    ranges.ForEach([&](uint64_t start, uint64_t end) {
      list.push_back({start, end, before});
      before += end - start;
    });
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
    if (it == parts.end() && parts.size() == 1) {
      const Place& only = parts.begin()->first;
      if ((only.first < 0 ? range.tid : range.cpu) < 0) it = parts.begin();
    }
    const uint64_t end = SaturatingAdd(range.start, range.size);
    uint64_t missing = end - range.start;
    if (it != parts.end()) {
      missing -= before(it->second, end) - before(it->second, range.start);
    }
    if (missing > 0) f(offset, missing);
  }
}

}  // namespace perf2x
