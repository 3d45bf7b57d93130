// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

constexpr uint64_t kStepsAtATime = 1 << 14;
// A value takes a byte of a profile, and less of a compressed one. Emitters do
// and keep for it what they do for a sample of a recording.
constexpr uint64_t kStepsOfValue = 32;
// Emitters keep and write the functions of a sample all at once.
constexpr uint64_t kMaxFunctions = 1 << 20;
// Bytes that its places, frames and path take meanwhile, for each function.
constexpr uint64_t kOfFunctionOfStack = 48;
// DSOs of one sample. Interned chains are not charged to the budget.
constexpr size_t kMaxUnsymbolized = 64;
// Of the command line in a comment.
constexpr size_t kMaxCommand = 64 << 10, kMaxWords = 4096;

}  // namespace

ProfileSource::ProfileSource(const Profile& profile, TraceTables& tables,
                             SampleSelector* selector, Budget& budget,
                             Diagnostics& diagnostics)
    : profile_(profile),
      tables_(tables),
      selector_(selector),
      budget_(budget),
      memory_(budget),
      diagnostics_(diagnostics),
      trace_(profile, tables),
      events_(profile),
      threads_(profile, tables),
      totals_(events_.events().size()) {
  tables.events = events_.events();
  if (selector == nullptr) return;
  for (EventId event = 0; event < tables.events.size(); ++event) {
    tables.events[event].selection_rank = selector->RankOfEvent(event);
  }
}

// The comments of docs/pprof.md.
TraceInfo ProfileSource::Complete(TraceInfo info) const {
  if (profile_.time_nanos != 0) info.recorded_at = profile_.time_nanos;
  for (const StringIndex comment : profile_.comments) {
    absl::string_view text = profile_[comment];
    if (absl::ConsumePrefix(&text, "command: ")) {
      if (text.size() > kMaxCommand) {
        diagnostics_.Add(Diagnostics::Severity::kSkipped,
                         "command line of the profile beyond 64 KiB", 0,
                         text.size() - kMaxCommand);
      }
      info.command_line = absl::StrSplit(text.substr(0, kMaxCommand),
                                         absl::MaxSplits(' ', kMaxWords - 1));
    } else if (absl::ConsumePrefix(&text, "host: ")) {
      info.hostname = std::string(text);
    } else if (absl::ConsumePrefix(&text, "kernel: ")) {
      const std::pair<absl::string_view, absl::string_view> words =
          absl::StrSplit(text, absl::MaxSplits(' ', 1));
      info.os_release = std::string(words.first);
      info.arch = std::string(words.second);
    } else if (absl::ConsumePrefix(&text, "cpu: ")) {
      info.cpu_description = std::string(text);
    } else if (absl::ConsumePrefix(&text, "perf: ")) {
      info.perf_version = std::string(text);
    }
  }
  return info;
}

absl::Status ProfileSource::EmitSamples(TraceInfo known, Emitter& emitter) {
  RETURN_IF_ERROR(emitter.Begin(Complete(std::move(known))));
  ProfileSample sample;
  const absl::Status read =
      profile_.samples.ForEach([&](absl::Span<const uint8_t> message) {
        RETURN_IF_ERROR(sample.Decode(profile_, message));
        return Emit(&sample, emitter);
      });
  RETURN_IF_ERROR(read);
  memory_.Set(tables_.memory());
  ReportSkipped();
  return selector_ == nullptr ? absl::OkStatus() : selector_->Check();
}

void ProfileSource::ReportSkipped() {
  CountSkippedForBudget("sample of the profile", budget_.exhausted_name(),
                        skipped_, &diagnostics_);
  threads_.ReportSkipped(&diagnostics_);
  if (trace_.skipped_functions() > 0) {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "function beyond the first 1000 of a profile's location",
                     0, 0, trace_.skipped_functions());
  }
  if (negative_ > 0) {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "negative value of the profile left out: only pprof "
                     "shows differences",
                     0, 0, negative_);
  }
  if (deep_ > 0) {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "sample of the profile with more than a million functions",
                     0, 0, deep_);
  }
}

absl::Status ProfileSource::Finish(Emitter& emitter) {
  TraceSummary summary;
  summary.main_dso = trace_.main_dso();
  if (profile_.duration_nanos > 0) {
    summary.first_time = 0;
    summary.last_time = static_cast<uint64_t>(profile_.duration_nanos);
  }
  for (const StringIndex comment : profile_.comments) {
    const absl::string_view text = profile_[comment];
    if (!text.empty() && text[0] >= '1' && text[0] <= '9') {
      summary.losses.emplace_back(text);
    }
  }
  return emitter.Finish(summary);
}

bool ProfileSource::SelectsEvent(EventId event, const ProfileSample& sample,
                                 const Sample& as) {
  if (selector_ == nullptr) return true;
  SampleSelector::Candidate candidate{.event = event,
                                      .thread = as.thread,
                                      .cpu = as.cpu,
                                      .time = as.time,
                                      .count = events_.CountIn(sample, event)};
  if (selector_->needs_place() && !sample.locations.empty()) {
    const FramePlace place = trace_.PlaceOf(sample.locations[0]);
    candidate.dso = place.dso;
    candidate.address = place.address;
  }
  return (!selector_->needs_place() || candidate.dso != kNoId) &&
         selector_->Selects(candidate);
}

bool ProfileSource::ApplySelector(ProfileSample* sample) {
  Sample as;
  bool any = false;
  as.thread = threads_.ThreadOf(*sample);
  threads_.SetCpuAndTime(*sample, &as);
  for (EventId event = 0; event < totals_.size(); ++event) {
    if (events_.IsZero(*sample, event)) continue;
    if (!SelectsEvent(event, *sample, as)) {
      events_.Clear(event, sample);
      continue;
    }
    any = true;
    Totals& totals = totals_[event];
    totals.samples =
        SaturatingAdd(totals.samples, events_.CountIn(*sample, event));
    totals.period =
        SaturatingAdd(totals.period, events_.PeriodIn(*sample, event));
  }
  const uint32_t most = selector_ == nullptr ? 0 : selector_->max_stack();
  if (most != 0 && sample->locations.size() > most) {
    sample->locations.resize(most);
  }
  return any || selector_ == nullptr;
}

// Emitters look at all functions of a stack, and a profile may have any number
// of them at one location. Returns false if the sample is skipped.
bool ProfileSource::AccountFor(const ProfileSample& sample) {
  uint64_t functions = 0;
  for (const uint32_t location : sample.locations) {
    functions += std::max(1u, profile_.locations[location].line_count);
  }
  if (functions > kMaxFunctions) {
    ++deep_;
    return false;
  }
  steps_ += functions;
  most_functions_ = std::max(most_functions_, functions);
  if (steps_ >= kStepsAtATime) {
    budget_.Spend(Budget::kWork, std::exchange(steps_, 0));
    memory_.Set(tables_.memory() + kOfFunctionOfStack * most_functions_);
  }
  if (!budget_.exhausted()) return true;
  ++skipped_;
  return false;
}

absl::Status ProfileSource::Emit(ProfileSample* sample, Emitter& emitter) {
  if (!AccountFor(*sample)) return absl::OkStatus();
  if (!ApplySelector(sample)) return absl::OkStatus();
  Sample out;
  out.thread = threads_.ThreadOf(*sample);
  threads_.SetCpuAndTime(*sample, &out);
  threads_.SetFields(*sample, &out);
  if (out.thread >= announced_.size()) announced_.resize(out.thread + 1);
  if (!announced_[out.thread]) {
    announced_[out.thread] = true;
    RETURN_IF_ERROR(emitter.OnThread(out.thread, std::nullopt));
  }
  out.stack = StackOf(*sample);
  for (EventId event = 0; event < totals_.size(); ++event) {
    negative_ += events_.IsNegative(*sample, event);
    out.event = event;
    out.count = events_.CountIn(*sample, event);
    out.period = events_.PeriodIn(*sample, event);
    if (out.count == 0 && out.period == 0) continue;
    steps_ += kStepsOfValue;
    RETURN_IF_ERROR(emitter.OnSample(out));
  }
  return absl::OkStatus();
}

StackId ProfileSource::StackOf(const ProfileSample& sample) {
  chain_.assign(sample.locations.begin(), sample.locations.end());
  return InternChain();
}

StackId ProfileSource::InternUnsymbolized(const ProfileSample& sample) {
  unsymbolized_.resize(tables_.dsos().size());
  ++samples_;
  chain_.clear();
  for (const uint32_t location : sample.locations) {
    if (!trace_.LacksSymbol(location) || trace_.FoundSymbol(location)) continue;
    Unsymbolized& of_dso = unsymbolized_[trace_.dso_of(location)];
    if (of_dso.location == kNoId) of_dso.location = location;
    if (std::exchange(of_dso.last_sample, samples_) == samples_) continue;
    chain_.push_back(of_dso.location);
    if (chain_.size() == kMaxUnsymbolized) break;
  }
  std::sort(chain_.begin(), chain_.end());
  return InternChain();
}

uint64_t ProfileSource::CountIn(const ProfileSample& sample) const {
  uint64_t count = 0;
  for (EventId event = 0; event < totals_.size(); ++event) {
    count = SaturatingAdd(count, events_.CountIn(sample, event));
  }
  return count;
}

StackId ProfileSource::InternChain() {
  if (chain_.empty()) chain_.push_back(ProfileTrace::kNowhere);
  const absl::Span<const uint8_t> chain(
      reinterpret_cast<const uint8_t*>(chain_.data()), chain_.size() * 8);
  return tables_.stacks.Intern(StackTable::HashOf(0, chain), 0, chain,
                               /*stable=*/false);
}

}  // namespace perf2x
