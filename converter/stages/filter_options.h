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
// shares of the time from the first to the last sample. A time is selected if
// any span or share has it. Spans include both ends.
struct TimeFilter {
  using Span = std::pair<uint64_t, uint64_t>;
  std::vector<Span> spans;  // start and end
  // Start and end, from 0 to 1; see SpansOf.
  std::vector<std::pair<double, double>> shares;
  // Returns true if times are filtered.
  bool any() const { return !spans.empty() || !shares.empty(); }
};

// Selects the samples that match `time` and at least one word of every
// non-empty list.
struct FilterOptions {
  // By FilterKey. Pids and tids are decimal numbers; CPUs are such numbers or
  // ranges ("0-3"). Events may have wildcards.
  std::array<std::vector<std::string>, kFilterKeys> lists;
  TimeFilter time;
  std::vector<std::string> files;  // paths of files that lists were read from
  // If set, a word that matches nothing in the recording is no error.
  bool allow_unmatched = false;
  uint32_t max_stack = 0;  // keep this many innermost addresses; 0: all

  // Returns the list of a criterion.
  std::vector<std::string>& list(FilterKey key) {
    return lists[static_cast<size_t>(key)];
  }
  const std::vector<std::string>& list(FilterKey key) const {
    return lists[static_cast<size_t>(key)];
  }
  // Returns true if samples may be filtered, by a list or by time.
  bool any() const {
    for (const auto& list : lists) {
      if (!list.empty()) return true;
    }
    return time.any();
  }
};

// Appends the items of a comma-separated list of the command line to the list
// of `key`. Omits empty items. Commas within the slashes or braces of an event
// do not separate items. An item "file://PATH" stands for the lines of a file,
// without empty ones and comments ("#…"), and its path is appended to `files`.
// Fails if there is no item, or if a file cannot be read or is larger than 16
// MiB. Also fails if a list of numbers has an item that is no number. On
// failure, earlier items may have been appended to `*options`.
absl::Status AddToFilter(FilterKey key, absl::string_view text,
                         FilterOptions* options);

// Parses a value of --time, in one of two forms. Spans are separated by blanks
// or tabs: "START,STOP" in seconds with at most nine decimals. If START or STOP
// is empty, the span is open at that end. "START" alone means "START,". Shares
// are separated by commas: "10%/2" is the second tenth, "0%-10%" and "10%" are
// the first one. Fails for anything else, also for spans that end before they
// start, empty shares, and shares beyond 100%.
absl::StatusOr<TimeFilter> ParseTimeFilter(absl::string_view text);

// Returns the spans of the filter, then its shares as spans of the time from
// `first` to `last`. Requires first <= last. A share that ends before `last`
// ends one ns early, so that adjacent shares do not overlap.
std::vector<TimeFilter::Span> SpansOf(const TimeFilter& filter, uint64_t first,
                                      uint64_t last);

// Parses "3" or "0-3" and sets `*range` to both ends, inclusive. Returns false
// for anything else; `*range` may then have changed.
bool ParseCpuRange(absl::string_view text, std::pair<int32_t, int32_t>* range);

}  // namespace perf2x

#endif  // PERF2X_STAGES_FILTER_OPTIONS_H_
