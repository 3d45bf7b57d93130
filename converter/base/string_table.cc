// SPDX-License-Identifier: Apache-2.0
#include "converter/base/string_table.h"

#include <algorithm>
#include <cstring>

#include "converter/base/hash.h"

namespace perf2x {
namespace {

constexpr size_t kPieceSize = 32 << 10;

}  // namespace

StringId StringTable::Intern(absl::string_view s) {
  const auto hash = static_cast<uint32_t>(XXH3_64bits_withSecret(
      s.data(), s.size(), kHashSeed.secret.data(), kHashSeed.secret.size()));
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].id != kNoString; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && strings_[slots_[at].id] == s) {
      return slots_[at].id;
    }
  }
  const auto id = static_cast<StringId>(strings_.size());
  slots_[at] = {hash, id};
  strings_.push_back(Copy(s));
  bytes_ += s.size();
  if (strings_.size() * 4 > slots_.size() * 3) Grow();
  return id;
}

absl::string_view StringTable::Copy(absl::string_view s) {
  if (s.empty()) return "";
  if (s.size() > free_size_) {
    free_size_ = std::max(kPieceSize, s.size());
    chunks_.emplace_back(new char[free_size_]);
    free_ = chunks_.back().get();
  }
  char* const copy = free_;
  memcpy(copy, s.data(), s.size());
  free_ += s.size();
  free_size_ -= s.size();
  return {copy, s.size()};
}

void StringTable::Grow() {
  std::vector<Slot, HugePageAllocator<Slot>> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNoString) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].id != kNoString) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace perf2x
