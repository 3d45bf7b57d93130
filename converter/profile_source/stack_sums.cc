// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/stack_sums.h"

#include <numeric>
#include <utility>

#include "converter/base/byte_order.h"

namespace perf2x {

size_t StackSums::ColumnOf(MergedHeader::Type type) {
  return columns_.try_emplace(std::move(type), columns_.size()).first->second;
}

void StackSums::FillColumns() {
  while (values_.size() < columns_.size()) {
    values_.emplace_back().GrowTo(static_cast<uint32_t>(stacks_.size()));
  }
}

void StackSums::Add(absl::Span<const uint64_t> locations, uint32_t label_set,
                    absl::Span<const size_t> columns,
                    absl::Span<const int64_t> values) {
  const absl::Span<const uint8_t> chain(
      reinterpret_cast<const uint8_t*>(locations.data()),
      locations.size() * sizeof(uint64_t));
  const StackId stack =
      stacks_.Intern(StackTable::HashOf(label_set, chain), label_set, chain,
                     /*stable=*/false);
  if (!values_.empty() && values_[0].size() < stacks_.size()) {
    for (Chunked<int64_t>& column : values_) {
      column.GrowTo(static_cast<uint32_t>(stacks_.size()));
    }
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    int64_t& sum = values_[columns[i]][stack];
    sum = AddValues(sum, values[i]);
  }
}

void StackSums::ReplaceLocations(absl::Span<const uint32_t> location_now) {
  bool any = false;
  for (uint32_t i = 0; i < location_now.size(); ++i) {
    any |= location_now[i] != i;
  }
  if (!any) return;
  StackTable stacks = std::move(stacks_);
  std::vector<Chunked<int64_t>> values(values_.size());
  values.swap(values_);
  stacks_ = StackTable();
  std::vector<size_t> columns(values.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  std::vector<int64_t> of_stack(values.size());
  std::vector<uint64_t> room, locations;
  for (StackId i = 0; i < stacks.size(); ++i) {
    const absl::Span<const uint8_t> chain = stacks.callchain(i, &room);
    locations.clear();
    for (size_t at = 0; at < chain.size(); at += sizeof(uint64_t)) {
      locations.push_back(location_now[Load<uint64_t>(&chain[at], kHostOrder)]);
    }
    for (const size_t column : columns) of_stack[column] = values[column][i];
    Add(locations, stacks.address_space(i), columns, of_stack);
  }
}

uint64_t StackSums::memory() const {
  constexpr uint64_t kColumn = 4096;
  return stacks_.memory() + stacks_.size() * columns_.size() * sizeof(int64_t) +
         columns_.size() * kColumn;
}

}  // namespace perf2x
