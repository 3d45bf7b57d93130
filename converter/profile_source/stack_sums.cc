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
  while (block_of_.size() < columns_.size()) {
    block_of_.emplace_back().GrowTo(Groups());
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
  if (!block_of_.empty() && block_of_[0].size() < Groups()) {
    for (Chunked<uint32_t>& column : block_of_) column.GrowTo(Groups());
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (values[i] == 0) continue;
    uint32_t& block = block_of_[columns[i]][stack / kRows];
    if (block == 0) {
      block = blocks_.size();
      blocks_.push_back({});
    }
    int64_t& sum = blocks_[block][stack % kRows];
    sum = AddValues(sum, values[i]);
  }
}

void StackSums::ReplaceLocations(absl::Span<const uint32_t> location_now) {
  bool any = false;
  for (uint32_t i = 0; i < location_now.size(); ++i) {
    any |= location_now[i] != i;
  }
  if (!any) return;
  const StackSums old = std::exchange(*this, StackSums());
  columns_ = old.columns_;
  FillColumns();
  std::vector<size_t> columns(columns_.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  std::vector<int64_t> values(columns_.size());
  std::vector<uint64_t> room, locations;
  for (StackId i = 0; i < old.stacks_.size(); ++i) {
    const absl::Span<const uint8_t> chain = old.stacks_.callchain(i, &room);
    locations.clear();
    for (size_t at = 0; at < chain.size(); at += sizeof(uint64_t)) {
      locations.push_back(location_now[Load<uint64_t>(&chain[at], kHostOrder)]);
    }
    for (const size_t column : columns) values[column] = old.value(column, i);
    Add(locations, old.stacks_.address_space(i), columns, values);
  }
}

uint64_t StackSums::memory() const {
  constexpr uint64_t kColumn = 4096;
  return stacks_.memory() + blocks_.size() * uint64_t{sizeof(Block)} +
         columns_.size() * (kColumn + Groups() * uint64_t{sizeof(uint32_t)});
}

}  // namespace perf2x
