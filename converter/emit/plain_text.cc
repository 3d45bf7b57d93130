#include "converter/emit/plain_text.h"

#include "converter/base/text.h"

namespace perf2x {

absl::string_view AsPlainText(absl::string_view text, std::string* scratch) {
  const absl::string_view valid = AsUtf8(text, scratch);
  if (!HasControls(valid)) return valid;
  *scratch = Printable(valid);
  return *scratch;
}

}  // namespace perf2x
