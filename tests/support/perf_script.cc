// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perf_script.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace perf2x {
namespace {

std::optional<ScriptFrame> ParseFrame(absl::string_view text) {
  const size_t space = text.find(' ');
  ScriptFrame frame;
  if (space == text.npos || !absl::EndsWith(text, ")") ||
      !absl::SimpleHexAtoi(text.substr(0, space), &frame.address)) {
    return std::nullopt;
  }
  text.remove_prefix(space + 1);
  // Names and paths may both hold " (".
  const bool unknown = absl::StartsWith(text, "[unknown] (");
  const size_t plus = unknown ? text.npos : text.rfind("+0x");
  const size_t open = unknown             ? text.find(" (")
                      : plus != text.npos ? text.find(" (", plus)
                                          : text.rfind(" (");
  if (open == text.npos) return std::nullopt;
  frame.dso = std::string(text.substr(open + 2, text.size() - open - 3));
  frame.name = std::string(text.substr(0, plus != text.npos ? plus : open));
  frame.at_start =
      plus != text.npos && text.substr(plus, open - plus) == "+0x0";
  return frame;
}

}  // namespace

std::vector<ScriptStack> ParsePerfScript(absl::string_view script) {
  std::vector<ScriptStack> stacks;
  for (absl::string_view line : absl::StrSplit(script, '\n')) {
    if (absl::StartsWith(line, "# stderr:")) break;
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty()) continue;
    if (line.front() == '\t' && !stacks.empty()) {
      if (auto frame = ParseFrame(text)) {
        stacks.back().push_back(*std::move(frame));
      }
      continue;
    }
    stacks.emplace_back();
    // Without a callchain the address follows on the same line, after "time:
    // period event: ".
    const size_t time = line.find(": ");
    const size_t event = line.find(": ", time + 2);
    if (time == line.npos || event == line.npos) continue;
    const auto rest = absl::StripAsciiWhitespace(line.substr(event + 1));
    if (auto frame = ParseFrame(rest)) {
      stacks.back().push_back(*std::move(frame));
    }
  }
  return stacks;
}

}  // namespace perf2x
