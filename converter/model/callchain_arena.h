#ifndef PERF2X_MODEL_CALLCHAIN_ARENA_H_
#define PERF2X_MODEL_CALLCHAIN_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// Copies of callchains: words of 8 bytes in the host's byte order, leaf first.
// A packed one takes a byte or two for most words, and none for those that end
// a chain kept shortly before as well: callers mostly stay while leaves change.
class CallchainArena {
 public:
  // Whether Pack takes it.
  static bool CanPack(absl::Span<const uint8_t> chain) {
    return chain.size() % 8 == 0 && chain.size() <= kMaxPacked;
  }
  // `like` is what Pack returned for a chain that may end alike, or null.
  const uint8_t* Pack(absl::Span<const uint8_t> chain, const uint8_t* like);
  // How many words were packed.
  static size_t WordsOf(const uint8_t* packed);
  // Bytes of memory that chains have taken.
  uint64_t memory() const { return bytes_; }
  // Replaces `*words` by what was packed.
  void Unpack(const uint8_t* packed, std::vector<uint64_t>* words) const;

  // Nothing will be packed any more: frees what numbers words.
  void DropIndex() {
    slots_ = std::vector<Slot>();  // `= {}` would keep the memory
    last_words_ = std::vector<uint64_t>();
  }

  // A copy as it is.
  const uint8_t* Keep(absl::Span<const uint8_t> chain);

  // The chains kept before `chain` will not be asked for any more: frees,
  // sooner or later, what they took.
  void ForgetBefore(const uint8_t* chain);

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
  size_t forgotten_ = 0;      // chunks
  uint8_t* begin_ = nullptr;  // of the last chunk, and what is free of it
  uint8_t* at_ = nullptr;
  uint8_t* end_ = nullptr;
  struct Slot {
    uint16_t number = 0;  // of a known word; 0: no slot of any
    uint16_t uses = 0;    // so far, up to what makes it a common one
  };
  std::vector<uint64_t> known_;  // words that have a number: common ones first
  uint16_t common_ = 0;          // how many these are
  std::vector<Slot> slots_;      // by word; open addressing
  const uint8_t* last_ = nullptr;     // packed last, and
  std::vector<uint64_t> last_words_;  // what it was
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_CALLCHAIN_ARENA_H_
