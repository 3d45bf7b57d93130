// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TRACEPOINT_PARSE_FORMAT_H_
#define PERF2X_TRACEPOINT_PARSE_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

struct ParsedFormat {
  uint64_t id;
  TracepointFormat format;
};

// Parses the text of an event's `format` file. `order` is the byte order of the
// recording; `long_size` is the size of a long in the recorded kernel, in
// bytes. Omits fields whose place or type makes no sense. Absent if the text
// cannot be parsed, if its fields are not plain ASCII, or if the fields or the
// print format have more than 64 KiB.
std::optional<ParsedFormat> ParseFormat(absl::string_view system,
                                        absl::string_view text, ByteOrder order,
                                        int long_size);

}  // namespace perf2x

#endif  // PERF2X_TRACEPOINT_PARSE_FORMAT_H_
