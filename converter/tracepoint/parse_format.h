// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TRACEPOINT_PARSE_FORMAT_H_
#define PERF2X_TRACEPOINT_PARSE_FORMAT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// A format, and the id that the kernel gave its event.
struct ParsedFormat {
  uint64_t id;
  TracepointFormat format;
};

// Parses `text`, the contents of an event's `format` file. `system` is the
// event's tracing subsystem ("sched"). `order` is the byte order of the
// recording. `long_size` is the size of a long in the recorded kernel, in
// bytes. Omits fields with an invalid offset, size or type. Returns nullopt if
// `text` cannot be parsed, or if its fields are not printable ASCII. Also
// returns nullopt if the fields or the print format have more than 64 KiB.
std::optional<ParsedFormat> ParseFormat(absl::string_view system,
                                        absl::string_view text, ByteOrder order,
                                        int long_size);

}  // namespace perf2x

#endif  // PERF2X_TRACEPOINT_PARSE_FORMAT_H_
