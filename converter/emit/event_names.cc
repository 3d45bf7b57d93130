// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/event_names.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// The kernel's names of the core PMUs of hybrid processors: arch/x86/events/
// intel/core.c. "cpu_lowpower" is the PMU of Arrow Lake-H's second kind of Atom
// core.
constexpr std::array<absl::string_view, 3> kHybridPmus = {
    "cpu_core", "cpu_atom", "cpu_lowpower"};

}  // namespace

std::string HybridEventName(absl::string_view name) {
  const size_t begin = name.find('/');
  const size_t end = name.find('/', begin + 1);
  if (begin == name.npos || end == name.npos) return "";
  if (std::find(kHybridPmus.begin(), kHybridPmus.end(),
                name.substr(0, begin)) == kHybridPmus.end()) {
    return "";
  }
  const absl::string_view event = name.substr(begin + 1, end - begin - 1);
  const absl::string_view first_term = event.substr(0, event.find(','));
  if (first_term.empty() || first_term.find('=') != first_term.npos) return "";
  // perf puts modifiers before or after the closing slash.
  const absl::string_view modifiers = name.substr(end + 1);
  return absl::StrCat(event,
                      modifiers.empty() || modifiers.front() == ':' ? "" : ":",
                      modifiers);
}

}  // namespace perf2x
