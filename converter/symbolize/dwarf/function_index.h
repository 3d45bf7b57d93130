// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_FUNCTION_INDEX_H_
#define PERF2X_SYMBOLIZE_DWARF_FUNCTION_INDEX_H_

#include <cstdint>

#include "converter/symbolize/dwarf/dwarf_unit.h"
#include "converter/symbolize/dwarf/interval_index.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// The functions of one unit by address. Reads the outer functions at the first
// look-up, and the nested ones at the first look-up of an address that no outer
// function has. Damage, and an exhausted budget, end the list of functions. Not
// thread-safe.
class FunctionIndex {
 public:
  // `unit` must have its abbreviations. Functions with more ranges than are
  // read are added to `*skipped`. Both must outlive the index.
  FunctionIndex(const DwarfUnit& unit, SkippedParts* skipped)
      : unit_(unit), skipped_(skipped) {}

  // Reads the functions that are in no type and in no other function. To be
  // called before the first Find, or not at all.
  void ReadOuter() { Read(/*all=*/false); }
  // Calls `visit` with low, high and the offset of the function's entry for
  // each range that was read so far.
  template <class Visit>
  void ForEach(Visit visit) const {
    offsets_.ForEach(visit);
  }
  // Returns the offset, in the unit's section, of the entry of the function at
  // `address`; null if there is none. Valid until the next call.
  const uint64_t* Find(uint64_t address) {
    const uint64_t* const found = offsets_.Find(address);
    return found != nullptr || depth_read_ == Depth::kAll ? found
                                                          : FindMore(address);
  }

 private:
  enum class Depth { kNone, kOuter, kAll };

  void Read(bool all);
  // Reads functions that were not read yet until one of them has `address`.
  const uint64_t* FindMore(uint64_t address);

  const DwarfUnit& unit_;
  SkippedParts* const skipped_;
  Depth depth_read_ = Depth::kNone;
  IntervalIndex<uint64_t> offsets_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_FUNCTION_INDEX_H_
