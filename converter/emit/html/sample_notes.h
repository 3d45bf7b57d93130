// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_SAMPLE_NOTES_H_
#define PERF2X_EMIT_HTML_SAMPLE_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/model/model.h"

namespace perf2x {

// A compact list of samples, a few bytes each, in the order of Add. A value
// that equals the previous sample's takes no bytes. Memory grows in blocks of 1
// MiB. Charges no budget; see memory(). Not thread-safe.
class SampleNotes {
 public:
  // A sample.
  struct Note {
    bool has_time = false;
    // The time in units of SampleLog::kFinestBin; undefined without a time.
    int64_t bin = 0;
    uint32_t lane = 0;  // as in SampleLog
    StackId stack = 0;
    uint64_t period = 0;
  };

  // Appends a note.
  void Add(const Note& note);
  // Calls `use(const Note&)` for each note, in the order of Add.
  template <class F>
  void ForEach(F use) const {
    Reader reader;
    for (const Block& block : blocks_) reader.Read(block, use);
  }
  // Calls `use(const Note&)` for each note, in the order of Add, and removes
  // all notes. Frees each block after its last note.
  template <class F>
  void Drain(F use) {
    Reader reader;
    for (Block& block : blocks_) {
      reader.Read(block, use);
      Block().swap(block);
      --held_;
    }
    *this = SampleNotes();
  }
  uint64_t memory() const { return held_ * kBlock; }  // in bytes

 private:
  using Block = std::vector<uint8_t>;
  static constexpr size_t kBlock = size_t{1} << 20;
  // A byte of flags, three numbers of up to 10 bytes, one of up to 5.
  static constexpr size_t kMaxNoteSize = 36;
  enum Flags : uint8_t {
    kHasTime = 1,
    kNewBin = 2,  // as distance, see Distance
    kNewLane = 4,
    kNewPeriod = 8,
    kNewStack = 16,  // the one after the highest so far
  };

  // The previous note, to which differences refer.
  struct State {
    Note last;
    StackId next_stack = 0;
  };
  class Reader {
   public:
    template <class F>
    void Read(const Block& block, F& use) {
      for (const uint8_t* at = block.data();
           at != block.data() + block.size();) {
        at = Next(at);
        use(static_cast<const Note&>(state_.last));
      }
    }

   private:
    const uint8_t* Next(const uint8_t* at);
    State state_;
  };

  // Near numbers have small distances, of either sign.
  static uint64_t Distance(uint64_t from, uint64_t to) {
    const uint64_t d = to - from;
    return d << 1 ^ (0 - (d >> 63));
  }
  static uint64_t Moved(uint64_t from, uint64_t distance) {
    return from + (distance >> 1 ^ (0 - (distance & 1)));
  }

  std::vector<Block> blocks_;
  size_t held_ = 0;  // blocks with memory
  State state_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_SAMPLE_NOTES_H_
