// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/comparison_sums.h"

#include <algorithm>
#include <map>
#include <set>

#include "converter/base/saturating_add.h"
#include "converter/compare/function_name.h"

namespace perf2x {
namespace {

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Gives functions their number among those that are one in every build.
class FunctionMatcher {
 public:
  explicit FunctionMatcher(const TraceTables& tables) : tables_(tables) {
    std::map<std::string, std::set<std::string>> files;
    for (const Function& function : tables.functions()) {
      if (function.file == 0) continue;
      files[NameAcrossBuilds(tables.strings[function.name])].emplace(
          BaseName(tables.strings[function.file]));
    }
    for (auto& [name, of_name] : files) {
      if (of_name.size() > 1) ambiguous_.insert(name);
    }
  }

  size_t RowOf(FunctionId id, std::vector<FunctionSums>* rows, size_t columns) {
    if (id >= row_of_.size()) row_of_.resize(tables_.functions().size(), kNone);
    if (row_of_[id] != kNone) return row_of_[id];
    const Function& function = tables_.functions()[id];
    FunctionSums row;
    row.name = NameAcrossBuilds(tables_.strings[function.name]);
    if (ambiguous_.contains(row.name)) {
      row.file = std::string(BaseName(tables_.strings[function.file]));
    }
    const auto [it, inserted] =
        rows_.try_emplace({row.name, row.file}, rows->size());
    if (inserted) {
      row.self.resize(columns);
      row.total.resize(columns);
      rows->push_back(std::move(row));
    }
    return row_of_[id] = it->second;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  const TraceTables& tables_;
  // Names that functions of several files have.
  std::set<std::string> ambiguous_;
  std::map<std::pair<std::string, std::string>, size_t> rows_;
  std::vector<size_t> row_of_;  // by function
};

}  // namespace

ComparisonSums::ComparisonSums(TraceTables& tables, size_t recordings,
                               bool in_blocks, Budget& budget,
                               Diagnostics* diagnostics)
    : tables_(tables),
      blocks_(in_blocks ? kBlocks : 1),
      columns_(recordings * blocks_),
      budget_(budget),
      memory_(budget),
      skip_counter_("sample of the comparison", budget, diagnostics),
      stack_skip_counter_("stack of the comparison", budget, diagnostics),
      functions_(tables, budget, diagnostics),
      clocks_(recordings) {}

void ComparisonSums::BeginRecording(size_t index) { recording_ = index; }

// Joins neighbouring blocks of the current recording.
void ComparisonSums::DoubleBlocks() {
  const size_t first = recording_ * blocks_;
  for (size_t row = 0; row < rows_.size(); ++row) {
    uint64_t* values = ValuesOf(row) + first;
    for (size_t i = 0; i < blocks_ / 2; ++i) {
      values[i] = SaturatingAdd(values[2 * i], values[2 * i + 1]);
    }
    std::fill(values + blocks_ / 2, values + blocks_, 0);
  }
  Clock& clock = clocks_[recording_];
  clock.block *= 2;
  clock.last /= 2;
}

size_t ComparisonSums::BlockOf(std::optional<uint64_t> time) {
  Clock& clock = clocks_[recording_];
  if (blocks_ == 1 || !time.has_value()) return 0;
  if (!clock.start.has_value()) clock.start = time;
  const uint64_t since = *time - std::min(*time, *clock.start);
  while (since / clock.block >= blocks_) DoubleBlocks();
  const auto block = static_cast<size_t>(since / clock.block);
  clock.last = std::max(clock.last, block);
  return block;
}

void ComparisonSums::Add(const Sample& sample) {
  if (skip_counter_.CountIfExhausted()) return;
  if (sample.event >= periods_.size()) {
    periods_.resize(sample.event + 1);
    samples_.resize(sample.event + 1);
  }
  for (auto* sums : {&periods_[sample.event], &samples_[sample.event]}) {
    sums->resize(clocks_.size());
  }
  uint64_t& period = periods_[sample.event][recording_];
  period = SaturatingAdd(period, sample.period);
  uint64_t& samples = samples_[sample.event][recording_];
  samples = SaturatingAdd(samples, std::max<uint64_t>(1, sample.count));
  const size_t column = recording_ * blocks_ + BlockOf(sample.time);
  const auto [it, inserted] =
      rows_.try_emplace({sample.event, sample.stack}, rows_.size());
  if (inserted) {
    constexpr uint64_t kOfRow = 32;
    values_.resize(values_.size() + columns_);
    memory_.Set(values_.capacity() * sizeof(values_[0]) +
                rows_.size() * kOfRow);
  }
  uint64_t& value = ValuesOf(it->second)[column];
  value = SaturatingAdd(value, sample.period);
}

std::vector<uint64_t> ComparisonSums::SumsOf(EventId event) const {
  std::vector<uint64_t> sums(clocks_.size());
  if (event < periods_.size() && !periods_[event].empty()) {
    sums = periods_[event];
  }
  return sums;
}

std::vector<uint64_t> ComparisonSums::SamplesOf(EventId event) const {
  std::vector<uint64_t> sums(clocks_.size());
  if (event < samples_.size() && !samples_[event].empty()) {
    sums = samples_[event];
  }
  return sums;
}

size_t ComparisonSums::BlocksOf(size_t recording) const {
  return blocks_ == 1 ? 1 : clocks_[recording].last + 1;
}

// In the order of stacks, so that functions have the same order each time.
std::vector<ComparisonSums::StackRow> ComparisonSums::StacksOf(
    EventId event, Budget::Share* memory) {
  constexpr uint64_t kOfNewFrame = 160;
  std::vector<StackRow> stacks;
  for (const auto& [key, row] : rows_) {
    if (key.event == event) stacks.push_back({key.stack, row, {}});
  }
  std::sort(
      stacks.begin(), stacks.end(),
      [](const StackRow& a, const StackRow& b) { return a.stack < b.stack; });
  uint64_t frames = 0, newest = 0;
  size_t used = 0;
  for (StackRow& stack : stacks) {
    if (stack_skip_counter_.CountIfExhausted()) continue;
    ++used;
    tables_.FramesOf(stack.stack, &stack.frames);
    for (const FrameId frame : stack.frames) {
      newest = std::max<uint64_t>(newest, frame);
    }
    frames += stack.frames.size();
    memory->Set(stacks.size() * sizeof(StackRow) + frames * sizeof(FrameId) +
                newest * kOfNewFrame);
  }
  stacks.resize(used);  // once exhausted, the budget stays so
  return stacks;
}

std::vector<FunctionSums> ComparisonSums::ByFunction(EventId event,
                                                     WorkerPool& workers) {
  constexpr uint64_t kOfFunction = 256, kColumnsPerStep = 8;
  skip_counter_.Report();
  Budget::Share frame_memory(budget_), function_memory(budget_);
  const std::vector<StackRow> stacks = StacksOf(event, &frame_memory);
  tables_.SymbolizeAllFrames(workers);
  FunctionMatcher matcher(tables_);
  std::vector<FunctionSums> out;
  std::vector<size_t> seen_in;  // by function: the last stack with it, plus one
  for (size_t i = 0; i < stacks.size(); ++i) {
    if (stack_skip_counter_.CountIfExhausted()) continue;
    const uint64_t* values = ValuesOf(stacks[i].row);
    const std::vector<FrameId>& frames = stacks[i].frames;
    const auto add = [&](std::vector<uint64_t>* to) {
      for (size_t c = 0; c < columns_; ++c) {
        (*to)[c] = SaturatingAdd((*to)[c], values[c]);
      }
    };
    bool is_leaf = true;
    uint64_t sums = 0;
    const size_t flat = functions_.CountFlatFrames(frames);
    for (size_t at = 0; at < frames.size() && !budget_.exhausted(); ++at) {
      for (const Line& line : functions_.LinesOf(frames[at], at < flat)) {
        const size_t row = matcher.RowOf(line.function, &out, columns_);
        if (is_leaf) add(&out[row].self);
        is_leaf = false;
        // A recursive function counts once.
        if (row >= seen_in.size()) seen_in.resize(out.size());
        if (seen_in[row] == i + 1) continue;
        seen_in[row] = i + 1;
        add(&out[row].total);
        ++sums;
      }
      function_memory.Set(out.size() * (kOfFunction + 2 * columns_ * 8));
    }
    budget_.Spend(Budget::kWork, sums * (columns_ / kColumnsPerStep + 1));
    // Its outer functions may be missing.
    (void)stack_skip_counter_.CountIfExhausted();
  }
  stack_skip_counter_.Report();
  functions_.Report();
  return out;
}

}  // namespace perf2x
