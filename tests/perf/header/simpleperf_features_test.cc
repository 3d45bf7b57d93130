// SPDX-License-Identifier: Apache-2.0

// Header features that only simpleperf writes, or writes in its own way
// (record_file_writer.cpp).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/wire.h"
#include "tests/perf/header/check_feature.h"

namespace perf2x {
namespace {

// Without the count that perf writes.
TEST(SimpleperfFeaturesTest, Auxtrace) {
  CheckFeature(kFeatureAuxtrace,
               "00000000000026a8 "  // file_offset
               "0000000000000030",  // size of the record
               [](const auto& f) {
                 ASSERT_EQ(f.auxtrace_index.size(), 1u);
                 EXPECT_EQ(f.auxtrace_index[0].first, 0x26a8u);
                 EXPECT_EQ(f.auxtrace_index[0].second, 0x30u);
               });
}

TEST(SimpleperfFeaturesTest, MetaInfo) {
  CheckFeature(kFeatureSimpleperfMetaInfo,
               "\"timestamp\" \"5\" "           // key, value
               "\"app_package_name\" \"a.b\"",  // key, value
               [](const auto& f) {
                 EXPECT_EQ(f.simpleperf_meta,
                           (StringPairs{{"timestamp", "5"},
                                        {"app_package_name", "a.b"}}));
               });
}

TEST(SimpleperfFeaturesTest, File) {
  const std::string elf =
      "\"/lib/a.so\" "     // path
      "00000002 "          // file_type: ELF
      "0000000000001000 "  // min_vaddr
      "00000001 "          // symbol count
      "0000000000001010 "  // vaddr
      "00000020 "          // len
      "\"main\" "          // name
      "0000000000000040";  // file_offset_of_min_vaddr
  const std::string dex =
      "\"/b.dex\" "        // path
      "00000003 "          // file_type: DEX
      "0000000000000000 "  // min_vaddr
      "00000000 "          // symbol count
      "00000001 "          // dex file count
      "0000000000000080";  // its offset
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::vector<uint8_t> body =
        FeatureBody(order, kFeatureSimpleperfFile,
                    absl::StrCat("00000033 ", elf, " 00000023 ", dex));
    int found = 0;
    EXPECT_TRUE(ForEachSimpleperfFile(
        FeatureRecord(order, body), [&](const SimpleperfFile& file) {
          if (++found == 1) {
            EXPECT_EQ(file.path, "/lib/a.so");
            EXPECT_EQ(file.min_address, 0x1000u);
            EXPECT_EQ(file.min_address_offset, 0x40u);
            ASSERT_EQ(file.symbol_count, 1u);
            ByteReader symbols = file.symbols;
            const auto symbol = SimpleperfFile::ReadSymbol(&symbols);
            EXPECT_TRUE(symbols.ok());
            EXPECT_EQ(symbol.address, 0x1010u);
            EXPECT_EQ(symbol.name, "main");
            EXPECT_EQ(symbol.size, 0x20u);
          } else {
            EXPECT_EQ(file.path, "/b.dex");
            ASSERT_EQ(file.dex_offsets.size(), 1u);
            EXPECT_EQ(file.dex_offsets[0], 0x80u);
          }
        }));
    EXPECT_EQ(found, 2);
    for (size_t n = 8; n < body.size(); ++n) {
      const std::vector<uint8_t> cut(body.begin(), body.begin() + n);
      const bool between = n == 8 || n == 8 + 4 + 0x33;
      EXPECT_EQ(ForEachSimpleperfFile(FeatureRecord(order, cut),
                                      [](const SimpleperfFile&) {}),
                between)
          << n;
    }
  }
}

}  // namespace
}  // namespace perf2x
