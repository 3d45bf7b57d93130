// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_TEXT_H_
#define PERF2X_BASE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// `text` itself when it is valid UTF-8; else a copy in `*scratch` in which
// U+FFFD stands for each byte that belongs to no character.
absl::string_view AsUtf8(absl::string_view text, std::string* scratch);

// `text` as UTF-8 that is safe to show: control characters (C0, DEL, C1), which
// a terminal would obey, become "\x1b", and characters that reorder or break
// lines of text (bidirectional controls, line separators) "\u202e". `text`
// itself when it needs no change; else a copy in `*scratch`.
absl::string_view AsPlainText(absl::string_view text, std::string* scratch);
// The inside of a JSON string with the text that AsUtf8 returns: what JSON
// wants escaped, and what AsPlainText escapes, as "\n" or "\u009b".
void AppendJsonText(absl::string_view text, std::string* out);
// The same as AsPlainText as a string of its own.
std::string PlainText(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_BASE_TEXT_H_
