// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_CALLCHAIN_ARENA_H_
#define PERF2X_MODEL_CALLCHAIN_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// Stores copies of callchains in chunks of 1 MiB or more. A callchain is words
// of 8 bytes in the host's byte order, leaf first. A packed copy takes one or
// two bytes for most words. Outer words that equal those of an earlier chain in
// the same chunk take no bytes. Copies are valid until the arena is destroyed
// or FreeBefore frees them. Not thread-safe, except that FreeBefore may run
// while other threads unpack later chains.
class CallchainArena {
 public:
  // Returns true if Pack accepts the chain.
  static bool CanPack(absl::Span<const uint8_t> chain) {
    return chain.size() % 8 == 0 && chain.size() <= kMaxPacked;
  }
  // Returns a packed copy of the chain. Requires CanPack(chain). `like` is an
  // earlier result of Pack that was not freed, or null. Its outer words are
  // shared with `chain` if they are equal.
  const uint8_t* Pack(absl::Span<const uint8_t> chain, const uint8_t* like);
  // Returns the number of words of a packed chain.
  static size_t WordCount(const uint8_t* packed);
  // Returns the size in bytes of all chunks that were not freed.
  uint64_t memory() const { return bytes_; }
  // Sets `*words` to the words of a packed chain.
  void Unpack(const uint8_t* packed, std::vector<uint64_t>* words) const;

  // Frees the tables that only Pack uses. Pack must not be called afterwards.
  void DropIndex() {
    slots_ = std::vector<Slot>();  // `= {}` would keep the memory
    last_words_ = std::vector<uint64_t>();
  }

  // Returns a copy of the bytes of `chain`, unpacked. Accepts any bytes.
  const uint8_t* StoreUnpacked(absl::Span<const uint8_t> chain);

  // Frees all chunks before the chunk that holds `chain`. The copies in them
  // must not be used any more. `chain` must be a copy in this arena that was
  // not freed.
  void FreeBefore(const uint8_t* chain);

 private:
  static constexpr size_t kMaxPacked = 1 << 16;
  static constexpr size_t kChunk = 1 << 20;

  uint8_t* Reserve(size_t size);
  size_t KnownAs(uint64_t word);
  size_t SharedWith(const uint8_t* like, absl::Span<const uint8_t> chain);

  struct Chunk {
    std::unique_ptr<uint8_t[]> bytes;
    size_t size;
  };
  std::vector<Chunk> chunks_;
  uint64_t bytes_ = 0;        // of all chunks
  size_t forgotten_ = 0;      // number of chunks that were freed
  uint8_t* begin_ = nullptr;  // start of the last chunk
  uint8_t* at_ = nullptr;     // [at_, end_) of the last chunk is free
  uint8_t* end_ = nullptr;
  struct Slot {
    uint16_t number = 0;  // index in known_ + 1; 0: free slot
    uint16_t uses = 0;    // counted up to kOften
  };
  std::vector<uint64_t> known_;       // words with a number, common ones first
  uint16_t common_ = 0;               // number of common words
  std::vector<Slot> slots_;           // by word; open addressing
  const uint8_t* last_ = nullptr;     // last packed chain
  std::vector<uint64_t> last_words_;  // its words
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_CALLCHAIN_ARENA_H_
