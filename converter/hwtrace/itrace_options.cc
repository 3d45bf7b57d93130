// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/itrace_options.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

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
                   "; it is letters as in perf: i1000i or i100us "
                   "(instructions), b, c, r, g, l, x, w, p, f, m, t, a, M"));
}

// Reads the period after "i": a number and its unit.
absl::Status TakePeriod(absl::string_view* text, ItraceOptions* options) {
  const absl::string_view digits = TakeDigits(text);
  if (digits.empty()) return absl::OkStatus();
  uint64_t period = 0;
  if (!absl::SimpleAtoi(digits, &period)) return Wrong("a period is too large");
  struct Unit {
    absl::string_view name;
    uint64_t factor;
    ItraceOptions::Unit unit;
  };
  constexpr Unit kUnits[] = {
      {"i", 1, ItraceOptions::Unit::kInstructions},
      {"ms", 1000000, ItraceOptions::Unit::kNanoseconds},
      {"us", 1000, ItraceOptions::Unit::kNanoseconds},
      {"ns", 1, ItraceOptions::Unit::kNanoseconds},
  };
  for (const Unit& unit : kUnits) {
    if (!absl::ConsumePrefix(text, unit.name)) continue;
    options->unit = unit.unit;
    if (period > ~uint64_t{0} / unit.factor) {
      return Wrong("a period is too large");
    }
    options->period = std::max<uint64_t>(period * unit.factor, 1);
    return absl::OkStatus();
  }
  if (!text->empty()) return Wrong("a period is in i, ms, us or ns");
  options->unit = ItraceOptions::Unit::kNanoseconds;
  options->period = std::max<uint64_t>(period, 1);
  return absl::OkStatus();
}

// Reads the size after "g", 0 as well as none for the default.
absl::Status TakeCallchain(absl::string_view* text, ItraceOptions* options) {
  const absl::string_view digits = TakeDigits(text);
  uint32_t size = 0;
  if (!digits.empty() && (!absl::SimpleAtoi(digits, &size) ||
                          size > ItraceOptions::kMaxCallchain)) {
    return Wrong("a callchain has at most 1024 addresses");
  }
  options->callchain = size != 0 ? size : ItraceOptions::kDefaultCallchain;
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
    case 'c':
      return &options->calls;
    case 'r':
      return &options->returns;
    case 'x':
      return &options->transactions;
    case 'w':
      return &options->ptwrites;
    case 'p':
      return &options->power;
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<ItraceOptions> ParseItraceOptions(absl::string_view text) {
  if (text.empty()) return ItraceOptions();
  ItraceOptions options = {.instructions = false,
                           .period = 1,
                           .branches = false,
                           .last_branch = false,
                           .first_level = false,
                           .last_level = false,
                           .tlb = false,
                           .remote_access = false,
                           .memory = false,
                           .transactions = false,
                           .ptwrites = false,
                           .power = false,
                           .callchain = 0,
                           .is_explicit = true};
  constexpr absl::string_view kAccepted = "deoqsyzAGIPRTZ, ";
  while (!text.empty()) {
    const char letter = text.front();
    text.remove_prefix(1);
    if (letter == 'g') {
      const absl::Status status = TakeCallchain(&text, &options);
      if (!status.ok()) return status;
      continue;
    }
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
