#include "converter/perf/dump.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "converter/perf/all_records.h"
#include "converter/perf/decode.h"

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

bool DumpRecord(const RawRecord& record, const AttrTable& attrs,
                FieldSink sink) {
  const EventAttr& attr = attrs.AttrOf(record);
  const size_t trailer = attrs.TrailerSize(record);
  const auto body = record.body.subspan(0, record.body.size() - trailer);
  bool ok = true;
  const bool known = AllRecords::Visit(record.type, [&](auto decoded) {
    ok = Decode(body, record.order, record.misc, attr, &decoded);
    if (ok) Dump(decoded, record.misc, attr, sink);
  });
  if (!known) Dumper(record.misc, attr, sink).Rest("data", body);
  if (ok && trailer > 0) {
    Dump(attrs.TrailerOf(record), record.misc, attr, sink);
  }
  return ok;
}

}  // namespace perf2x
