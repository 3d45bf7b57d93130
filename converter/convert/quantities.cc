// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/quantities.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace perf2x {

std::string DurationText(uint64_t nanoseconds) {
  if (nanoseconds < 1000) return absl::StrCat(nanoseconds, " ns");
  const char* unit = "s";
  double value = static_cast<double>(nanoseconds) / 1e9;
  // A value that would be rounded up to 1000 is shown in the next unit.
  for (const auto& [smaller, factor] : {std::pair{"µs", 1e3}, {"ms", 1e6}}) {
    if (static_cast<double>(nanoseconds) / factor < 999.5) {
      unit = smaller;
      value = static_cast<double>(nanoseconds) / factor;
      break;
    }
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return absl::StrFormat("%.*f %s", decimals, value, unit);
}

std::string ShareText(uint64_t part, uint64_t whole) {
  if (part == 0) return "0 %";
  if (part >= whole) return "100 %";
  const double percent =
      static_cast<double>(part) * 100 / static_cast<double>(whole);
  if (percent < 0.1) return "under 0.1 %";
  if (percent < 9.95) return absl::StrFormat("%.1f %%", percent);
  return absl::StrFormat("%.0f %%", std::min(percent, 99.0));
}

}  // namespace perf2x
