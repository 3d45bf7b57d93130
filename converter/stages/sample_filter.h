// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_SAMPLE_FILTER_H_
#define PERF2X_STAGES_SAMPLE_FILTER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "converter/base/budget.h"
#include "converter/model/event_names.h"
#include "converter/model/sample_selector.h"
#include "converter/model/symbolizer.h"
#include "converter/model/trace_tables.h"
#include "converter/stages/filter_options.h"

namespace perf2x {

// One list of the sample filter. Counts the values that occur, to list them in
// the error if a word of the list matches none; the sums saturate. Charges the
// memory of the values to the budget, but does not check it. Not thread-safe.
class Criterion {
 public:
  // Returns true if a word of the list matches a name.
  using Matches = bool (*)(const std::string& word, const std::string& name);
  using Names = absl::FunctionRef<std::vector<std::string>()>;

  // `option` is the command-line option, for messages: "--comm". `budget` must
  // outlive the criterion.
  Criterion(std::string option, std::vector<std::string> words, Matches matches,
            Budget& budget);

  // Returns true if the list has words, so that it filters.
  bool active() const { return !words_.empty(); }
  // Returns true if the value `key` is selected, and counts its `samples`.
  // `names` is called once for each key. It returns the names of the value, at
  // least one; messages show the first. The criterion must be active.
  bool Selects(uint64_t key, Names names, uint64_t samples);
  // Returns the rank of a value with these names, from 1; 0 if no word matches
  // a name. Values are ranked by the position in the list of the first word
  // that matches. For the same word, a value with exactly this name ranks lower
  // than others. Counts nothing.
  uint32_t RankOf(const std::vector<std::string>& names) const;

  // Returns the words that matched no value so far, with the option: "--comm
  // \"make\"".
  std::vector<std::string> Unmatched() const;
  // Returns an error message with the first word of Unmatched() and up to 20
  // values that occur, in descending order of samples. Returns "" if all words
  // matched. `names`, if not null, has the names to show, by key, which must
  // be less than its size.
  std::string UnmatchedMessage(
      const std::vector<std::string>* names = nullptr) const;

 private:
  struct Value {
    std::string name;
    uint64_t samples = 0;
    bool is_selected = false;
  };
  struct Word {
    std::string text;
    bool occurred = false;
  };
  const std::string option_;
  const Matches matches_;
  std::vector<Word> words_;
  absl::flat_hash_map<uint64_t, Value> values_;
  Budget::Share memory_;  // of values_
};

// Selects the samples and other events of a recording by the criteria of perf
// script. --dso and --symbol match the sampled address, not its callers. Ids
// that are passed must be in the tables. Charges the memory of the values and
// addresses that occur to the budget, but does not check it. Not thread-safe.
class SampleFilter final : public SampleSelector {
 public:
  // `tables` and `budget` must outlive the filter.
  SampleFilter(const FilterOptions& options, const TraceTables& tables,
               Budget& budget);

  // Returns true with --dso or --symbol.
  bool needs_place() const override {
    return dso_.active() || symbol_.active();
  }
  bool needs_symbols() const override { return symbol_.active(); }
  // Returns true if SetSampleTimes must be called before the first sample.
  bool needs_sample_times() const { return !time_.shares.empty(); }
  uint32_t max_stack() const override { return max_stack_; }

  void set_symbolizer(Symbolizer* symbolizer) override {
    symbolizer_ = symbolizer;
  }
  // Sets the times of the first and the last sample of the recording, in ns of
  // its clock; `last` must not be less.
  void SetSampleTimes(uint64_t first, uint64_t last) {
    spans_ = SpansOf(time_, first, last);
  }
  // See SampleSelector. With --time, a sample without a time is not selected.
  // Check never fails if FilterOptions::allow_unmatched is set.
  uint32_t RankOfEvent(EventId event) override;
  bool Selects(const Candidate& sample) override;
  absl::Status Check() const override;

  // Return true if the filter selects an event that is not a sample. With
  // --cpu, CPU -1 is not selected. With --time, an event without a time is
  // selected. `thread` must not be kNoId.
  bool SelectsEvent(EventId event) { return SelectsEvent(event, 0); }
  bool SelectsThread(ThreadId thread) { return SelectsThread(thread, 0); }
  bool SelectsCpu(int32_t cpu) { return SelectsCpu(cpu, 0); }
  bool SelectsTime(std::optional<uint64_t> time) const;
  // Returns the spans of --time; none without it. Valid and complete once
  // samples are selected.
  const std::vector<TimeFilter::Span>& spans() const { return spans_; }
  // To be called with an event's time. With --time, Check fails if none has a
  // time.
  void NoteTime(std::optional<uint64_t> time) {
    times_seen_ |= time.has_value();
  }
  // Returns true if threads are filtered: by pid, tid or name.
  bool by_thread() const {
    return pid_.active() || tid_.active() || comm_.active();
  }

  // Returns the number of samples (Candidate::count) that were not selected, by
  // EventId; may be shorter than the list of events. The numbers saturate.
  const std::vector<uint64_t>& filtered() const { return filtered_; }
  // Returns the words of all criteria that matched nothing, as
  // Criterion::Unmatched does.
  std::vector<std::string> Unmatched() const;

 private:
  std::array<const Criterion*, kFilterKeys> criteria() const {
    return {&event_, &pid_, &tid_, &comm_, &cpu_, &dso_, &symbol_};
  }
  std::vector<std::string> NamesOfEvent(EventId event);
  bool SelectsEvent(EventId event, uint64_t samples);
  bool SelectsThread(ThreadId thread, uint64_t samples);
  bool SelectsCpu(int32_t cpu, uint64_t samples);
  bool SelectsPlace(const Candidate& sample);
  uint64_t SymbolAt(DsoId dso, uint64_t address);

  const TraceTables& tables_;
  Symbolizer* symbolizer_ = nullptr;
  const bool has_numbers_;  // the list of events has a "NAME#N"
  ChangingEventNames event_names_;
  Criterion event_, pid_, tid_, comm_, cpu_, dso_, symbol_;
  const TimeFilter time_;
  std::vector<TimeFilter::Span> spans_;
  const uint32_t max_stack_;
  const bool allow_unmatched_;
  bool times_seen_ = false;
  std::vector<uint64_t> filtered_;
  // Ids of the symbols seen, by address and by name.
  absl::flat_hash_map<std::pair<DsoId, uint64_t>, uint64_t> symbol_at_;
  absl::flat_hash_map<std::string, uint64_t> symbol_ids_;
  std::vector<std::vector<std::string>> symbol_names_;
  Budget::Share memory_;  // of the symbols and their addresses
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_SAMPLE_FILTER_H_
