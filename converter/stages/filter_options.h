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

// What samples are chosen by, beside their time.
enum class FilterKey { kEvent, kPid, kTid, kComm, kCpu, kDso, kSymbol };
inline constexpr size_t kFilterKeys = 7;
// "--event" and so on, by FilterKey.
inline constexpr const char* kFilterOptions[kFilterKeys] = {
    "--event", "--pid", "--tid", "--comm", "--cpu", "--dso", "--symbol"};

// Times as perf's --time has them: spans on the recording's clock in ns, or
// shares of the time from its first to its last sample. Both ends are included.
struct TimeFilter {
  using Span = std::pair<uint64_t, uint64_t>;
  std::vector<Span> spans;
  std::vector<std::pair<double, double>> shares;  // of 1
  bool any() const { return !spans.empty() || !shares.empty(); }
};

// Which samples are wanted: those that each list that is not empty has.
struct FilterOptions {
  // By FilterKey. Numbers are decimal, of CPUs also ranges ("0-3"); events may
  // have wildcards.
  std::array<std::vector<std::string>, kFilterKeys> lists;
  TimeFilter time;
  std::vector<std::string> files;  // that lists were read from
  // A word of a list that means nothing in the recording is no error.
  bool may_miss = false;
  uint32_t max_stack = 0;  // innermost addresses kept of a stack; 0: all

  std::vector<std::string>& list(FilterKey key) {
    return lists[static_cast<size_t>(key)];
  }
  const std::vector<std::string>& list(FilterKey key) const {
    return lists[static_cast<size_t>(key)];
  }
  // Whether any sample may be left out.
  bool any() const {
    for (const auto& list : lists) {
      if (!list.empty()) return true;
    }
    return time.any();
  }
};

// Adds a comma-separated list as the command line has it, "file://NAME" in it
// standing for the lines of a file, to what is wanted of `key`.
absl::Status AddToFilter(FilterKey key, absl::string_view text,
                         FilterOptions* options);

// Understands "START,STOP" in seconds, either of which may be missing, several
// of these with blanks between them; "10%/2" (the second tenth), "0%-10%",
// several with commas; "10%" (the first tenth).
absl::StatusOr<TimeFilter> ParseTimeFilter(absl::string_view text);

// The spans that shares are of the time from `first` to `last`.
std::vector<TimeFilter::Span> SpansOf(const TimeFilter& filter, uint64_t first,
                                      uint64_t last);

// "3" or "0-3"; false: neither.
bool ParseCpuRange(absl::string_view text, std::pair<int32_t, int32_t>* range);

}  // namespace perf2x

#endif  // PERF2X_STAGES_FILTER_OPTIONS_H_
