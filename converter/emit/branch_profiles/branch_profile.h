// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_BRANCH_PROFILE_H_
#define PERF2X_EMIT_BRANCH_PROFILES_BRANCH_PROFILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/diagnostics.h"
#include "converter/emit/branch_profiles/branch_counts.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/model/code_image.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The branches and the samples of one DSO, by link-time addresses.
struct BranchProfile {
  // Stands for all addresses outside of the DSO. A Branch::source,
  // Branch::target or Run::source may have this value. No branch has it at both
  // ends.
  static constexpr uint64_t kElsewhere = ~uint64_t{0};
  // A branch: how often it was taken, and how often it was mispredicted.
  struct Branch {
    uint64_t source = 0, target = 0;
    uint64_t count = 0, mispredicted = 0;
  };
  // Code that ran without a branch from `start` to the instruction at `end`,
  // after a branch from `source`.
  struct Run {
    uint64_t source = 0, start = 0, end = 0;
    uint64_t count = 0;  // how often it ran
  };
  // An address, and the number of samples there.
  struct Hit {
    uint64_t address = 0, count = 0;
  };

  const Dso* dso = nullptr;         // null: no DSO, and so no counts
  std::shared_ptr<CodeImage> code;  // null: the file was not found
  // If set, samples of the recording have branches, maybe none of this DSO.
  bool has_branches = false;
  std::vector<Branch> branches;     // distinct, ascending by source and target
  std::vector<Run> runs;            // distinct, by start, end and source
  std::vector<Hit> hits;            // sampled addresses, ascending
  std::vector<std::string> events;  // names of the events with samples
  bool samples_time = false;        // one of them is a clock, as cpu-clock is
};

// Turns places into link-time addresses of one DSO.
class PlaceLinker {
 public:
  // `places` and `code` must outlive the object. If `code` is null, addresses
  // are guessed.
  PlaceLinker(const CodePlaces& places, DsoId dso, const TraceTables& tables,
              const CodeImage* code);
  // Returns the link-time address of a place; BranchProfile::kElsewhere if it
  // is not in the DSO, or if the file does not load it.
  uint64_t AddressOf(PlaceId place) const;

 private:
  const CodePlaces& places_;
  const DsoId dso_;
  const CodeImage* const code_;
  uint64_t base_ = 0;
};

// Returns true if `word` is the DSO's path, its file name, or its build id in
// hexadecimal.
bool MatchesDso(absl::string_view word, const Dso& dso);

// Returns the Dso to make a profile of; kNoId if `counts` is empty. Programs
// and libraries come before all other kinds. Within a kind, most samples win,
// then most branches and runs in the Dso, then the lowest id.
DsoId ChooseDso(const BranchCounts& counts, const CodePlaces& places,
                const TraceTables& tables);

// Returns the profile of `dso`, without `events`. For kNoId, only
// `has_branches` is set. The pointer `dso` in the profile is valid as long as
// the DSOs of `tables` do not change. `code` must not outlive the symbolizer of
// `tables`.
//
// Addresses that the file does not load are not in the profile. With
// kPerf2bolt, branches from or to the kernel are only in a kernel's profile.
// Adds notes to `diagnostics`: on what `counts` dropped, on branches that are
// not in the profile, and on code that was not found. `diagnostics` may be
// null.
BranchProfile MakeBranchProfile(const BranchCounts& counts,
                                const CodePlaces& places, DsoId dso,
                                TraceTables& tables, Diagnostics* diagnostics);

// Adds to `diagnostics` that `count` things are not in the profile. `thing`
// describes one of them: "fall-through that goes backwards". Does nothing if
// `count` is 0 or `diagnostics` is null. Pass kNote for invalid things, and
// kSkipped for things that exceed a limit.
void ReportSkipped(
    absl::string_view thing, uint64_t count, Diagnostics* diagnostics,
    Diagnostics::Severity severity = Diagnostics::Severity::kNote);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_BRANCH_PROFILE_H_
