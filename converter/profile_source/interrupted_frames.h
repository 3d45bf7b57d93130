// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_INTERRUPTED_FRAMES_H_
#define PERF2X_PROFILE_SOURCE_INTERRUPTED_FRAMES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Finds wrong kernel addresses in a profile that perf2x made without the
// kernel's symbols. perf2x takes each caller's address for a return address and
// subtracts one. Two kinds of callers were interrupted instead: the caller of
// an interrupt's entry code, and code at the start of such an entry. Their
// addresses are one too low. The kernel's symbols reveal them. Thread-safe.
class InterruptedFrames {
 public:
  // Returns true if the kernel address `ip` is in an interrupt's entry code.
  // Then sets `*start` to the start of this code.
  using FindEntry = absl::FunctionRef<bool(uint64_t ip, uint64_t* start)>;

  // `profile` must outlive this.
  explicit InterruptedFrames(const Profile& profile);

  // Returns true if the profile may have frames to correct: kernel code whose
  // only line is the placeholder for code without a symbol.
  bool has_candidates() const { return any_; }
  // Returns true if the location with this index is kernel code.
  bool IsInKernel(uint32_t location) const { return kinds_[location] != kUser; }
  // Sets `*positions` to the ascending indexes in `stack` of frames whose
  // addresses are one too low. `stack` has the location indexes of a sample,
  // leaf first.
  void Find(absl::Span<const uint32_t> stack, FindEntry find_entry,
            std::vector<size_t>* positions) const;

 private:
  enum Kind : uint8_t { kUser, kOther, kUnsymbolizedKernel };

  const Profile& profile_;
  std::vector<Kind> kinds_;  // by location
  bool any_ = false;
};

// Corrects the samples of `*profile`, and adds the locations that they then
// need. If a sample was corrected, all locations get new ids from 1, in the
// order in which samples use them. Unused locations come last. If no sample was
// corrected, nothing changes. Fails with DataLoss if a sample is damaged; the
// profile is then unchanged. Charges no budget.
absl::Status CorrectInterruptedFrames(InterruptedFrames::FindEntry find_entry,
                                      Profile* profile);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_INTERRUPTED_FRAMES_H_
