// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/profile_emitter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

std::string NamedDso(const std::map<std::string, std::string>& options) {
  const auto it = options.find("dso");
  return it == options.end() ? "" : it->second;
}

// Returns true for code that a compiler or BOLT could optimize.
bool HasCodeOfItsOwn(const Dso& dso) {
  return dso.kind == DsoKind::kFile || dso.kind == DsoKind::kKernel ||
         dso.kind == DsoKind::kKernelModule;
}

}  // namespace

ProfileEmitter::ProfileEmitter(const EmitterContext& context,
                               FallThroughRule rule, bool keeps_stacks)
    : tables_(context.tables),
      outputs_(context.outputs),
      budget_(context.budget),
      diagnostics_(context.diagnostics),
      dso_(NamedDso(context.options)),
      places_(context.tables,
              [name = dso_](const Dso& dso) {
                return HasCodeOfItsOwn(dso) &&
                       (name.empty() || MatchesDso(name, dso));
              }),
      counts_(std::in_place, rule, places_, context.budget,
              /*on_thread=*/context.pipeline.helpers()->size() > 0) {
  if (keeps_stacks) context_samples_.emplace(tables_, places_, budget_);
}

absl::Status ProfileEmitter::Begin(const TraceInfo&) {
  ASSIGN_OR_RETURN(output_, outputs_.Open(""));
  return absl::OkStatus();
}

absl::Status ProfileEmitter::OnSample(const Sample& sample) {
  // Tracepoints and the like are not taken at even distances. Samples of
  // derived events repeat others.
  const Event& event = tables_.events[sample.event];
  if (event.derived ||
      (event.kind != EventKind::kSampled && event.kind != EventKind::kClock)) {
    return absl::OkStatus();
  }
  if (sample.event >= sampled_.size()) sampled_.resize(sample.event + 1);
  sampled_[sample.event] = true;
  counts_->Add(sample);
  if (context_samples_.has_value()) context_samples_->Add(sample);
  return absl::OkStatus();
}

absl::Status ProfileEmitter::NoSuchDso() const {
  constexpr size_t kFew = 8;
  std::string known;
  size_t count = 0;
  bool is_missing = false;
  for (DsoId id = 0; id < tables_.dsos().size(); ++id) {
    const Dso& dso = tables_.dsos()[id];
    if (!HasCodeOfItsOwn(dso)) continue;
    if (MatchesDso(dso_, dso) && tables_.OpenCode(id) == nullptr) {
      is_missing = true;
    }
    if (++count > kFew) continue;
    absl::StrAppend(&known, count == 1 ? "" : ", ", dso.name);
  }
  if (count > kFew) absl::StrAppend(&known, " and ", count - kFew, " more");
  const std::string none =
      absl::StrCat("no branch or sample is in --dso \"", dso_, "\"");
  return absl::InvalidArgumentError(
      is_missing ? absl::StrCat(none,
                                ", whose file was not found: name its folder "
                                "with --symfs")
                 : absl::StrCat(none, "; the recording has ",
                                known.empty() ? "no file" : known));
}

void ProfileEmitter::ReportIfEmpty(bool empty,
                                   const BranchProfile& profile) const {
  if (!empty || diagnostics_ == nullptr) return;
  diagnostics_->Add(
      Diagnostics::Severity::kNote,
      profile.dso == nullptr
          ? "the profile is empty: no branch or sample of a clock or counter "
            "is in a file"
          : absl::StrCat("the profile is empty: no sample or branch that "
                         "counts is in a known function of ",
                         profile.dso->name, " (a stripped file has none)"));
}

void ProfileEmitter::ReportChoice(const BranchProfile& profile) const {
  if (profile.dso == nullptr || diagnostics_ == nullptr) return;
  const Dso& dso = *profile.dso;
  std::string note =
      absl::StrCat("the profile is of ", dso.name, ", which has most ",
                   profile.hits.empty() ? "branches" : "samples");
  if (dso_.empty()) {
    absl::StrAppend(&note, "; --dso chooses another file");
  } else {
    const auto other = std::find_if(
        tables_.dsos().begin(), tables_.dsos().end(), [&](const Dso& file) {
          return &file != &dso && HasCodeOfItsOwn(file) &&
                 MatchesDso(dso_, file);
        });
    if (other == tables_.dsos().end()) return;
    absl::StrAppend(&note, " of the files called ", dso_, "; to choose ");
    if (other->name != dso.name) {
      absl::StrAppend(&note, other->name, " give --dso its path");
    } else {
      absl::StrAppend(&note, "another build give --dso its build id, ",
                      other->build_id.Hex());
    }
  }
  diagnostics_->Add(Diagnostics::Severity::kNote, note);
}

absl::Status ProfileEmitter::Finish(const TraceSummary&) {
  counts_->Finish();
  const DsoId dso = ChooseDso(*counts_, places_, tables_);
  chosen_ = dso;
  if (dso == kNoId && !dso_.empty()) return NoSuchDso();
  BranchProfile profile =
      MakeBranchProfile(*counts_, places_, dso, tables_, diagnostics_);
  counts_.reset();  // the memory is for Write
  for (EventId event = 0; event < sampled_.size(); ++event) {
    if (!sampled_[event]) continue;
    profile.events.push_back(tables_.events[event].name);
    if (tables_.events[event].unit == "nanoseconds") {
      profile.samples_time = true;
    }
  }
  ReportChoice(profile);
  RETURN_IF_ERROR(Write(profile, *output_));
  return output_->Close();
}

}  // namespace perf2x
