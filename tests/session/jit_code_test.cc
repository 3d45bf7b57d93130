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

}  // namespace
}  // namespace perf2x
