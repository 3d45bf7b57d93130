// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/tracing_data.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

// record_data_file() in trace-event-info.c.
TEST(TracingDataTest, IndexOfEachByteOrder) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::string data = absl::StrCat(
        "=170844 'tracing' \"0.6\" ",              // magic, version
        order == ByteOrder::kBig ? "01 " : "00 ",  // big_endian
        "08 00001000 "                             // long size, page size
        "\"header_page\" 0000000000000002 'ab' "   // size, text
        "\"header_event\" 0000000000000001 'c' "   // size, text
        "00000001 0000000000000003 'def' "         // ftrace formats
        "00000002 "                                // systems
        "\"sched\" 00000001 0000000000000002 'gh' "
        "\"irq\" 00000000 "
        "00000000 00000000 0000000000000000");  // symbols, printk, cmdlines
    const std::vector<uint8_t> bytes = Wire(order, data);
    TracingDataSummary index;
    EXPECT_TRUE(ReadTracingDataSummary(bytes, &index));
    EXPECT_EQ(index.version, "0.6");
    EXPECT_EQ(index.long_size, 8u);
    EXPECT_EQ(index.page_size, 4096u);
    EXPECT_EQ(index.ftrace_events, 1u);
    ASSERT_EQ(index.systems.size(), 2u);
    EXPECT_EQ(index.systems[0].name, "sched");
    EXPECT_EQ(index.systems[0].events, 1u);
    EXPECT_EQ(index.systems[1].name, "irq");
    for (size_t n = 0; n < bytes.size(); ++n) {
      const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + n);
      TracingDataSummary less;
      ReadTracingDataSummary(cut, &less);
      EXPECT_LE(less.systems.size(), 2u);
    }
  }
}

}  // namespace
}  // namespace perf2x
