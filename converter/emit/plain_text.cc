#include "converter/emit/plain_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "converter/emit/json_writer.h"

namespace perf2x {
namespace {

bool IsControl(char c) {
  return absl::ascii_iscntrl(static_cast<unsigned char>(c));
}

}  // namespace

absl::string_view AsPlainText(absl::string_view text, std::string* scratch) {
  const absl::string_view valid = AsUtf8(text, scratch);
  if (std::none_of(valid.begin(), valid.end(), IsControl)) return valid;
  std::string plain;
  for (const char c : valid) {
    if (IsControl(c)) {
      absl::StrAppendFormat(&plain, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      plain += c;
    }
  }
  *scratch = std::move(plain);
  return *scratch;
}

}  // namespace perf2x
