// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/record_options.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

// Options whose value may be the next word, of perf 6 and 7's
// tools/perf/builtin-record.c.
constexpr absl::string_view kLettersWithValue = "eptrCcoFmjkGDu";
constexpr absl::string_view kWordsWithValue[] = {"affinity",
                                                 "branch-filter",
                                                 "call-graph",
                                                 "cgroup",
                                                 "clockid",
                                                 "control",
                                                 "count",
                                                 "cpu",
                                                 "delay",
                                                 "event",
                                                 "filter",
                                                 "freq",
                                                 "max-size",
                                                 "mmap-flush",
                                                 "mmap-pages",
                                                 "off-cpu-thresh",
                                                 "num-thread-synthesize",
                                                 "output",
                                                 "pid",
                                                 "proc-map-timeout",
                                                 "realtime",
                                                 "setup-filter",
                                                 "switch-max-files",
                                                 "synth",
                                                 "tid",
                                                 "uid",
                                                 "vmlinux"};

bool NextIsValue(absl::string_view option) {
  if (absl::ConsumePrefix(&option, "--")) {
    return std::find(std::begin(kWordsWithValue), std::end(kWordsWithValue),
                     option) != std::end(kWordsWithValue);
  }
  // Letters may be combined, "-gF": the first one that takes a value takes the
  // rest of the word or, if that is empty, the next word.
  const size_t first = option.find_first_of(kLettersWithValue, 1);
  return first != option.npos && first + 1 == option.size();
}

}  // namespace

absl::Span<const std::string> RecordOptions(
    absl::Span<const std::string> command_line) {
  const auto begin =
      std::find(command_line.begin(), command_line.end(), "record");
  if (begin == command_line.end()) return {};
  const absl::Span<const std::string> words =
      command_line.subspan(begin - command_line.begin() + 1);
  size_t i = 0;
  while (i < words.size() && absl::StartsWith(words[i], "-") &&
         words[i] != "--") {
    i += NextIsValue(words[i]) ? 2 : 1;
  }
  return words.first(std::min(i, words.size()));
}

}  // namespace perf2x
