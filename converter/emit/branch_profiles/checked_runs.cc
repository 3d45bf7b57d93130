// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/checked_runs.h"

#include <algorithm>
#include <tuple>

#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

// Adds a count, to the last one if it has the same addresses.
void Append(uint64_t from, uint64_t to, uint64_t count,
            std::vector<CodeCounts::Count>* counts) {
  if (!counts->empty() && counts->back().from == from &&
      counts->back().to == to) {
    counts->back().count = SaturatingAdd(counts->back().count, count);
  } else {
    counts->push_back({from, to, count});
  }
}

class Checker {
 public:
  explicit Checker(CodeImage* code)
      : code_(code != nullptr && code->can_decode() ? code : nullptr) {}

  bool IsInstruction(uint64_t address) const {
    return address != BranchProfile::kElsewhere &&
           (code_ == nullptr || code_->InstructionSize(address) != 0);
  }
  bool RunsThrough(uint64_t start, uint64_t end) const {
    return code_ == nullptr || code_->RunsThrough(start, end);
  }

 private:
  CodeImage* const code_;  // null: not checked
};

void AddRanges(const BranchProfile& profile, const Checker& checker,
               Diagnostics* diagnostics, CodeCounts* counts) {
  uint64_t backwards = 0, crossing = 0, inside = 0;
  for (size_t i = 0, next; i < profile.runs.size(); i = next) {
    const auto& [source, start, end, first] = profile.runs[i];
    uint64_t count = 0;
    for (next = i;
         next < profile.runs.size() && profile.runs[next].start == start &&
         profile.runs[next].end == end;
         ++next) {
      count = SaturatingAdd(count, profile.runs[next].count);
    }
    if (start > end) {
      backwards = SaturatingAdd(backwards, count);
    } else if (!checker.IsInstruction(start) || !checker.IsInstruction(end)) {
      inside = SaturatingAdd(inside, count);
    } else if (!checker.RunsThrough(start, end)) {
      crossing = SaturatingAdd(crossing, count);
    } else {
      Append(start, end, count, &counts->ranges);
    }
  }
  ReportSkipped("fall-through that goes backwards", backwards, diagnostics);
  ReportSkipped("fall-through across a call, a return or a jump", crossing,
                diagnostics);
  ReportSkipped("fall-through whose ends are not in decoded code", inside,
                diagnostics);
}

void AddCheckedBranches(const BranchProfile& profile, const Checker& checker,
                        Diagnostics* diagnostics, CodeCounts* counts) {
  uint64_t inside = 0;
  for (const BranchProfile::Branch& branch : profile.branches) {
    if (branch.target == BranchProfile::kElsewhere) continue;
    if (!checker.IsInstruction(branch.target)) {
      inside = SaturatingAdd(inside, branch.count);
      continue;
    }
    const uint64_t source = checker.IsInstruction(branch.source)
                                ? branch.source
                                : BranchProfile::kElsewhere;
    counts->branches.push_back({source, branch.target, branch.count});
  }
  // Code elsewhere comes first.
  std::sort(counts->branches.begin(), counts->branches.end(),
            [](const CodeCounts::Count& a, const CodeCounts::Count& b) {
              return std::make_tuple(a.from + 1, a.to) <
                     std::make_tuple(b.from + 1, b.to);
            });
  std::vector<CodeCounts::Count> merged;
  for (const auto& [from, to, count] : counts->branches) {
    Append(from, to, count, &merged);
  }
  counts->branches = std::move(merged);
  ReportSkipped("branch to what is not decoded code", inside, diagnostics);
}

}  // namespace

CodeCounts CheckedCounts(const BranchProfile& profile,
                         Diagnostics* diagnostics) {
  CodeCounts counts;
  const Checker checker(profile.code.get());
  if (!profile.has_branches) {
    uint64_t inside = 0;
    for (const BranchProfile::Hit& hit : profile.hits) {
      if (checker.IsInstruction(hit.address)) {
        counts.ranges.push_back({hit.address, hit.address, hit.count});
      } else {
        inside = SaturatingAdd(inside, hit.count);
      }
    }
    ReportSkipped("sample that is not in decoded code", inside, diagnostics);
    return counts;
  }
  AddRanges(profile, checker, diagnostics, &counts);
  AddCheckedBranches(profile, checker, diagnostics, &counts);
  return counts;
}

}  // namespace perf2x
