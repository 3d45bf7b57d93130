// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_BRANCH_PROFILE_H_
#define PERF2X_EMIT_BRANCH_PROFILES_BRANCH_PROFILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/emit/branch_profiles/branch_counts.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/model/code_image.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The branches and the samples of one DSO, by link-time addresses.
struct BranchProfile {
  // Stands for all code that is not of the DSO.
  static constexpr uint64_t kElsewhere = ~uint64_t{0};
  struct Branch {
    uint64_t source = 0, target = 0;
    uint64_t count = 0, mispredicted = 0;
  };
  // Code that ran through from `start` to the instruction at `end`, after a
  // branch from `source`.
  struct Run {
    uint64_t source = 0, start = 0, end = 0;
    uint64_t count = 0;
  };
  struct Hit {
    uint64_t address = 0, count = 0;
  };

  const Dso* dso = nullptr;         // null: the recording has no code of a file
  std::shared_ptr<CodeImage> code;  // null: the file was not found
  bool has_branches = false;        // samples of the recording have some
  std::vector<Branch> branches;     // ascending by source and target
  std::vector<Run> runs;            // ascending by start, end and source
  std::vector<Hit> hits;            // sampled addresses, ascending
  std::vector<std::string> events;  // with samples
};

// Returns true if `word` names `dso`: its path, the last part of that, or its
// build id.
bool NamesDso(absl::string_view word, const Dso& dso);

// Returns the Dso with most samples or, if none was sampled, most branches:
// programs and libraries before kernels. kNoId: there is none.
DsoId ChooseDso(const BranchCounts& counts, const CodePlaces& places,
                const TraceTables& tables);

// Returns the profile of `dso`, which may be kNoId, without `events`. Reports
// what is skipped to `diagnostics`, which may be null.
BranchProfile MakeBranchProfile(const BranchCounts& counts,
                                const CodePlaces& places, DsoId dso,
                                TraceTables& tables, Diagnostics* diagnostics);

// Counts occurrences of a reason for which something is not in the profile, and
// reports them. Does nothing if `count` is 0.
void ReportSkipped(absl::string_view what, uint64_t count,
                   Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_BRANCH_PROFILE_H_
