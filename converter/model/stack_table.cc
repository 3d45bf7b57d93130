// SPDX-License-Identifier: Apache-2.0
#include "converter/model/stack_table.h"

#include <array>
#include <cstring>

#include "converter/base/open_addressing.h"

namespace perf2x {
namespace {

// The least first word of a pair: context markers are the largest 64-bit
// numbers.
constexpr uint64_t kLeastFirst = 0 - (uint64_t{1} << 30);

}  // namespace

StackTable::StackTable() : slots_(kFirstSlots), mask_(kFirstSlots - 1) {}

StackId StackTable::Intern(const Hash128& hash, AddressSpaceId space,
                           absl::Span<const uint8_t> chain, bool stable) {
  const auto low = static_cast<uint32_t>(hash.low);
  uint64_t at = FirstOf(hash.low);
  for (; !slots_[at].is_free(); at = (at + 1) & mask_) {
    if (slots_[at].high == hash.high && slots_[at].low == low) {
      return slots_[at].stack - 1;
    }
  }
  const StackId id = stacks_.size();
  slots_[at] = {hash.high, low, id + 1};
  stacks_.push_back(Keep(space, chain, stable));
  if ((size() - begin_) * 4 > slots_.size() * 3) Grow();
  return id;
}

void StackTable::Grow() {
  mask_ = slots_.size() * 2 - 1;
  DoubleSlots(&slots_, [this](const Slot& slot) { return FirstOf(slot.low); });
}

StackTable::Stack StackTable::Keep(AddressSpaceId space,
                                   absl::Span<const uint8_t> chain,
                                   bool stable) {
  std::array<uint64_t, 2> pair;
  if (chain.size() == sizeof(pair)) {
    std::memcpy(pair.data(), chain.data(), sizeof(pair));
    if (pair[0] >= kLeastFirst) {
      return {pair[1], static_cast<uint32_t>(pair[0] - kLeastFirst), kPair,
              space};
    }
  }
  const auto size = static_cast<uint32_t>(chain.size());
  const bool packs = !stable && CallchainArena::CanPack(chain);
  if (!packs) {
    const uint8_t* bytes = stable ? chain.data() : arena_.StoreUnpacked(chain);
    return {reinterpret_cast<uint64_t>(bytes), size, kBytes, space};
  }
  if (space >= last_packed_.size()) last_packed_.resize(size_t{space} + 1);
  const uint8_t*& last = last_packed_[space];
  last = arena_.Pack(chain, last);
  return {reinterpret_cast<uint64_t>(last), 0, kPacked, space};
}

size_t StackTable::callchain_words(StackId id) const {
  if (id >= stacks_.size() || id < begin_) return 0;
  const Stack& stack = stacks_[id];
  switch (stack.kind) {
    case kBytes:
      return stack.size / 8;
    case kPacked:
      return CallchainArena::WordCount(Bytes(stack));
    default:
      return 2;
  }
}

void StackTable::FreeBelow(StackId end) {
  stacks_.FreeBelow(end);
  constexpr StackId kNowAndThen = 1 << 14;
  if (end % kNowAndThen == 0 && end < size() && stacks_[end].kind == kPacked) {
    arena_.FreeBefore(Bytes(stacks_[end]));
  }
}

void StackTable::FreeAll() {
  begin_ = stacks_.size();
  stacks_.FreeBelow(begin_);
  slots_ = ZeroedArray<Slot>(kFirstSlots);
  mask_ = kFirstSlots - 1;
  last_packed_ = std::vector<const uint8_t*>();
  arena_ = CallchainArena();
}

absl::Span<const uint8_t> StackTable::callchain(
    StackId id, std::vector<uint64_t>* room) const {
  const Stack& stack = stacks_[id];
  switch (stack.kind) {
    case kBytes:
      return {Bytes(stack), stack.size};
    case kPacked:
      arena_.Unpack(Bytes(stack), room);
      break;
    default:
      room->assign({kLeastFirst + stack.size, stack.at});
  }
  return {reinterpret_cast<const uint8_t*>(room->data()), room->size() * 8};
}

}  // namespace perf2x
