#ifndef PERF2X_BASE_TEXT_H_
#define PERF2X_BASE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

// Names of strangers, which are any bytes, as text.

namespace perf2x {

// `text` with U+FFFD for each byte that is not part of a UTF-8 character.
// `*scratch` holds the result where it differs.
absl::string_view AsUtf8(absl::string_view text, std::string* scratch);

// Whether UTF-8 text has control characters, which terminals obey: ASCII's and
// those of U+0080 to U+009F, of which one begins escape sequences.
bool HasControls(absl::string_view utf8);

// On one line of a terminal: control characters, and bytes that are not part of
// a UTF-8 character, are written as "\x1b". With `quoted`, quotes and
// backslashes get a backslash before them.
std::string Printable(absl::string_view text, bool quoted = false);

// What stands between the quotes of a JSON string; control characters become
// "\u001B", other bytes as with AsUtf8.
std::string JsonEscaped(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_BASE_TEXT_H_
