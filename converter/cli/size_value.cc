// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/size_value.h"

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Replaces a size like 64M by its number of bytes. Returns false if `*text` is
// no size, or 0. CLI11 alone takes signs, other bases, no digits at all, and
// numbers of any length for the largest that it knows.
bool ReplaceSize(std::string* text) {
  uint64_t number = 0;
  const auto digits = text->substr(0, text->find_first_not_of("0123456789"));
  if (!absl::SimpleAtoi(digits, &number) || number == 0) return false;
  try {
    return CLI::AsSizeValue(/*kb_is_1000=*/false)(*text).empty();
  } catch (const CLI::Error&) {
    return false;
  }
}

}  // namespace

CLI::Validator SizeAboveZero() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const std::string given = text;
        if (ReplaceSize(&text)) return "";
        return absl::StrCat(given, " is no size above 0; say one like 64M");
      },
      "");
}

}  // namespace perf2x
