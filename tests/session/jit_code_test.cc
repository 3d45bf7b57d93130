// SPDX-License-Identifier: Apache-2.0
#include "converter/session/jit_code.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

std::string Number(uint64_t value, size_t size) {
  std::string bytes(size, 0);
  Store(static_cast<uint32_t>(value), reinterpret_cast<uint8_t*>(bytes.data()),
        ByteOrder::kLittle);
  return bytes;
}

// A header; then JIT_CODE_CLOSE, which has nothing behind its own header.
std::string ClosedDump() {
  std::string bytes;
  for (uint32_t word : {0x4A695444, 1, 40, 62, 0, 100}) {
    bytes += Number(word, 4);
  }
  bytes += Number(5, 8) + Number(0, 8);
  return bytes + Number(3, 4) + Number(16, 4) + Number(7, 8);
}

// A header; then functions that were loaded at these times.
std::string DumpOf(const std::vector<uint64_t>& times) {
  std::string bytes = ClosedDump().substr(0, 40);
  for (const uint64_t time : times) {
    bytes += Number(0, 4) + Number(16 + 40 + 2 + 1, 4) + Number(time, 8);
    bytes += Number(100, 4) + Number(100, 4);  // process and thread
    bytes += Number(0x1000, 8) + Number(0x1000, 8);
    bytes += Number(1, 8) + Number(time, 8);  // size and index
    bytes += std::string("f\0\x90", 3);
  }
  return bytes;
}

JitCode::Usable UsableOf(const std::string& bytes) {
  TraceTables tables;
  DsoTable files(tables);
  AddressSpaces spaces(tables, files);
  ThreadTable threads(tables);
  JitCode code(files, spaces, threads);
  auto dump = JitDump::Open(SafeFile::FromMemory("jit-1.dump", bytes));
  EXPECT_TRUE(dump.ok());
  return code.Add(*std::move(dump), 100);
}

TEST(JitCodeTest, TellsWhenADumpEndsWithinARecord) {
  const std::string whole = ClosedDump();
  EXPECT_EQ(UsableOf(whole), JitCode::Usable::kAll);
  EXPECT_EQ(UsableOf(whole.substr(0, 40)), JitCode::Usable::kAll);
  EXPECT_EQ(UsableOf(whole.substr(0, 41)), JitCode::Usable::kBeginning);
  EXPECT_EQ(UsableOf(whole.substr(0, whole.size() - 1)),
            JitCode::Usable::kBeginning);
}

TEST(JitCodeTest, CounterTimesNeedAConversion) {
  std::string dump = ClosedDump();
  dump[32] = 1;  // JITDUMP_FLAGS_ARCH_TIMESTAMP
  EXPECT_EQ(UsableOf(dump), JitCode::Usable::kNothing);
}

TEST(JitCodeTest, EventsOfAllDumpsAreInTheOrderOfTheirTimes) {
  TraceTables tables;
  DsoTable files(tables);
  AddressSpaces spaces(tables, files);
  ThreadTable threads(tables);
  JitCode code(files, spaces, threads);
  const auto add = [&](const std::vector<uint64_t>& times) {
    auto dump =
        JitDump::Open(SafeFile::FromMemory("jit-1.dump", DumpOf(times)));
    ASSERT_TRUE(dump.ok());
    EXPECT_EQ(code.Add(*std::move(dump), 100), JitCode::Usable::kAll);
  };
  add({});
  EXPECT_FALSE(code.pending());
  EXPECT_EQ(code.next_time(), ~uint64_t{0});
  add({20, 10, 40});
  add({30});
  std::vector<uint64_t> times;
  while (code.pending()) {
    times.push_back(code.next_time());
    code.Advance(times.back() - 1);
    EXPECT_EQ(code.next_time(), times.back());
    code.Advance(times.back());
  }
  EXPECT_EQ(times, (std::vector<uint64_t>{10, 20, 30, 40}));
  // All are of one process, at one place: the last one is left.
  add({50});
  add({60, 45});
  code.Advance(100);
  EXPECT_FALSE(code.pending());
  const MapEntry* entry = threads.GetProcess(100).map.Find(0x1000);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->dso, tables.dsos().size() - 1);
  EXPECT_EQ(code.CodeOf(entry->dso).size(), 1u);
}

}  // namespace
}  // namespace perf2x
