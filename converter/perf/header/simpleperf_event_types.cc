// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/simpleperf_event_types.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "converter/base/byte_reader.h"
#include "converter/base/truncate_name.h"

namespace perf2x {

std::vector<SimpleperfEventType> ReadSimpleperfEventTypes(
    const RawRecord& record, Diagnostics* diagnostics) {
  constexpr size_t kMaxTypes = 256;
  ByteReader in(record.body, record.order);
  in.Skip(8);  // the feature's number
  std::vector<SimpleperfEventType> types;
  while (in.ok() && in.left() > 0) {
    const absl::string_view key = in.CString();
    const absl::string_view value = in.CString();
    if (key != "event_type_info") continue;
    for (absl::string_view line : absl::StrSplit(value, '\n')) {
      // The name of a tracepoint may have commas after it, but not in it.
      const std::vector<absl::string_view> parts =
          absl::StrSplit(line, absl::MaxSplits(',', 3));
      SimpleperfEventType type;
      if (parts.size() < 3 || !absl::SimpleAtoi(parts[1], &type.type) ||
          !absl::SimpleAtoi(parts[2], &type.config)) {
        continue;
      }
      if (types.size() == kMaxTypes) return types;
      type.name = std::string(TruncateName(parts[0], kMaxEventNameSize,
                                           record.offset, diagnostics));
      types.push_back(std::move(type));
    }
    return types;
  }
  return types;
}

bool SimpleperfTracesOffCpu(const RawRecord& record) {
  ByteReader in(record.body, record.order);
  in.Skip(8);  // the feature's number
  while (in.ok() && in.left() > 0) {
    const absl::string_view key = in.CString();
    const absl::string_view value = in.CString();
    if (key == "trace_offcpu") return value == "true";
  }
  return false;
}

absl::string_view SimpleperfModifierOf(const EventAttr& attr) {
  if (attr.exclude_user() == attr.exclude_kernel()) return "";
  return attr.exclude_user() ? ":k" : ":u";
}

}  // namespace perf2x
