// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_FILTER_OPTIONS_H_
#define PERF2X_STAGES_FILTER_OPTIONS_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// Criteria of the sample filter besides time.
enum class FilterKey { kEvent, kPid, kTid, kComm, kCpu, kDso, kSymbol };
inline constexpr size_t kFilterKeys = 7;
// "--event" and so on, by FilterKey.
inline constexpr const char* kFilterOptions[kFilterKeys] = {
    "--event", "--pid", "--tid", "--comm", "--cpu", "--dso", "--symbol"};

// The value of --time, as in perf: spans on the recording's clock in ns, or
// shares of the time from the first to the last sample. Spans include both
// ends.
struct TimeFilter {
  using Span = std::pair<uint64_t, uint64_t>;
  std::vector<Span> spans;
  std::vector<std::pair<double, double>> shares;  // 0 to 1
  bool any() const { return !spans.empty() || !shares.empty(); }
};

// Selects the samples that match `time` and every list that is not empty.
struct FilterOptions {
  // By FilterKey. Numbers are decimal, CPUs also ranges ("0-3"); events may
  // have wildcards.
  std::array<std::vector<std::string>, kFilterKeys> lists;
  TimeFilter time;
  std::vector<std::string> files;  // files that lists were read from
  // If set, a word that matches nothing in the recording is no error.
  bool allow_unmatched = false;
  uint32_t max_stack = 0;  // keep this many innermost addresses; 0: all

  std::vector<std::string>& list(FilterKey key) {
    return lists[static_cast<size_t>(key)];
  }
  const std::vector<std::string>& list(FilterKey key) const {
    return lists[static_cast<size_t>(key)];
  }
  // Returns true if a sample may be filtered.
  bool any() const {
    for (const auto& list : lists) {
      if (!list.empty()) return true;
    }
    return time.any();
  }
};

// Adds a comma-separated list of the command line to the list of `key`. An item
// "file://NAME" stands for the lines of a file. Fails for words that are no
// numbers where numbers are expected, and for files that cannot be read.
absl::Status AddToFilter(FilterKey key, absl::string_view text,
                         FilterOptions* options);

// Parses "START,STOP" in seconds, either of which may be missing, or several of
// these separated by blanks; "10%/2" (the second tenth) or "0%-10%", or several
// separated by commas; "10%" (the first tenth). Fails for anything else.
absl::StatusOr<TimeFilter> ParseTimeFilter(absl::string_view text);

// Returns all spans of the filter, with its shares turned into spans of the
// time from `first` to `last`.
std::vector<TimeFilter::Span> SpansOf(const TimeFilter& filter, uint64_t first,
                                      uint64_t last);

// Parses "3" or "0-3"; returns false for anything else.
bool ParseCpuRange(absl::string_view text, std::pair<int32_t, int32_t>* range);

}  // namespace perf2x

#endif  // PERF2X_STAGES_FILTER_OPTIONS_H_
