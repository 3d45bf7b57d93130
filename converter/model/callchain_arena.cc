// SPDX-License-Identifier: Apache-2.0
#include "converter/model/callchain_arena.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "absl/container/inlined_vector.h"
#include "converter/base/hash_seed.h"

// Format of a packed chain:
//   words     number of words in the chain
//   own       number of those, the innermost ones, that are stored here
//   back      only if own < words: distance in bytes from this chain back to
//             the one that ends with the other words
//   own words, outermost first
// Numbers are unsigned LEB128. A word is one of
//   n in [1, kMaxKnown]   known_[n - 1]. Known words are the first distinct
//                         ones, as many as fit two bytes.
//   n > kMaxKnown         n - kMaxKnown - 1 is the distance from the next outer
//                         word (0 if there is none), zigzag-encoded so that
//                         small negative ones are small: 0, -1, 1, -2, …
//   0                     the distance follows, too large for the form above.
// The first kMaxCommon known words, which fit one byte, are words that came
// often. Such a word keeps its first number, too, for the chains packed before.

namespace perf2x {
namespace {

constexpr size_t kMaxOfNumber = 10;
constexpr size_t kMaxKnown = (1 << 14) - 1;
constexpr size_t kSlots = 1 << 15;
constexpr size_t kMaxCommon = (1 << 7) - 1;
constexpr uint16_t kOften = 1000;

uint8_t* PutNumber(uint64_t value, uint8_t* to) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<uint8_t>(value | 0x80);
  *to++ = static_cast<uint8_t>(value);
  return to;
}

uint64_t GetNumber(const uint8_t** from) {
  const uint8_t* at = *from;
  uint64_t value = *at & 0x7f;
  for (int shift = 7; (*at++ & 0x80) != 0; shift += 7) {
    value |= uint64_t{*at & 0x7fu} << shift;
  }
  *from = at;
  return value;
}

uint64_t Fold(uint64_t distance) {
  return distance << 1 ^ (0 - (distance >> 63));
}
uint64_t Unfold(uint64_t folded) { return folded >> 1 ^ (0 - (folded & 1)); }

uint64_t WordAt(absl::Span<const uint8_t> chain, size_t i) {
  uint64_t word;
  std::memcpy(&word, &chain[i * 8], sizeof(word));
  return word;
}

struct Packed {
  explicit Packed(const uint8_t* packed) : own_words(packed) {
    words = GetNumber(&own_words);
    own = GetNumber(&own_words);
    if (shared() > 0) base = packed - GetNumber(&own_words);
  }
  size_t shared() const { return words - own; }

  size_t words, own;
  const uint8_t* base = nullptr;
  const uint8_t* own_words;
};

}  // namespace

const uint8_t* CallchainArena::Pack(absl::Span<const uint8_t> chain,
                                    const uint8_t* like) {
  const size_t words = chain.size() / 8;
  uint8_t* const packed = Reserve((3 + 2 * words) * kMaxOfNumber);
  // `like` is of use in the last chunk only.
  const bool near = like != nullptr && !std::less<>()(like, begin_) &&
                    std::less<>()(like, packed);
  size_t shared = near ? SharedWith(like, chain) : 0;
  const uint8_t* base = like;
  while (shared > 0) {
    const Packed to(base);
    if (to.shared() < shared) break;
    base = to.base;
  }
  uint8_t* to = PutNumber(words, packed);
  to = PutNumber(words - shared, to);
  if (shared > 0) to = PutNumber(static_cast<uint64_t>(packed - base), to);

  uint64_t before = shared > 0 ? WordAt(chain, words - shared) : 0;
  for (size_t i = words - shared; i-- > 0;) {
    const uint64_t word = WordAt(chain, i);
    if (const size_t known = KnownAs(word); known > 0) {
      to = PutNumber(known, to);
    } else if (const uint64_t folded = Fold(word - before);
               folded < ~uint64_t{0} - kMaxKnown) {
      to = PutNumber(folded + kMaxKnown + 1, to);
    } else {
      *to++ = 0;
      to = PutNumber(folded, to);
    }
    before = word;
  }
  at_ = to;
  last_ = packed;
  last_words_.resize(words);
  if (words > 0) std::memcpy(last_words_.data(), chain.data(), chain.size());
  return packed;
}

size_t CallchainArena::WordCount(const uint8_t* packed) {
  return GetNumber(&packed);
}

// Returns the word's index in known_ plus one. Adds a new word; returns 0 if
// known_ is full.
size_t CallchainArena::KnownAs(uint64_t word) {
  if (slots_.empty()) {
    slots_.resize(kSlots);
    known_.reserve(kMaxKnown);
    known_.resize(kMaxCommon);
  }
  for (size_t at = word * kHashSeed.odd >> 49;; at = (at + 1) % kSlots) {
    Slot& slot = slots_[at];
    if (slot.number == 0) {
      if (known_.size() == kMaxKnown) return 0;
      known_.push_back(word);
      slot.number = static_cast<uint16_t>(known_.size());
    }
    if (known_[slot.number - 1] != word) continue;
    if (slot.uses < kOften && ++slot.uses == kOften && common_ < kMaxCommon) {
      known_[common_++] = word;
      slot.number = common_;
    }
    return slot.number;
  }
}

// Returns how many outer words `chain` and `like` have in common.
size_t CallchainArena::SharedWith(const uint8_t* like,
                                  absl::Span<const uint8_t> chain) {
  if (like != last_) {
    Unpack(like, &last_words_);
    last_ = like;
  }
  const size_t words = chain.size() / 8;
  const size_t most = std::min(words, last_words_.size());
  size_t shared = 0;
  while (shared < most && last_words_[last_words_.size() - 1 - shared] ==
                              WordAt(chain, words - 1 - shared)) {
    ++shared;
  }
  return shared;
}

void CallchainArena::Unpack(const uint8_t* packed,
                            std::vector<uint64_t>* words) const {
  struct Part {
    const uint8_t* from;
    size_t count;
  };
  absl::InlinedVector<Part, 32> parts;  // innermost first
  Packed chain(packed);
  words->resize(chain.words);
  for (size_t wanted = chain.words;;) {
    if (wanted > chain.shared()) {
      parts.push_back({chain.own_words, wanted - chain.shared()});
      wanted = chain.shared();
    }
    if (wanted == 0) break;
    chain = Packed(chain.base);
  }
  size_t at = words->size();
  uint64_t before = 0;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const uint8_t* from = part->from;
    for (size_t i = 0; i < part->count; ++i) {
      const uint64_t number = GetNumber(&from);
      if (number > kMaxKnown) {
        before += Unfold(number - kMaxKnown - 1);
      } else {
        before =
            number > 0 ? known_[number - 1] : before + Unfold(GetNumber(&from));
      }
      (*words)[--at] = before;
    }
  }
}

const uint8_t* CallchainArena::StoreUnpacked(absl::Span<const uint8_t> chain) {
  uint8_t* out = Reserve(chain.size());
  if (!chain.empty()) std::memcpy(out, chain.data(), chain.size());
  at_ += chain.size();
  return out;
}

// A packed chain refers only to chains of its own chunk, so that chunks can be
// freed one by one.
void CallchainArena::FreeBefore(const uint8_t* chain) {
  const auto holds = [chain](const Chunk& chunk) {
    return !std::less<>()(chain, chunk.bytes.get()) &&
           std::less<>()(chain, chunk.bytes.get() + chunk.size);
  };
  while (forgotten_ < chunks_.size() && !holds(chunks_[forgotten_])) {
    bytes_ -= chunks_[forgotten_].size;
    chunks_[forgotten_++].bytes.reset();
  }
}

// The bytes are left uninitialized: pages of a chunk that were not written to
// take no memory.
uint8_t* CallchainArena::Reserve(size_t size) {
  if (size > static_cast<size_t>(end_ - at_)) {
    const size_t chunk = std::max(kChunk, size);
    chunks_.push_back({std::unique_ptr<uint8_t[]>(new uint8_t[chunk]), chunk});
    bytes_ += chunk;
    begin_ = at_ = chunks_.back().bytes.get();
    end_ = at_ + chunk;
  }
  return at_;
}

}  // namespace perf2x
