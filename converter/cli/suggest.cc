// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/suggest.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Returns how many letters must be inserted, removed, replaced or swapped with
// the next one to turn `a` into `b` (optimal string alignment).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] =
          std::min({last[j + 1] + 1, row[j] + 1, last[j] + (a[i] != b[j])});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string DidYouMean(absl::string_view word,
                       const std::vector<std::string>& candidates) {
  // A very long word, which would cost quadratic time, is no typing error.
  if (word.size() < 2 || word.size() > 40) return "";
  const std::string* nearest = nullptr;
  // About a third of the letters may be wrong: one of up to four.
  size_t least = (word.size() + 1) / 3 + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance =
        absl::StartsWith(candidate, word) ? 1 : EditDistance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? ""
                            : absl::StrCat("; did you mean ", *nearest, "?");
}

}  // namespace perf2x
