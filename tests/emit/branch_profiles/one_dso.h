// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_EMIT_BRANCH_PROFILES_ONE_DSO_H_
#define PERF2X_TESTS_EMIT_BRANCH_PROFILES_ONE_DSO_H_

#include <cstdint>
#include <vector>

#include "converter/model/trace_tables.h"

namespace perf2x {

// One Dso, with each address at the same offset, in every address space.
class OneDso final : public FrameSource {
 public:
  void AppendPlaces(StackId, FramePlaces*) override {}
  DsoId Locate(AddressSpaceId, uint64_t address,
               uint64_t* frame_address) override {
    *frame_address = address;
    ++located_;
    return 0;
  }
  // Returns the number of calls of Locate.
  uint64_t located() const { return located_; }

 private:
  uint64_t located_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_EMIT_BRANCH_PROFILES_ONE_DSO_H_
