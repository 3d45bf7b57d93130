// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

std::string RunsOf(EtmFrameReader* reader, const std::vector<uint8_t>& frame,
                   uint64_t* ids) {
  std::string text;
  *ids = reader->Read(frame, [&](uint8_t id, size_t bytes) {
    absl::StrAppend(&text, absl::Hex(id), "*", bytes, " ");
  });
  return text;
}

TEST(EtmFrameTest, RunsOfIds) {
  EtmFrameReader reader;
  uint64_t ids = 0;
  std::vector<uint8_t> frame(16);
  EXPECT_EQ(RunsOf(&reader, frame, &ids), "80*15 ");
  EXPECT_EQ(ids, 0u);
  frame[0] = 0x21;  // 0x10, at once
  frame[6] = 0x23;  // 0x11, after the next byte
  frame[14] = 0x25;
  frame[15] = 1 << 3;
  EXPECT_EQ(RunsOf(&reader, frame, &ids), "10*6 11*6 ");
  EXPECT_EQ(ids, 3u);
  // The last id goes on.
  EXPECT_EQ(RunsOf(&reader, std::vector<uint8_t>(16), &ids), "12*15 ");
  reader.Reset();
  EXPECT_EQ(RunsOf(&reader, std::vector<uint8_t>(16), &ids), "80*15 ");
}

TEST(EtmFrameTest, FsyncsForgetTheSource) {
  EtmFrameReader reader;
  uint64_t ids = 0;
  std::vector<uint8_t> frame(16);
  frame[0] = 0x21;
  EXPECT_EQ(RunsOf(&reader, frame, &ids), "10*14 ");
  std::vector<uint8_t> fsync;
  for (int i = 0; i < 4; ++i) {
    fsync.insert(fsync.end(), {0xff, 0xff, 0xff, 0x7f});
  }
  EXPECT_EQ(RunsOf(&reader, fsync, &ids), "");
  EXPECT_EQ(RunsOf(&reader, std::vector<uint8_t>(16), &ids), "80*15 ");
}

}  // namespace
}  // namespace perf2x
