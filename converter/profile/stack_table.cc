#include "converter/profile/stack_table.h"

#include <algorithm>
#include <cstring>

namespace perf2x {
namespace {

constexpr size_t kFirstSlots = 1 << 12;
constexpr size_t kArenaChunk = 1 << 20;

}  // namespace

StackTable::StackTable() : slots_(kFirstSlots), mask_(kFirstSlots - 1) {}

StackId StackTable::Intern(const Hash128& hash, LayoutId layout,
                           absl::Span<const uint8_t> chain, bool stable) {
  const auto low = static_cast<uint32_t>(hash.low);
  uint64_t at = hash.low & mask_;
  while (slots_[at].id != kNoId) {
    if (slots_[at].high == hash.high && slots_[at].low == low) {
      return slots_[at].id;
    }
    at = (at + 1) & mask_;
  }
  const StackId id = size_++;
  slots_[at] = {hash.high, low, id};
  constexpr uint32_t kChunk = 1u << kChunkBits;
  if (id % kChunk == 0) chunks_.emplace_back(new Stack[kChunk]);
  chunks_.back()[id % kChunk] = {stable ? chain.data() : Keep(chain),
                                 static_cast<uint32_t>(chain.size()), layout};
  if (uint64_t{size_} * 4 > slots_.size() * 3) Grow();
  return id;
}

void StackTable::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNoId) continue;
    uint64_t at = slot.low & mask_;
    while (slots_[at].id != kNoId) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

const uint8_t* StackTable::Keep(absl::Span<const uint8_t> chain) {
  if (chain.size() > arena_left_) {
    const size_t size = std::max(kArenaChunk, chain.size());
    arena_.emplace_back(new uint8_t[size]);
    arena_at_ = arena_.back().get();
    arena_left_ = size;
  }
  uint8_t* out = arena_at_;
  if (!chain.empty()) std::memcpy(out, chain.data(), chain.size());
  arena_at_ += chain.size();
  arena_left_ -= chain.size();
  return out;
}

}  // namespace perf2x
