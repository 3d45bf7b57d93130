// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wire.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace perf2x {

std::vector<uint8_t> Wire(ByteOrder order, absl::string_view fields) {
  std::vector<uint8_t> out;
  while (!fields.empty()) {
    if (fields[0] == ' ') {
      fields.remove_prefix(1);
      continue;
    }
    if (fields[0] == '"' || fields[0] == '\'') {
      const size_t end = fields.find(fields[0], 1);
      EXPECT_NE(end, fields.npos) << "text does not end";
      if (end == fields.npos) return out;
      out.insert(out.end(), fields.begin() + 1, fields.begin() + end);
      if (fields[0] == '"') out.push_back(0);
      fields.remove_prefix(end + 1);
      continue;
    }
    absl::string_view field = fields.substr(0, fields.find(' '));
    fields.remove_prefix(field.size());
    if (absl::ConsumePrefix(&field, "0*")) {
      size_t n = 0;
      EXPECT_TRUE(absl::SimpleAtoi(field, &n)) << field;
      out.resize(out.size() + n);
      continue;
    }
    const bool as_is = absl::ConsumePrefix(&field, "=");
    EXPECT_EQ(field.size() % 2, 0u) << field;
    std::string bytes = absl::HexStringToBytes(field);
    if (!as_is && order == ByteOrder::kLittle) {
      std::reverse(bytes.begin(), bytes.end());
    }
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

}  // namespace perf2x
