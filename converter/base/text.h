// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_TEXT_H_
#define PERF2X_BASE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns `text` itself if it is valid UTF-8. If not, returns a copy in
// `*scratch` in which U+FFFD replaces each byte that belongs to no character.
// In all functions here, `text` must not be a part of `*scratch` or `*out`.
absl::string_view AsUtf8(absl::string_view text, std::string* scratch);

// Returns true if `text` has C0 control characters, such as tabs.
bool HasControlCharacters(absl::string_view text);
// Returns AsUtf8(text) with unsafe characters escaped. Control characters (C0,
// DEL, C1) become text such as "\x1b". Bidirectional controls and line
// separators become text such as "\u202e". Returns `text` itself if it needs no
// change. If not, returns a copy in `*scratch`.
absl::string_view AsPlainText(absl::string_view text, std::string* scratch);
// Appends AsUtf8(text) to `*out` as the inside of a JSON string. Escapes what
// JSON requires and what AsPlainText escapes, as in "\n" or "\u009b".
void AppendJsonText(absl::string_view text, std::string* out);
// Returns AsPlainText(text) as a string of its own.
std::string PlainText(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_BASE_TEXT_H_
