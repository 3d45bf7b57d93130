// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_profile.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

bool IsKernel(DsoKind kind) {
  return kind == DsoKind::kKernel || kind == DsoKind::kKernelModule;
}

bool IsInKernel(PlaceId place, const CodePlaces& places,
                const TraceTables& tables) {
  return place != kOutside && IsKernel(tables.dsos()[places.DsoOf(place)].kind);
}

// Returns true for branches that count for the kernel alone.
bool IsOfKernel(const Flow& flow, const BranchCounts& counts,
                const CodePlaces& places, const TraceTables& tables) {
  return counts.rule() == FallThroughRule::kPerf2bolt &&
         (IsInKernel(flow.source, places, tables) ||
          IsInKernel(flow.target, places, tables));
}

// `of_kernel` is the number of branches that are left out as they count for the
// kernel alone.
void ReportDropped(const BranchCounts& counts, const CodePlaces& places,
                   uint64_t of_kernel, Diagnostics* diagnostics) {
  const BranchCounts::Dropped& dropped = counts.dropped();
  ReportSkipped("branch into or out of the kernel, an interrupt", of_kernel,
                diagnostics);
  ReportSkipped("branch that the processor only speculated", dropped.wrong_path,
                diagnostics);
  ReportSkipped("branch stack with calls alone (--call-graph lbr)",
                dropped.call_stacks, diagnostics);
  ReportSkipped(
      "fall-through of a branch stack with some kinds of branches (perf record "
      "-j without any)",
      dropped.some_kinds, diagnostics);
  ReportSkipped("counter beyond the limit on memory", dropped.budget,
                diagnostics, Diagnostics::Severity::kSkipped);
  ReportSkipped("address beyond 4 GiB of code", places.beyond_limit(),
                diagnostics, Diagnostics::Severity::kSkipped);
}

void AddRun(uint64_t source, uint64_t start, uint64_t end, uint64_t count,
            BranchProfile* profile) {
  if (start == BranchProfile::kElsewhere || end == BranchProfile::kElsewhere) {
    return;
  }
  profile->runs.push_back({source, start, end, count});
}

// Returns how many branches are left out as they count for the kernel alone.
uint64_t AddBranches(const BranchCounts& counts, const CodePlaces& places,
                     const TraceTables& tables, const PlaceLinker& linker,
                     BranchProfile* profile) {
  const bool of_kernel = IsKernel(profile->dso->kind);
  uint64_t left_out = of_kernel ? 0 : counts.dropped().kernel;
  profile->branches.reserve(counts.flows().size());
  profile->runs.reserve(counts.flows().size());
  counts.flows().ForEach([&](const Flow& flow) {
    const uint64_t source = linker.AddressOf(flow.source);
    const uint64_t target = linker.AddressOf(flow.target);
    if (flow.runs() != 0) {
      AddRun(source, target, linker.AddressOf(flow.end), flow.runs(), profile);
    }
    if (!of_kernel && IsOfKernel(flow, counts, places, tables)) {
      left_out = SaturatingAdd(left_out, flow.taken());
      return;
    }
    if (flow.taken() == 0 || (source == BranchProfile::kElsewhere &&
                              target == BranchProfile::kElsewhere)) {
      return;
    }
    profile->branches.push_back(
        {source, target, flow.taken(), flow.mispredicted});
  });
  return left_out;
}

// Merges neighbours with equal keys.
template <class Item, class Key, class Add>
void MergeEqual(std::vector<Item>* items, Key key, Add add) {
  size_t kept = 0;
  for (size_t i = 0; i < items->size(); ++i) {
    Item& item = (*items)[i];
    if (kept > 0 && key((*items)[kept - 1]) == key(item)) {
      add(item, &(*items)[kept - 1]);
    } else {
      (*items)[kept++] = item;
    }
  }
  items->resize(kept);
}

// Sorts the profile and merges what became equal: all other DSOs are one.
void SortProfile(BranchProfile* profile) {
  std::sort(profile->branches.begin(), profile->branches.end(),
            [](const auto& a, const auto& b) {
              return std::tie(a.source, a.target) <
                     std::tie(b.source, b.target);
            });
  std::sort(profile->runs.begin(), profile->runs.end(),
            [](const auto& a, const auto& b) {
              return std::tie(a.start, a.end, a.source) <
                     std::tie(b.start, b.end, b.source);
            });
  std::sort(profile->hits.begin(), profile->hits.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  MergeEqual(
      &profile->branches,
      [](const auto& b) { return std::tie(b.source, b.target); },
      [](const auto& from, auto* to) {
        to->count = SaturatingAdd(to->count, from.count);
        to->mispredicted = SaturatingAdd(to->mispredicted, from.mispredicted);
      });
  MergeEqual(
      &profile->runs,
      [](const auto& r) { return std::tie(r.start, r.end, r.source); },
      [](const auto& from, auto* to) {
        to->count = SaturatingAdd(to->count, from.count);
      });
}

}  // namespace

PlaceLinker::PlaceLinker(const CodePlaces& places, DsoId dso,
                         const TraceTables& tables, const CodeImage* code)
    : places_(places), dso_(dso), code_(code) {
  if (code != nullptr) return;
  // Programs without relocation are linked to low addresses, all others mostly
  // as far from 0 as their code is from the start of the file.
  constexpr uint64_t kLow = uint64_t{1} << 32;
  for (const Mapping& mapping : tables.mappings()) {
    if (mapping.dso != dso || mapping.start >= kLow) continue;
    base_ = mapping.start - mapping.offset;
    return;
  }
}

uint64_t PlaceLinker::AddressOf(PlaceId place) const {
  if (place == kOutside || places_.DsoOf(place) != dso_) {
    return BranchProfile::kElsewhere;
  }
  const uint64_t at = places_.FrameAddressOf(place);
  return code_ == nullptr
             ? at + base_
             : code_->AddressOf(at).value_or(BranchProfile::kElsewhere);
}

void ReportSkipped(absl::string_view thing, uint64_t count,
                   Diagnostics* diagnostics, Diagnostics::Severity severity) {
  if (count == 0 || diagnostics == nullptr) return;
  diagnostics->Add(severity, absl::StrCat("not in the profile: ", thing), 0, 0,
                   count);
}

bool MatchesDso(absl::string_view word, const Dso& dso) {
  absl::string_view name = dso.name;
  if (word == name || (!dso.build_id.empty() && word == dso.build_id.Hex())) {
    return true;
  }
  const size_t slash = name.rfind('/');
  return slash != name.npos && word == name.substr(slash + 1);
}

DsoId ChooseDso(const BranchCounts& counts, const CodePlaces& places,
                const TraceTables& tables) {
  struct Score {
    bool is_file = false;
    uint64_t hits = 0, branches = 0;
  };
  std::vector<Score> scores(tables.dsos().size());
  for (const auto& [place, count] : counts.hits()) {
    uint64_t& hits = scores[places.DsoOf(place)].hits;
    hits = SaturatingAdd(hits, count);
  }
  counts.flows().ForEach([&](const Flow& flow) {
    if (flow.target == kOutside) return;
    // A return from the kernel says nothing about a program.
    if (!IsInKernel(flow.target, places, tables) &&
        IsOfKernel(flow, counts, places, tables)) {
      return;
    }
    uint64_t& branches = scores[places.DsoOf(flow.target)].branches;
    // Of hardware traces, also code that no known branch led to.
    branches = SaturatingAdd(branches, flow.count);
  });
  DsoId best = kNoId;
  const auto key = [&scores](DsoId id) {
    const Score& s = scores[id];
    return std::make_tuple(s.is_file, s.hits, s.branches);
  };
  for (DsoId id = 0; id < scores.size(); ++id) {
    Score& score = scores[id];
    if (score.hits == 0 && score.branches == 0) continue;
    score.is_file = tables.dsos()[id].kind == DsoKind::kFile;
    if (best == kNoId || key(id) > key(best)) best = id;
  }
  return best;
}

BranchProfile MakeBranchProfile(const BranchCounts& counts,
                                const CodePlaces& places, DsoId dso,
                                TraceTables& tables, Diagnostics* diagnostics) {
  BranchProfile profile;
  profile.has_branches = counts.samples_with_branches() != 0;
  if (dso == kNoId) {
    ReportDropped(counts, places, counts.dropped().kernel, diagnostics);
    return profile;
  }
  profile.dso = &tables.dsos()[dso];
  profile.code = tables.OpenCode(dso);
  if (profile.code == nullptr && diagnostics != nullptr) {
    diagnostics->Add(
        Diagnostics::Severity::kNote,
        absl::StrCat("the code of ", profile.dso->name,
                     " was not found (of this build), so addresses may be off "
                     "and branches were not checked: ",
                     profile.dso->kind == DsoKind::kKernel
                         ? "pass the kernel's file with --vmlinux"
                         : "name its folder with --symfs"));
  }
  const PlaceLinker linker(places, dso, tables, profile.code.get());
  const uint64_t of_kernel =
      AddBranches(counts, places, tables, linker, &profile);
  ReportDropped(counts, places, of_kernel, diagnostics);
  for (const auto& [place, count] : counts.hits()) {
    const uint64_t address = linker.AddressOf(place);
    if (address != BranchProfile::kElsewhere) {
      profile.hits.push_back({address, count});
    }
  }
  SortProfile(&profile);
  return profile;
}

}  // namespace perf2x
