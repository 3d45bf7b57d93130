// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_LINE_TEXT_H_
#define PERF2X_INSPECT_LINE_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "converter/inspect/info_value.h"

namespace perf2x {

// Text of values in a line of `perf2x dump`.

// Returns `text` in quotes and escaped, so that it fits on a line.
std::string QuotedText(absl::string_view text);

// Appends the members of an object to `*line`, each as " key=value". Strings
// are quoted, lists are in brackets, objects in braces: " cpus=[{cpu=0 core=0}
// {cpu=1 core=1}]". After `most` bytes, ends with " …". Takes time and memory
// in proportion to `most`.
void AppendMembers(const InfoValue::Object& object, size_t most,
                   std::string* line);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_LINE_TEXT_H_
