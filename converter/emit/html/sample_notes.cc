// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/sample_notes.h"

namespace perf2x {
namespace {

// Numbers of seven bits a byte, the lowest first; all but the last are marked.
uint8_t* Put(uint8_t* to, uint64_t number) {
  for (; number >= 0x80; number >>= 7) {
    *to++ = static_cast<uint8_t>(number | 0x80);
  }
  *to++ = static_cast<uint8_t>(number);
  return to;
}

const uint8_t* Get(const uint8_t* at, uint64_t* number) {
  *number = 0;
  int shift = 0;
  for (; *at >= 0x80; shift += 7) *number |= uint64_t{*at++ & 0x7fu} << shift;
  *number |= uint64_t{*at++} << shift;
  return at;
}

}  // namespace

void SampleNotes::Add(const Note& note) {
  uint8_t bytes[kMaxNoteSize];
  uint8_t* to = bytes + 1;
  Note& last = state_.last;
  uint8_t flags = 0;
  if (note.has_time) {
    flags |= kHasTime;
    if (note.bin != last.bin) {
      flags |= kNewBin;
      to = Put(to, Distance(static_cast<uint64_t>(last.bin),
                            static_cast<uint64_t>(note.bin)));
      last.bin = note.bin;
    }
  }
  if (note.lane != last.lane) {
    flags |= kNewLane;
    to = Put(to, note.lane);
  }
  if (note.period != last.period) {
    flags |= kNewPeriod;
    to = Put(to, note.period);
  }
  if (note.stack == state_.next_stack) {
    flags |= kNewStack;
    ++state_.next_stack;
  } else {
    to = Put(to, Distance(last.stack, note.stack));
  }
  bytes[0] = flags;
  last.lane = note.lane;
  last.period = note.period;
  last.stack = note.stack;
  if (blocks_.empty() || blocks_.back().size() + kMaxNoteSize > kBlock) {
    blocks_.emplace_back().reserve(kBlock);
    ++held_;
  }
  blocks_.back().insert(blocks_.back().end(), bytes, to);
}

const uint8_t* SampleNotes::Reader::Next(const uint8_t* at) {
  Note& note = state_.last;
  const uint8_t flags = *at++;
  uint64_t number = 0;
  note.has_time = (flags & kHasTime) != 0;
  if ((flags & kNewBin) != 0) {
    at = Get(at, &number);
    note.bin =
        static_cast<int64_t>(Moved(static_cast<uint64_t>(note.bin), number));
  }
  if ((flags & kNewLane) != 0) {
    at = Get(at, &number);
    note.lane = static_cast<uint32_t>(number);
  }
  if ((flags & kNewPeriod) != 0) at = Get(at, &note.period);
  if ((flags & kNewStack) != 0) {
    note.stack = state_.next_stack++;
  } else {
    at = Get(at, &number);
    note.stack = static_cast<StackId>(Moved(note.stack, number));
  }
  return at;
}

}  // namespace perf2x
