// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/merge_profiles.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/convert/convert_profile.h"
#include "converter/convert/input_kind.h"
#include "converter/convert/kept_labels.h"
#include "converter/convert/merge.h"
#include "converter/convert/profile_input.h"
#include "converter/emit/registry.h"
#include "converter/model/event_names.h"
#include "converter/perf/header/features.h"
#include "converter/profile_source/merged_profile.h"

namespace perf2x {
namespace {

class MemoryOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return MakeStringOutput(&bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The size on disk of an input, which is known when a pipe has been read.
class InputSize {
 public:
  explicit InputSize(const Input& input) : of_file_(input.size) {
    for (const Input::DataFile& file : input.data_files) {
      of_data_ += file.size();
    }
  }
  uint64_t bytes() const { return of_data_ + *of_file_; }

 private:
  const Budget::Size of_file_;
  uint64_t of_data_ = 0;
};

// Adds up the events of a profile that is merged as a whole.
class EventSums {
 public:
  explicit EventSums(const Profile& profile)
      : events_(profile), totals_(events_.events().size()) {}
  bool Add(const ProfileSample& sample) {
    for (EventId event = 0; event < totals_.size(); ++event) {
      auto& [samples, period] = totals_[event];
      samples = SaturatingAdd(samples, events_.CountIn(sample, event));
      period = SaturatingAdd(period, events_.PeriodIn(sample, event));
    }
    return true;
  }
  void AppendTo(ConvertReport* report) const {
    EventNames names(events_.events());
    for (EventId event = 0; event < totals_.size(); ++event) {
      report->events.push_back({names[event], events_.events()[event].unit,
                                totals_[event].first, totals_[event].second});
    }
  }

 private:
  const ProfileEvents events_;
  std::vector<std::pair<uint64_t, uint64_t>> totals_;  // by event
};

// Passes bytes on until the budget is exhausted, which is an error.
class BoundedOutput final : public Output {
 public:
  BoundedOutput(Output& to, Budget& budget) : to_(to), budget_(budget) {}
  absl::Status Write(absl::string_view bytes) override {
    budget_.Spend(Budget::kOutput, bytes.size());
    if (!budget_.exhausted()) return to_.Write(bytes);
    return absl::ResourceExhaustedError(
        "the merged profile is larger than inputs of this size may cause (see "
        "SECURITY.md)");
  }
  absl::Status Close() override { return to_.Close(); }

 private:
  Output& to_;
  Budget& budget_;
};

class Merger {
 public:
  Merger(const ConvertOptions& options, KeptLabels labels, Pipeline& pipeline)
      : options_(options),
        labels_(std::move(labels)),
        pipeline_(pipeline),
        merged_(budget_) {}

  absl::Status Add(const InputIdentity& found, ConvertReport* report);
  // Returns the size on disk of all inputs that were added.
  uint64_t input_size() const { return input_size_; }
  // Symbolizes code that has no symbol yet, which was looked up already if it
  // is of a recording. The report gets what was found.
  void Symbolize(ConvertReport* report);
  absl::Status Write(Output& output) {
    budget_.ReleaseReserve();
    BoundedOutput bounded(output, budget_);
    return merged_.Write(bounded);
  }

 private:
  absl::Status AddRecording(Input input, const InputSize& size,
                            ConvertReport* report);
  absl::Status AddProfile(Input input, bool filter, ConvertReport* report);

  const ConvertOptions& options_;
  const KeptLabels labels_;
  Pipeline& pipeline_;
  Budget budget_;  // of all inputs, for what is kept of them
  MergedProfile merged_;
  uint64_t input_size_ = 0;
  bool has_profiles_ = false;  // not only recordings
};

absl::Status Merger::Add(const InputIdentity& found, ConvertReport* report) {
  ASSIGN_OR_RETURN(Input input, OpenInput(found));
  if (!options_.untrusted) input.AddSizesTo(&budget_);
  const InputSize size(input);
  const absl::Cleanup count = [&] { input_size_ += size.bytes(); };
  if (KindOf(&input) != InputKind::kProfile) {
    return AddRecording(std::move(input), size, report);
  }
  has_profiles_ = report->is_profile = true;
  if (options_.progress != nullptr) options_.progress->AddInput(input);
  absl::Status status = AddProfile(std::move(input), /*filter=*/true, report);
  if (options_.progress != nullptr) {
    options_.progress->Add(report->bytes.data, 0);
  }
  CompleteReport(report);
  return status;
}

// What is merged of a recording is the profile that it would be converted to.
absl::Status Merger::AddRecording(Input input, const InputSize& size,
                                  ConvertReport* report) {
  MemoryOutputs outputs;
  RETURN_IF_ERROR(Convert(std::move(input), *FindEmitter("pprof"), outputs,
                          options_, report));
  const std::string& bytes = outputs.bytes();
  Input profile = MemoryInput(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  profile.size = std::make_shared<std::atomic<uint64_t>>(size.bytes());
  ConvertReport of_profile;
  return AddProfile(std::move(profile), /*filter=*/false, &of_profile);
}

absl::Status Merger::AddProfile(Input input, bool filter,
                                ConvertReport* report) {
  if (filter) RETURN_IF_ERROR(CheckSuitsProfile(options_));
  Budget budget;
  if (!options_.untrusted) input.AddSizesTo(&budget);
  ASSIGN_OR_RETURN(Profile profile,
                   ReadProfileInput(std::move(input), budget, &report->bytes));
  if (filter && options_.symbolize) {
    RETURN_IF_ERROR(CorrectKernelAddresses(options_.symbols, &profile));
  }
  const auto keep = [&](bool selected, ProfileSample* sample) {
    if (selected) labels_.Apply(profile, sample);
    return selected;
  };
  if (!filter || (!options_.filter.any() && options_.filter.max_stack == 0)) {
    EventSums sums(profile);
    absl::Status status = merged_.Add(&profile, [&](ProfileSample* sample) {
      return keep(sums.Add(*sample), sample);
    });
    sums.AppendTo(report);
    return status;
  }
  TraceTables tables;
  SampleFilter sample_filter(options_.filter, tables, budget);
  ProfileSource source(profile, tables, &sample_filter, budget,
                       report->diagnostics);
  sample_filter.set_symbolizer(&source.trace());
  absl::Status status = merged_.Add(&profile, [&](ProfileSample* sample) {
    return keep(source.ApplySelector(sample), sample);
  });
  AppendEventCounts(source, tables, sample_filter, report);
  report->unmatched = sample_filter.Unmatched();
  return status;
}

void Merger::Symbolize(ConvertReport* report) {
  if (!options_.symbolize || !has_profiles_) return;
  SymbolizeOptions symbols = options_.symbols;
  symbols.workers = &pipeline_.workers();
  TraceTables tables;
  LocalMachine machine(std::move(symbols), /*symbolize=*/true,
                       /*unwind=*/false, tables);
  merged_.Symbolize(
      tables, [&] { return machine.MakeSymbolizer(HeaderFeatures()); },
      pipeline_.workers());
  if (machine.symbolizer() == nullptr) return;
  for (DsoReport& dso : machine.symbolizer()->Reports()) {
    report->symbols.push_back(std::move(dso));
  }
}

}  // namespace

absl::Status MergeProfiles(const std::vector<InputIdentity>& inputs,
                           const ConvertOptions& given, Pipeline& pipeline,
                           Output& output, uint64_t* input_size,
                           std::vector<ConvertReport>* reports) {
  ConvertOptions options = given;
  // A value that one input lacks may occur in another one.
  options.filter.allow_unmatched = true;
  ShareKallsymsTables(&options);
  *input_size = 0;
  ASSIGN_OR_RETURN(KeptLabels labels,
                   KeptLabels::FromOptions(options.emitter_options));
  Merger merger(options, std::move(labels), pipeline);
  // Words of the filters that matched nothing, with the number of inputs in
  // which that is so.
  std::map<std::string, size_t> missing;
  for (const InputIdentity& input : inputs) {
    ConvertReport& report = reports->emplace_back();
    const absl::Status status = merger.Add(input, &report);
    *input_size = merger.input_size();
    if (!status.ok()) return WithInputName(input.path, status);
    for (const std::string& word : report.unmatched) ++missing[word];
  }
  RETURN_IF_ERROR(CheckUnmatched(missing, inputs.size()));
  merger.Symbolize(&reports->back());
  return merger.Write(output);
}

}  // namespace perf2x
