// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace perf2x {
namespace {

class Memory : public Output {
 public:
  absl::Status Write(absl::string_view bytes) override {
    text.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }
  std::string text;
};

template <class F>
std::string Array(F write) {
  Memory out;
  JsonWriter json(out);
  json.BeginArray();
  write(json);
  json.EndArray();
  EXPECT_TRUE(json.Flush().ok());
  return out.text;
}

TEST(JsonWriterTest, WritesMicrosecondsWithThreeDecimals) {
  EXPECT_EQ(Array([](JsonWriter& json) {
              json.Micros(0);
              json.Micros(7);
              json.Micros(1'020);
              json.Micros(std::numeric_limits<uint64_t>::max());
            }),
            "[0.000,0.007,1.020,18446744073709551.615]");
}

TEST(JsonWriterTest, WritesMillisecondsWithTheDecimalsThatTheyHave) {
  EXPECT_EQ(Array([](JsonWriter& json) {
              json.Millis(0);
              json.Millis(7);
              json.Millis(1'020'000);
              json.Millis(2'000'000);
              json.Millis(std::numeric_limits<uint64_t>::max());
            }),
            "[0,0.000007,1.02,2,18446744073709.551615]");
}

TEST(JsonWriterTest, KeepsNumbersExactOrMakesThemText) {
  EXPECT_EQ(Array([](JsonWriter& json) {
              json.Uint(std::numeric_limits<int64_t>::max());
              json.Uint(uint64_t{1} << 63);
              json.Int(std::numeric_limits<int64_t>::min());
              json.Double(0.25);
              json.Double(-std::numeric_limits<double>::infinity());
              json.Hex(0xdeadbeef);
            }),
            "[9223372036854775807,\"0x8000000000000000\","
            "-9223372036854775808,0.25,\"-inf\",\"0xdeadbeef\"]");
}

TEST(JsonWriterTest, EscapesWhatJsonWantsEscaped) {
  EXPECT_EQ(Array([](JsonWriter& json) {
              json.String("a\"b\\c\n\x01");
              json.String({});
            }),
            "[\"a\\\"b\\\\c\\n\\u0001\",\"\"]");
}

// A trace may be shown on a terminal, where these are commands or reorder text.
TEST(JsonWriterTest, EscapesControlsThatJsonWouldAllow) {
  EXPECT_EQ(Array([](JsonWriter& json) {
              json.String("12345678\x7f");
              json.String("a\xc2\x9b|\xe2\x80\xae|caf\xc3\xa9\xff");
            }),
            "[\"12345678\\u007f\","
            "\"a\\u009b|\\u202e|caf\xc3\xa9\xef\xbf\xbd\"]");
}

}  // namespace
}  // namespace perf2x
