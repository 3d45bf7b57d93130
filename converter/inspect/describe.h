// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_DESCRIBE_H_
#define PERF2X_INSPECT_DESCRIBE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "converter/inspect/info_value.h"
#include "converter/inspect/recording_info.h"

namespace perf2x {

// Return objects of the tree that Describe() returns. Facts that were not
// recorded have no members, so an object may be empty.
InfoValue DescribeHost(const HeaderFeatures& features);
InfoValue DescribeMachine(const HeaderFeatures& features);
// Returns an object with what the features in `info` say, and the contents that
// AddContents adds.
InfoValue DescribeHeader(const RecordingInfo& info);
// Adds members to the object `*out` for all contents except records: build ids,
// tracing data, BPF programs and types, AUX traces, simpleperf's META_INFO,
// recorded files. Adds no members for absent contents.
void AddContents(const RecordingInfo& info, InfoValue* out);

// Returns "0x1f" for 31.
inline std::string HexText(uint64_t value) {
  return absl::StrCat("0x", absl::Hex(value));
}

// Set the member `key` of an object, unless the value is empty, absent or 0.
// AddHex sets HexText(value).
inline void AddText(const std::string& text, absl::string_view key,
                    InfoValue* object) {
  if (!text.empty()) (*object)[key] = text;
}
template <class T>
void AddOptional(const std::optional<T>& value, absl::string_view key,
                 InfoValue* object) {
  if (value) (*object)[key] = *value;
}
inline void AddNonZero(uint64_t value, absl::string_view key,
                       InfoValue* object) {
  if (value != 0) (*object)[key] = value;
}
inline void AddHex(uint64_t value, absl::string_view key, InfoValue* object) {
  if (value != 0) (*object)[key] = HexText(value);
}
// Sets the member `key` of an object to the list of describe(element), in the
// order of `elements`; does nothing if there are no elements.
template <class C, class F>
void AddList(const C& elements, absl::string_view key, InfoValue* object,
             F describe) {
  InfoValue::List list;
  for (const auto& element : elements) list.push_back(describe(element));
  if (!list.empty()) (*object)[key] = std::move(list);
}

}  // namespace perf2x

#endif  // PERF2X_INSPECT_DESCRIBE_H_
