// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/itrace_options.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Removes the digits at the start of `*text` and returns them.
absl::string_view TakeDigits(absl::string_view* text) {
  size_t n = 0;
  while (n < text->size() && absl::ascii_isdigit((*text)[n])) ++n;
  const absl::string_view digits = text->substr(0, n);
  text->remove_prefix(n);
  return digits;
}

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--itrace: ", what,
                   "; it is letters as in perf: i1000i "
                   "(instructions), b, l, f, m, t, a, M"));
}

// Reads the period after "i": a number, and "i" for instructions.
absl::Status TakePeriod(absl::string_view* text, ItraceOptions* options) {
  const absl::string_view digits = TakeDigits(text);
  if (digits.empty()) return absl::OkStatus();
  uint64_t period = 0;
  if (!absl::SimpleAtoi(digits, &period)) return Wrong("a period is too large");
  if (text->empty() || text->front() != 'i') {
    return Wrong("periods of time are not supported, only of instructions");
  }
  text->remove_prefix(1);
  options->period = std::max<uint64_t>(period, 1);
  options->has_period = true;
  return absl::OkStatus();
}

// The option that a letter chooses; null: it chooses nothing here.
bool* OptionOf(char letter, ItraceOptions* options) {
  switch (letter) {
    case 'i':
      return &options->instructions;
    case 'b':
      return &options->branches;
    case 'l':
    case 'L':
      return &options->last_branch;
    case 'f':
      return &options->first_level;
    case 'm':
      return &options->last_level;
    case 't':
      return &options->tlb;
    case 'a':
      return &options->remote_access;
    case 'M':
      return &options->memory;
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text) {
  if (text.empty()) return ItraceOptions();
  ItraceOptions options = {.instructions = false,
                           .period = 1,
                           .has_period = false,
                           .branches = false,
                           .last_branch = false,
                           .first_level = false,
                           .last_level = false,
                           .tlb = false,
                           .remote_access = false,
                           .memory = false};
  constexpr absl::string_view kAccepted = "cdegopqrswxyzAGIPRZ, ";
  while (!text.empty()) {
    const char letter = text.front();
    text.remove_prefix(1);
    if (bool* option = OptionOf(letter, &options)) {
      *option = true;
    } else if (kAccepted.find(letter) == absl::string_view::npos) {
      return Wrong(absl::StrCat("\"", std::string(1, letter),
                                "\" is no letter that it takes"));
    }
    if (letter == 'i') {
      const absl::Status status = TakePeriod(&text, &options);
      if (!status.ok()) return status;
    } else {
      TakeDigits(&text);  // the size of a branch stack or callchain, a number
    }
  }
  return options;
}

}  // namespace perf2x
