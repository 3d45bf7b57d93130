// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_TEXT_H_
#define PERF2X_BASE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns `text` itself if it is valid UTF-8; else a copy in `*scratch` in
// which U+FFFD replaces each byte that belongs to no character. `text` must not
// be a part of `*scratch`, here and below.
absl::string_view AsUtf8(absl::string_view text, std::string* scratch);

// Returns `text` as UTF-8 that is safe to show. Escapes control characters (C0,
// DEL, C1), as in "\x1b", because terminals interpret them. Escapes
// bidirectional controls and line separators, as in "\u202e", because they
// reorder or break lines. Returns `text` itself if it needs no change; else a
// copy in `*scratch`.
absl::string_view AsPlainText(absl::string_view text, std::string* scratch);
// Appends AsUtf8(text) to `*out` as the inside of a JSON string. Characters
// that JSON requires to be escaped, and those that AsPlainText escapes, are
// written as in "\n" or "\u009b".
void AppendJsonText(absl::string_view text, std::string* out);
// Returns AsPlainText(text) as a string of its own.
std::string PlainText(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_BASE_TEXT_H_
