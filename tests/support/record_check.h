// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_RECORD_CHECK_H_
#define PERF2X_TESTS_SUPPORT_RECORD_CHECK_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/dump.h"
#include "converter/perf/records/encode.h"
#include "tests/support/wire.h"

namespace perf2x {

// Checks a record's description against bytes written out by hand (wire.h), in
// both byte orders: the bytes decode to `fields` ("pid=1 comm=bash", with
// Dump's names), and encoding the record yields the bytes again. `wire` must
// not include padding after the last field.
template <class R>
void CheckRecord(absl::string_view wire, absl::string_view fields,
                 uint16_t misc = 0, const EventAttr& attr = EventAttr()) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    SCOPED_TRACE(order == ByteOrder::kLittle ? "little-endian" : "big-endian");
    const std::vector<uint8_t> bytes = Wire(order, wire);
    R record;
    ASSERT_TRUE(Decode(bytes, order, misc, attr, &record));
    std::string text;
    Dump(record, misc, attr, [&](const DumpField& field) {
      absl::StrAppend(&text, text.empty() ? "" : " ", field.name, "=",
                      ValueText(field));
    });
    EXPECT_EQ(text, fields);
    EXPECT_EQ(Encode(record, order, misc, attr), bytes);
    EXPECT_EQ(RecordName(R::kType), R::kName);
  }
}

// As CheckRecord; also checks that no shorter body decodes.
template <class R>
void CheckFixedRecord(absl::string_view wire, absl::string_view fields,
                      uint16_t misc = 0, const EventAttr& attr = EventAttr()) {
  CheckRecord<R>(wire, fields, misc, attr);
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::vector<uint8_t> bytes = Wire(order, wire);
    for (size_t n = 0; n < bytes.size(); ++n) {
      // A separate copy, so that a sanitizer sees reads past its end.
      const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + n);
      R record;
      EXPECT_FALSE(Decode(cut, order, misc, attr, &record)) << n << " bytes";
    }
  }
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_RECORD_CHECK_H_
