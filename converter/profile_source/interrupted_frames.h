// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_INTERRUPTED_FRAMES_H_
#define PERF2X_PROFILE_SOURCE_INTERRUPTED_FRAMES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Corrects addresses in the kernel of a profile that was made without its
// symbols. perf2x then takes every caller's address for a return address, and
// writes one less. With symbols it knows the entry code of interrupts: the
// address after it is that of the interrupted instruction, as is one at its
// start.
class InterruptedFrames {
 public:
  // Returns true if the kernel's address `ip` is in an interrupt entry, and
  // sets
  // `*start` to where that starts.
  using FindEntry = absl::FunctionRef<bool(uint64_t ip, uint64_t* start)>;

  // `profile` must outlive this.
  explicit InterruptedFrames(const Profile& profile);

  // Returns true if the profile has kernel code to correct: without symbols,
  // and written by perf2x.
  bool any() const { return any_; }
  // Returns true if code at the location runs in the kernel.
  bool IsInKernel(uint32_t location) const { return kinds_[location] != kUser; }
  // Sets `*positions` to the frames of a stack, of locations of the profile,
  // whose addresses must be one more.
  void Find(absl::Span<const uint32_t> stack, FindEntry find_entry,
            std::vector<size_t>* positions) const;

 private:
  enum Kind : uint8_t { kUser, kOther, kUnsymbolizedKernel };

  const Profile& profile_;
  std::vector<Kind> kinds_;  // by location
  bool any_ = false;
};

// Corrects the samples of `*profile`, and adds the locations that they then
// need. If there are any, locations are numbered in the order in which samples
// use them, as those of the pprof emitter are. Fails if a sample is damaged.
absl::Status CorrectInterruptedFrames(InterruptedFrames::FindEntry find_entry,
                                      Profile* profile);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_INTERRUPTED_FRAMES_H_
