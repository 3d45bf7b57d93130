#ifndef PERF2X_EMIT_PLAIN_TEXT_H_
#define PERF2X_EMIT_PLAIN_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// `text` as UTF-8 without control characters, which a terminal would obey: they
// are written as "\x1b". `*scratch` holds the result where it differs.
absl::string_view AsPlainText(absl::string_view text, std::string* scratch);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PLAIN_TEXT_H_
