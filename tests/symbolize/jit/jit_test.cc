// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "converter/symbolize/jit/jitdump.h"
#include "converter/symbolize/jit/perf_map.h"

namespace perf2x {
namespace {

std::string NameAt(PerfMap& map, uint64_t address) {
  std::string name;
  map.Resolve(Dso(), {&address, 1},
              [&](size_t, absl::Span<const Symbol> symbols) {
                name = std::string(symbols[0].name);
              });
  return name;
}

TEST(PerfMapTest, NamesMayHoldSpacesAndLaterLinesWin) {
  auto map = PerfMap::Parse(
      SafeFile::FromMemory("perf-1.map",
                           "7f0000001000 40 LazyCompile:~old file.js:1\n"
                           "0x7f0000001040 0x10 Builtin: x\r\n"
                           "not a line\n"
                           "7f0000001000 40 LazyCompile:*new file.js:1\n"
                           "zz 10 bad\n10\n10 \n10 20 \n"));
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(NameAt(**map, 0x7f000000103f), "LazyCompile:*new file.js:1");
  EXPECT_EQ(NameAt(**map, 0x7f0000001040), "Builtin: x");
  EXPECT_EQ(NameAt(**map, 0x7f0000001050), "");
}

TEST(PerfMapTest, RefusesFilesWithoutFunctions) {
  EXPECT_FALSE(PerfMap::Parse(SafeFile::FromMemory("m", "hello\n")).ok());
  EXPECT_FALSE(PerfMap::Open("/dev/null").ok());
  EXPECT_FALSE(PerfMap::Open("/nonexistent/perf-1.map").ok());
}

// Written by hand from the specification.
class JitDumpBytes {
 public:
  explicit JitDumpBytes(ByteOrder order) : order_(order) {
    U32(0x4A695444).U32(1).U32(40).U32(62).U32(0).U32(4212).U64(5).U64(1);
  }
  JitDumpBytes& U32(uint32_t v) { return Number(v); }
  JitDumpBytes& U64(uint64_t v) { return Number(v); }
  JitDumpBytes& Text(absl::string_view s) {
    bytes.append(s.data(), s.size());
    bytes += '\0';
    return *this;
  }
  JitDumpBytes& Head(uint32_t id, uint32_t body, uint64_t time) {
    return U32(id).U32(16 + body).U64(time);
  }
  std::string bytes;

 private:
  template <class T>
  JitDumpBytes& Number(T v) {
    uint8_t b[sizeof(T)];
    Store(v, b, order_);
    bytes.append(reinterpret_cast<char*>(b), sizeof(T));
    return *this;
  }
  ByteOrder order_;
};

std::string Sample(ByteOrder order) {
  JitDumpBytes d(order);
  // DEBUG_INFO: three lines, the second in the same file as the first.
  d.Head(2, 16 + 16 + 5 + 16 + 2 + 16 + 5, 10).U64(0x1000).U64(3);
  d.U64(0x1000).U32(7).U32(0).Text("a.js");
  d.U64(0x1002).U32(8).U32(0).Text("\xff");
  d.U64(0x1004).U32(1).U32(0).Text("b.js");
  // UNWINDING_INFO: 8 bytes of .eh_frame, 4 of .eh_frame_hdr.
  d.Head(4, 24 + 12, 10).U64(12).U64(4).U64(0);
  d.U32(0x11111111).U32(0x22222222).U32(0x33333333);
  // LOAD of 4 bytes of code.
  d.Head(0, 40 + 4 + 4, 10).U32(4212).U32(4213).U64(0x1000).U64(0x1000);
  d.U64(4).U64(1).Text("foo").U32(0x90909090);
  d.Head(4, 8, 11).U64(0);  // UNWINDING_INFO
  d.Head(1, 48, 12).U32(4212).U32(4213).U64(0x2000).U64(0x1000).U64(0x2000);
  d.U64(4).U64(1);
  d.Head(3, 0, 13);
  return d.bytes;
}

std::vector<JitDump::Event> Events(const std::string& bytes, bool* whole) {
  std::vector<JitDump::Event> events;
  auto dump = JitDump::Open(SafeFile::FromMemory("jit-1.dump", bytes));
  *whole = false;
  if (!dump.ok()) return events;
  *whole =
      (*dump)->ForEach([&](const JitDump::Event& e) { events.push_back(e); });
  for (auto& e : events) e.name = {};  // goes with the dump
  return events;
}

TEST(JitDumpTest, ReadsLoadsMovesAndLinesInEitherByteOrder) {
  for (ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    auto dump =
        JitDump::Open(SafeFile::FromMemory("jit-1.dump", Sample(order)));
    ASSERT_TRUE(dump.ok());
    EXPECT_TRUE((*dump)->counter_times());
    int n = 0;
    EXPECT_TRUE((*dump)->ForEach([&](const JitDump::Event& e) {
      EXPECT_EQ(e.pid, 4212);
      EXPECT_EQ(e.tid, 4213);
      EXPECT_EQ(e.size, 4u);
      EXPECT_EQ(e.index, 1u);
      if (n++ == 0) {
        EXPECT_FALSE(e.move);
        EXPECT_EQ(e.time, 10u);
        EXPECT_EQ(e.start, 0x1000u);
        EXPECT_EQ(e.name, "foo");
        ASSERT_NE(e.lines, nullptr);
        ASSERT_EQ(e.lines->size(), 3u);
        EXPECT_EQ((*e.lines)[1].file, "a.js");
        EXPECT_EQ((*e.lines)[1].offset, 2u);
        EXPECT_FALSE(e.has_damaged_lines);
        EXPECT_EQ((*e.lines)[1].line, 8u);
        EXPECT_EQ((*e.lines)[2].file, "b.js");
        ASSERT_NE(e.eh_frame, nullptr);
        ASSERT_EQ(e.eh_frame->size(), 8u);
        EXPECT_EQ(e.eh_frame->front(), 0x11);
        EXPECT_EQ(e.eh_frame->back(), 0x22);
      } else {
        EXPECT_TRUE(e.move);
        EXPECT_EQ(e.old_start, 0x1000u);
        EXPECT_EQ(e.start, 0x2000u);
        EXPECT_EQ(e.eh_frame, nullptr);
      }
    }));
    EXPECT_EQ(n, 2);
  }
}

TEST(JitDumpTest, LinesThatAreNotOfTheCodeAreDamaged) {
  const auto lines_are_damaged = [](uint64_t address, absl::string_view file) {
    JitDumpBytes d(ByteOrder::kLittle);
    const auto name = static_cast<uint32_t>(file.size() + 1);
    d.Head(2, 16 + 16 + 5 + 16 + name, 10).U64(0x1000).U64(2);
    d.U64(0x1000).U32(7).U32(0).Text("a.js");
    d.U64(address).U32(8).U32(0).Text(file);
    d.Head(0, 40 + 4 + 4, 10).U32(1).U32(1).U64(0x1000).U64(0x1000);
    d.U64(4).U64(1).Text("foo").U32(0x90909090);
    bool whole = false;
    const auto events = Events(d.bytes, &whole);
    EXPECT_TRUE(whole);
    EXPECT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].lines == nullptr, events[0].has_damaged_lines);
    return events[0].has_damaged_lines;
  };
  EXPECT_FALSE(lines_are_damaged(0x1003, "b.js"));
  EXPECT_FALSE(lines_are_damaged(0x1004, "b.js"));  // where the code ends
  EXPECT_FALSE(lines_are_damaged(0x1002,
                                 "stra\xc3\x9f"
                                 "e.js"));
  EXPECT_TRUE(lines_are_damaged(0x1005, "b.js"));
  EXPECT_TRUE(lines_are_damaged(0xfff, "b.js"));
  EXPECT_TRUE(lines_are_damaged(0x1002, "w\xd0\x03"));
}

// Whoever visits events keeps them.
TEST(JitDumpTest, EventsAreMemoryOfTheFile) {
  const auto file =
      SafeFile::FromMemory("jit-1.dump", Sample(ByteOrder::kLittle));
  auto dump = JitDump::Open(file);
  ASSERT_TRUE(dump.ok());
  EXPECT_TRUE((*dump)->ForEach([](const JitDump::Event&) {}));
  EXPECT_GE(file->budget().used(Budget::kMemory), 2 * sizeof(JitDump::Event));
  file->budget().Spend(Budget::kMemory, 1 << 30);
  int n = 0;
  EXPECT_FALSE((*dump)->ForEach([&n](const JitDump::Event&) { ++n; }));
  EXPECT_EQ(n, 0);
}

TEST(JitDumpTest, CutAndFlippedFilesNeverGiveMore) {
  const std::string whole = Sample(ByteOrder::kLittle);
  size_t before = 2;
  for (size_t size = whole.size(); size-- > 0;) {
    bool ok;
    const size_t n = Events(whole.substr(0, size), &ok).size();
    EXPECT_LE(n, before);
    before = n;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(~flipped[i]);
    bool ok;
    EXPECT_LE(Events(flipped, &ok).size(), 2u);
  }
}

TEST(JitDumpTest, Names) {
  EXPECT_TRUE(IsJitDumpName("/tmp/jit-12.dump"));
  EXPECT_TRUE(IsJitDumpName("jit-12.dump"));
  for (const char* name : {"/tmp/jit-.dump", "/tmp/jit-1x.dump", "/tmp/jit-1",
                           "", "/tmp/xjit-1.dump"}) {
    EXPECT_FALSE(IsJitDumpName(name)) << name;
  }
}

}  // namespace
}  // namespace perf2x
