// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace perf2x {
namespace {

// Values of one function in one of the two ways, by column, as doubles.
Measured MeasuredOf(const ComparedRuns& runs,
                    const std::vector<uint64_t>& columns) {
  Measured out;
  double divisors = 0;
  const size_t stride = columns.size() / runs.divisors.size();
  for (size_t run = 0; run < runs.divisors.size(); ++run) {
    const size_t blocks = runs.in_blocks ? runs.blocks[run] : 1;
    // A block has its share of what the recording's values are divided by.
    const double divisor = runs.divisors[run] / static_cast<double>(blocks);
    for (size_t block = 0; block < blocks; ++block) {
      const auto value = static_cast<double>(columns[run * stride + block]);
      out.values.push_back(divisor > 0 ? value / divisor : 0);
      divisors += divisor;
    }
  }
  // A value is a number of samples, rounded: by sqrt(1/12) of one in the mean.
  const double mean = divisors / static_cast<double>(out.values.size());
  if (mean > 0) out.resolution = runs.resolution / std::sqrt(12.0) / mean;
  return out;
}

double MeanOf(const ComparedRuns& runs, const std::vector<uint64_t>& columns,
              bool of_base) {
  const size_t stride = columns.size() / runs.divisors.size();
  const size_t first = of_base ? 0 : runs.base * stride;
  const size_t end = of_base ? runs.base * stride : columns.size();
  double sum = 0;
  for (size_t i = first; i < end; ++i) sum += static_cast<double>(columns[i]);
  return sum * static_cast<double>(stride) / static_cast<double>(end - first);
}

// Returns the share of all recordings together.
double ShareOf(const ComparedRuns& runs, const std::vector<uint64_t>& columns) {
  double sum = 0;
  for (const uint64_t value : columns) sum += static_cast<double>(value);
  const double all = std::accumulate(runs.sums.begin(), runs.sums.end(), 0.0);
  return all > 0 ? sum / all : 0;
}

// The program's sums, which are compared as they are if the functions' values
// are shares of them.
Measured MeasuredSums(const ComparedRuns& runs) {
  Measured out;
  for (size_t run = 0; run < runs.sums.size(); ++run) {
    const bool as_is = runs.normalization == Normalization::kShare;
    const double divisor = as_is ? 1 : runs.divisors[run];
    const double value = divisor > 0 ? runs.sums[run] / divisor : 0;
    const size_t blocks = runs.in_blocks ? runs.blocks[run] : 1;
    out.values.insert(out.values.end(), blocks, value);
  }
  return out;
}

size_t ColumnsOfBase(const ComparedRuns& runs) {
  return runs.in_blocks
             ? std::accumulate(
                   runs.blocks.begin(),
                   runs.blocks.begin() + static_cast<int>(runs.base), size_t{0})
             : runs.base;
}

double LargerChange(const ComparedFunction& function) {
  return std::max(std::abs(function.self.now - function.self.base),
                  std::abs(function.total.now - function.total.base));
}

ComparedFunction FunctionOf(const ComparedRuns& runs, FunctionSums& sums) {
  ComparedFunction out;
  out.name = std::move(sums.name);
  out.file = std::move(sums.file);
  out.base_self = MeanOf(runs, sums.self, true);
  out.now_self = MeanOf(runs, sums.self, false);
  out.base_total = MeanOf(runs, sums.total, true);
  out.now_total = MeanOf(runs, sums.total, false);
  return out;
}

// The quantities to test, with where their changes go.
struct Tests {
  std::vector<Measured> quantities;
  std::vector<Change*> changes;
};

// Values of a function that may be tested.
struct Candidate {
  double share;
  size_t function;
  bool is_self;
};

// Returns the values to test, in the order of the functions.
std::vector<Candidate> CandidatesOf(
    const ComparedRuns& runs, const std::vector<FunctionSums>& functions) {
  std::vector<Candidate> out;
  for (size_t i = 0; i < functions.size(); ++i) {
    for (const bool is_self : {true, false}) {
      const double share =
          ShareOf(runs, is_self ? functions[i].self : functions[i].total);
      if (share >= kMinTestedShare) out.push_back({share, i, is_self});
    }
  }
  if (out.size() <= kMaxTests) return out;
  std::stable_sort(
      out.begin(), out.end(),
      [](const Candidate& a, const Candidate& b) { return a.share > b.share; });
  out.resize(kMaxTests);
  std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.function, !a.is_self) <
           std::tuple(b.function, !b.is_self);
  });
  return out;
}

Tests TestsOf(Comparison* out, const std::vector<FunctionSums>& functions) {
  const ComparedRuns& runs = out->runs;
  const size_t base = ColumnsOfBase(runs);
  for (size_t i = 0; i < functions.size(); ++i) {
    out->functions[i].self = MeansOf(MeasuredOf(runs, functions[i].self), base);
    out->functions[i].total =
        MeansOf(MeasuredOf(runs, functions[i].total), base);
  }
  Tests tests;
  tests.quantities.push_back(MeasuredSums(runs));
  tests.changes.push_back(&out->all.self);
  for (const Candidate& one : CandidatesOf(runs, functions)) {
    const FunctionSums& sums = functions[one.function];
    ComparedFunction& function = out->functions[one.function];
    Measured quantity = MeasuredOf(runs, one.is_self ? sums.self : sums.total);
    quantity.follows_variance_trend = true;
    quantity.weight = std::min(one.share, 1.0);
    tests.quantities.push_back(std::move(quantity));
    tests.changes.push_back(one.is_self ? &function.self : &function.total);
    function.tested = true;
  }
  return tests;
}

bool AnyIn(absl::Span<const uint64_t> sums) {
  return std::any_of(sums.begin(), sums.end(),
                     [](uint64_t sum) { return sum > 0; });
}

// Joins functions of one name if one is all that the base has of the name, and
// the other all that the new recordings have: their file was renamed. `base` is
// the number of the base's columns.
void JoinRenamedFiles(size_t base, std::vector<FunctionSums>* functions) {
  struct OfName {
    std::vector<FunctionSums*> base, now;
  };
  std::map<absl::string_view, OfName> by_name;
  for (FunctionSums& function : *functions) {
    if (function.file.empty()) continue;
    const auto total = absl::MakeConstSpan(function.total);
    OfName& of_name = by_name[function.name];
    if (AnyIn(total.first(base))) of_name.base.push_back(&function);
    if (AnyIn(total.subspan(base))) of_name.now.push_back(&function);
  }
  std::set<const FunctionSums*> joined;
  for (auto& [name, of_name] : by_name) {
    if (of_name.base.size() != 1 || of_name.now.size() != 1) continue;
    FunctionSums& to = *of_name.base[0];
    const FunctionSums& from = *of_name.now[0];
    if (&to == &from) continue;
    for (size_t i = base; i < to.total.size(); ++i) {
      to.self[i] = from.self[i];
      to.total[i] = from.total[i];
    }
    to.file.clear();
    joined.insert(&from);
  }
  size_t kept = 0;
  for (FunctionSums& function : *functions) {
    if (joined.contains(&function)) continue;
    FunctionSums& place = (*functions)[kept++];
    if (&place != &function) place = std::move(function);
  }
  functions->resize(kept);
}

}  // namespace

Comparison Compare(ComparedRuns runs, std::vector<FunctionSums> functions) {
  const size_t columns = functions.empty() ? 0 : functions[0].total.size();
  JoinRenamedFiles(columns / runs.sums.size() * runs.base, &functions);
  Comparison out;
  out.runs = std::move(runs);
  out.all.tested = true;
  const auto mean = [&out](size_t first, size_t end) {
    double sum = 0;
    for (size_t i = first; i < end; ++i) sum += out.runs.sums[i];
    return sum / static_cast<double>(end - first);
  };
  out.all.base_self = out.all.base_total = mean(0, out.runs.base);
  out.all.now_self = out.all.now_total =
      mean(out.runs.base, out.runs.sums.size());
  out.functions.reserve(functions.size());
  for (FunctionSums& sums : functions) {
    out.functions.push_back(FunctionOf(out.runs, sums));
  }
  Tests tests = TestsOf(&out, functions);
  out.tests = tests.quantities.size();
  const size_t base = ColumnsOfBase(out.runs);
  const std::vector<Change> changes =
      out.runs.in_blocks ? CompareBlocks(tests.quantities, base)
                         : CompareRuns(tests.quantities, base);
  for (size_t i = 0; i < changes.size(); ++i) *tests.changes[i] = changes[i];
  if (out.runs.in_blocks) out.all.self.low = out.all.self.high = std::nullopt;
  out.all.total = out.all.self;
  std::sort(out.functions.begin(), out.functions.end(),
            [](const ComparedFunction& a, const ComparedFunction& b) {
              const auto rank = [](const ComparedFunction& f) {
                return std::tuple(
                    !IsBeyondNoise(f.self) && !IsBeyondNoise(f.total),
                    -LargerChange(f));
              };
              return rank(a) != rank(b)
                         ? rank(a) < rank(b)
                         : std::tie(a.name, a.file) < std::tie(b.name, b.file);
            });
  return out;
}

double RelativeChange(const Change& change) {
  if (change.base > 0) return change.now / change.base - 1;
  return change.now > 0 ? std::numeric_limits<double>::infinity() : 0;
}

std::vector<std::string> NamesAbove(const Comparison& comparison,
                                    const FailAbove& limit) {
  std::vector<std::string> out;
  const auto fails = [&limit](const Change& change) {
    return IsBeyondNoise(change) && RelativeChange(change) > limit.share;
  };
  if (limit.scope == FailAbove::Scope::kAll) {
    if (fails(comparison.all.self)) out.emplace_back("the whole program");
    return out;
  }
  for (const ComparedFunction& function : comparison.functions) {
    const bool of_self = limit.scope == FailAbove::Scope::kSelf;
    if (fails(of_self ? function.self : function.total)) {
      out.push_back(function.name);
    }
  }
  return out;
}

}  // namespace perf2x
