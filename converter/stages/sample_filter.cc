// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/sample_filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "converter/base/saturating_add.h"
#include "converter/model/event_names.h"

namespace perf2x {
namespace {

constexpr size_t kMaxListed = 20;

bool Same(const std::string& word, const std::string& name) {
  return word == name;
}

bool InRange(const std::string& word, const std::string& name) {
  std::pair<int32_t, int32_t> range;
  int32_t number = -1;
  return ParseCpuRange(word, &range) && absl::SimpleAtoi(name, &number) &&
         range.first <= number && number <= range.second;
}

// Returns true if `word` selects the event `name`, which may end in a number
// ("#2"). The word may be a pattern as for `perf record -e`, and may omit the
// modifiers that perf appends (":ppp"), if it has no number: "cycles#1" is not
// the first "cycles:u".
bool MeansEvent(const std::string& word, const std::string& name) {
  const auto matches = [&](const std::string& as) {
    return fnmatch(word.c_str(), as.c_str(), 0) == 0;
  };
  if (word == name || matches(name)) return true;
  const size_t colon = name.rfind(':');
  return colon != name.npos &&
         name.find_first_not_of("ukhpPHGSDWIeb", colon + 1) == name.npos &&
         matches(name.substr(0, colon));
}

// Returns the names that select a file: its path, its base name and, for a
// module, its name in brackets as in perf: "[ext4]".
std::vector<std::string> NamesOfFile(const Dso& dso) {
  std::vector<std::string> names = {dso.name};
  absl::string_view base = dso.name;
  if (const size_t slash = base.rfind('/'); slash != base.npos) {
    base.remove_prefix(slash + 1);
    names.emplace_back(base);
  }
  if (dso.kind == DsoKind::kKernelModule && !absl::StartsWith(base, "[")) {
    for (absl::string_view suffix : {".gz", ".xz", ".zst", ".ko"}) {
      absl::ConsumeSuffix(&base, suffix);
    }
    names.push_back(
        absl::StrCat("[", absl::StrReplaceAll(base, {{"-", "_"}}), "]"));
  }
  return names;
}

// Says why there is nothing that `option` selects by.
absl::string_view WithoutValues(absl::string_view option) {
  if (option == "--cpu") {
    return ": no sample or count has a CPU (perf record --sample-cpu, perf "
           "stat -a)";
  }
  if (option == "--event") {
    return ": it has no samples (counts of perf stat: --to chrome or csv)";
  }
  if (option == "--dso" || option == "--symbol") return ": it has no samples";
  return ": it has no samples, nor counts of a process";
}

}  // namespace

Criterion::Criterion(std::string option, std::vector<std::string> words,
                     Matches matches, Budget& budget)
    : option_(std::move(option)), matches_(matches), memory_(budget) {
  for (std::string& word : words) words_.push_back({std::move(word)});
}

bool Criterion::Selects(uint64_t key, Names names, uint64_t samples) {
  auto [it, inserted] = values_.try_emplace(key);
  Value& value = it->second;
  if (inserted) {
    const std::vector<std::string> all = names();
    value.name = all.front();
    for (Word& word : words_) {
      for (const std::string& name : all) {
        if (!matches_(word.text, name)) continue;
        word.occurred = value.is_selected = true;
      }
    }
    constexpr uint64_t kOfValue = 128;
    memory_.Set(memory_.held() + kOfValue + value.name.size());
  }
  value.samples = SaturatingAdd(value.samples, samples);
  return value.is_selected;
}

uint32_t Criterion::RankOf(const std::vector<std::string>& names) const {
  for (size_t i = 0; i < words_.size(); ++i) {
    const std::string& word = words_[i].text;
    const auto rank = static_cast<uint32_t>(2 * i + 1);
    if (std::find(names.begin(), names.end(), word) != names.end()) return rank;
    for (const std::string& name : names) {
      if (matches_(word, name)) return rank + 1;
    }
  }
  return 0;
}

std::vector<std::string> Criterion::Unmatched() const {
  std::vector<std::string> out;
  for (const Word& word : words_) {
    if (word.occurred) continue;
    out.push_back(absl::StrCat(option_, " \"", word.text, "\""));
  }
  return out;
}

std::string Criterion::UnmatchedMessage(
    const std::vector<std::string>* names) const {
  const std::vector<std::string> missing = Unmatched();
  if (missing.empty()) return "";
  // Values of the same name are shown as one.
  std::map<std::string, uint64_t> by_name;
  for (const auto& [key, value] : values_) {
    uint64_t& samples = by_name[names != nullptr ? (*names)[key] : value.name];
    samples = SaturatingAdd(samples, value.samples);
  }
  std::vector<std::pair<std::string, uint64_t>> known(by_name.begin(),
                                                      by_name.end());
  std::stable_sort(
      known.begin(), known.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out =
      absl::StrCat("nothing in the recording is ", missing.front(),
                   option_ == "--symbol" || option_ == "--dso"
                       ? " at the address that was sampled, callers aside"
                       : "",
                   "; it has");
  if (known.empty()) {
    return absl::StrCat("nothing in the recording is ", missing.front(),
                        WithoutValues(option_));
  }
  // What has counts of perf stat has no samples.
  const bool has_samples = known[0].second > 0;
  absl::StrAppend(&out, has_samples ? ", by number of samples: " : ": ");
  for (size_t i = 0; i < known.size() && i < kMaxListed; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", known[i].first);
    if (has_samples) absl::StrAppend(&out, " (", known[i].second, ")");
  }
  if (known.size() > kMaxListed) {
    absl::StrAppend(&out, " and ", known.size() - kMaxListed, " more");
  }
  return out;
}

SampleFilter::SampleFilter(const FilterOptions& options,
                           const TraceTables& tables, Budget& budget)
    : tables_(tables),
      has_numbers_(absl::c_any_of(
          options.list(FilterKey::kEvent),
          [](const std::string& word) { return word.find('#') != word.npos; })),
      event_names_(tables.events, budget),
      event_("--event", options.list(FilterKey::kEvent), MeansEvent, budget),
      pid_("--pid", options.list(FilterKey::kPid), Same, budget),
      tid_("--tid", options.list(FilterKey::kTid), Same, budget),
      comm_("--comm", options.list(FilterKey::kComm), Same, budget),
      cpu_("--cpu", options.list(FilterKey::kCpu), InRange, budget),
      dso_("--dso", options.list(FilterKey::kDso), Same, budget),
      symbol_("--symbol", options.list(FilterKey::kSymbol), Same, budget),
      time_(options.time),
      spans_(options.time.spans),
      max_stack_(options.max_stack),
      allow_unmatched_(options.allow_unmatched),
      memory_(budget) {}

// Returns the event's name and, if the list has numbers, the name that formats
// show, "NAME#2", or "NAME#1".
std::vector<std::string> SampleFilter::NamesOfEvent(EventId event) {
  const std::string& name = tables_.events[event].name;
  if (!has_numbers_) return {name};
  const std::string& distinct = event_names_[event];
  return {name, distinct != name ? distinct : absl::StrCat(name, "#1")};
}

uint32_t SampleFilter::RankOfEvent(EventId event) {
  if (!event_.active()) return 0;
  const uint32_t rank = event_.RankOf(NamesOfEvent(event));
  return rank == 0 ? kNoId : rank;
}

// Evaluates all criteria, even if one has not matched, as each counts the
// values that occur.
bool SampleFilter::Selects(const Candidate& sample) {
  bool selected = SelectsThread(sample.thread, sample.count);
  selected &= SelectsEvent(sample.event, sample.count);
  selected &= SelectsCpu(sample.cpu, sample.count);
  if (needs_place()) selected &= SelectsPlace(sample);
  if (time_.any()) {
    times_seen_ |= sample.time.has_value();
    selected &= sample.time.has_value() && SelectsTime(sample.time);
  }
  if (!selected) {
    if (sample.event >= filtered_.size()) filtered_.resize(sample.event + 1);
    uint64_t& filtered = filtered_[sample.event];
    filtered = SaturatingAdd(filtered, sample.count);
  }
  return selected;
}

bool SampleFilter::SelectsEvent(EventId id, uint64_t samples) {
  return !event_.active() || event_.Selects(
                                 id, [&] { return NamesOfEvent(id); }, samples);
}

bool SampleFilter::SelectsThread(ThreadId id, uint64_t samples) {
  bool selected = true;
  const Thread& thread = tables_.threads[id];
  const auto number = [](int32_t n) { return std::vector{absl::StrCat(n)}; };
  if (pid_.active()) {
    selected &= pid_.Selects(
        static_cast<uint32_t>(thread.pid), [&] { return number(thread.pid); },
        samples);
  }
  if (tid_.active()) {
    selected &= tid_.Selects(
        static_cast<uint32_t>(thread.tid), [&] { return number(thread.tid); },
        samples);
  }
  if (comm_.active()) {
    selected &= comm_.Selects(
        thread.name,
        [&] { return std::vector{std::string(tables_.strings[thread.name])}; },
        samples);
  }
  return selected;
}

bool SampleFilter::SelectsCpu(int32_t cpu, uint64_t samples) {
  if (!cpu_.active()) return true;
  if (cpu < 0) return false;
  return cpu_.Selects(
      static_cast<uint32_t>(cpu),
      [&] { return std::vector{absl::StrCat(cpu)}; }, samples);
}

bool SampleFilter::SelectsTime(std::optional<uint64_t> time) const {
  if (!time_.any() || !time.has_value()) return true;
  return std::any_of(spans_.begin(), spans_.end(), [&](const auto& span) {
    return span.first <= *time && *time <= span.second;
  });
}

bool SampleFilter::SelectsPlace(const Candidate& sample) {
  bool selected = true;
  if (dso_.active()) {
    selected &= dso_.Selects(
        sample.dso, [&] { return NamesOfFile(tables_.dsos()[sample.dso]); },
        sample.count);
  }
  if (symbol_.active()) {
    const uint64_t symbol = SymbolAt(sample.dso, sample.address);
    selected &= symbol_.Selects(
        symbol, [&] { return symbol_names_[symbol]; }, sample.count);
  }
  return selected;
}

uint64_t SampleFilter::SymbolAt(DsoId dso, uint64_t address) {
  auto [it, inserted] = symbol_at_.try_emplace({dso, address});
  if (!inserted) return it->second;
  std::vector<std::string> names;
  if (symbolizer_ != nullptr) {
    symbolizer_->Resolve(tables_.dsos()[dso], {&address, 1},
                         [&](size_t, absl::Span<const Symbol> symbols) {
                           // The last symbol is the function that the others
                           // are inlined into.
                           names = {std::string(symbols.back().name),
                                    std::string(symbols.back().system_name)};
                         });
  }
  if (names.empty()) names = {PlaceholderName(tables_.dsos()[dso])};
  const auto [id, is_new] =
      symbol_ids_.try_emplace(names.front(), symbol_names_.size());
  constexpr uint64_t kOfAddress = 64, kOfSymbol = 192;
  uint64_t memory = memory_.held() + kOfAddress;
  if (is_new) {
    memory += kOfSymbol + 2 * names.front().size() + names.back().size();
    symbol_names_.push_back(std::move(names));
  }
  memory_.Set(memory);
  return it->second = id->second;
}

std::vector<std::string> SampleFilter::Unmatched() const {
  std::vector<std::string> all;
  for (const Criterion* criterion : criteria()) {
    for (std::string& word : criterion->Unmatched()) {
      all.push_back(std::move(word));
    }
  }
  return all;
}

absl::Status SampleFilter::Check() const {
  if (allow_unmatched_) return absl::OkStatus();
  const std::vector<std::string> event_names =
      DistinctEventNames(tables_.events);
  for (const Criterion* criterion : criteria()) {
    const std::string complaint = criterion->UnmatchedMessage(
        criterion == &event_ ? &event_names : nullptr);
    if (!complaint.empty()) return absl::InvalidArgumentError(complaint);
  }
  if (time_.any() && !times_seen_) {
    return absl::InvalidArgumentError(
        "no sample of the recording has a time, which --time asks for");
  }
  return absl::OkStatus();
}

}  // namespace perf2x
