// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/dump.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace perf2x {

std::string ValueText(const DumpField& field) {
  switch (field.kind) {
    case DumpField::Kind::kNumber:
      return absl::StrCat(field.number);
    case DumpField::Kind::kSigned:
      return absl::StrCat(static_cast<int64_t>(field.number));
    case DumpField::Kind::kHex:
      return absl::StrCat("0x", absl::Hex(field.number));
    case DumpField::Kind::kText:
      return std::string(field.text);
    case DumpField::Kind::kBytes:
      return absl::BytesToHexString(
          {reinterpret_cast<const char*>(field.bytes.data()),
           field.bytes.size()});
    case DumpField::Kind::kWords:
    case DumpField::Kind::kNumbers:
      break;
  }
  std::string text = "[";
  auto add = [&](const auto& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "0x" : " 0x", absl::Hex(values[i]));
    }
  };
  if (field.kind == DumpField::Kind::kWords) {
    add(field.words);
  } else {
    add(field.numbers);
  }
  text += ']';
  return text;
}

}  // namespace perf2x
