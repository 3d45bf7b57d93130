// SPDX-License-Identifier: Apache-2.0
#include "converter/model/trace_tables.h"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/frame_places.h"

namespace perf2x {
namespace {

TEST(TraceTablesTest, PathsCountAsOftenAsTheyAreKept) {
  TraceTables tables;
  const uint64_t before = tables.memory();
  Dso dso;
  dso.name = std::string(4000, 'p');
  tables.AddDso(std::move(dso));
  EXPECT_GE(tables.memory() - before, 8 * 4000u);
}

// Names even addresses; multiples of four have an inlined function.
class EvenSymbolizer : public Symbolizer {
 public:
  void Resolve(const Dso& file, absl::Span<const uint64_t> addresses,
               Found found) override {
    {
      std::lock_guard lock(mutex_);
      ++calls_;
    }
    std::deque<std::string> names;
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (addresses[i] % 2 != 0) continue;
      const std::string& name =
          names.emplace_back(absl::StrCat(file.name, ":", addresses[i]));
      const Symbol outer{name, name, "a.c", 3, 1};
      const Symbol both[] = {{"inlined", "inlined", "a.h", 9, 8}, outer};
      if (addresses[i] % 4 == 0) {
        found(i, both);
      } else {
        found(i, {&outer, 1});
      }
    }
  }
  int calls() const { return calls_; }

 private:
  std::mutex mutex_;
  int calls_ = 0;
};

Dso File(const char* name) {
  Dso file;
  file.kind = DsoKind::kFile;
  file.name = name;
  return file;
}

std::string NamesOf(TraceTables& tables, FrameId frame) {
  std::string out;
  for (const Line& line : tables.Lines(frame)) {
    absl::StrAppend(&out,
                    tables.strings[tables.functions()[line.function].name], "@",
                    line.line, " ");
  }
  return out;
}

TEST(TraceTablesTest, FramesAreWhatTheyAreNotWhereTheyWereSeen) {
  TraceTables tables;
  const DsoId a = tables.AddDso(File("/a"));
  const MappingId first = tables.AddMapping({a, 0x1000, 0x2000, 0});
  const MappingId second = tables.AddMapping({a, 0x5000, 0x6000, 0});
  const FrameId frame = InternFrame(a, first, 0x10, tables);
  EXPECT_EQ(InternFrame(a, second, 0x10, tables), frame);
  EXPECT_EQ(tables.frames()[frame].mapping, first);
  EXPECT_NE(InternFrame(a, first, 0x11, tables), frame);
}

TEST(TraceTablesTest, NamesOneFrameOnDemand) {
  EvenSymbolizer symbolizer;
  TraceTables tables(&symbolizer);
  const DsoId a = tables.AddDso(File("/lib/a.so"));
  const FrameId inlined = InternFrame(a, 0, 4, tables);
  const FrameId nameless = InternFrame(a, 0, 5, tables);
  EXPECT_EQ(NamesOf(tables, inlined), "inlined@9 /lib/a.so:4@3 ");
  EXPECT_TRUE(tables.IsSymbolized(inlined));
  EXPECT_EQ(NamesOf(tables, nameless), "[a.so]@0 ");
  EXPECT_FALSE(tables.IsSymbolized(nameless));
  NamesOf(tables, inlined);
  EXPECT_EQ(symbolizer.calls(), 2);
}

TEST(TraceTablesTest, NamesAllFramesAlikeOnAnyNumberOfThreads) {
  std::string results[2];
  for (int i = 0; i < 2; ++i) {
    EvenSymbolizer symbolizer;
    TraceTables tables(&symbolizer);
    for (int f = 0; f < 5; ++f) {
      tables.AddDso(File(absl::StrCat("/", f).c_str()));
    }
    for (uint64_t n = 0; n < 100; ++n) {
      InternFrame(static_cast<DsoId>(n * 7 % 5), 0, 100 - n, tables);
    }
    NamesOf(tables, 3);  // one is named already
    WorkerPool workers(i == 0 ? 1 : 4);
    tables.SymbolizeAllFrames(workers);
    for (FrameId f = 0; f < tables.frames().size(); ++f) {
      absl::StrAppend(&results[i], tables.Lines(f)[0].function, "=",
                      NamesOf(tables, f));
    }
    EXPECT_EQ(symbolizer.calls(), 6);  // one frame, then each file once
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(TraceTablesTest, NamesFramesThatCameAfterOthersWereNamed) {
  EvenSymbolizer symbolizer;
  TraceTables tables(&symbolizer);
  const DsoId a = tables.AddDso(File("/a"));
  const FrameId first = InternFrame(a, 0, 4, tables);
  WorkerPool workers(2);
  tables.SymbolizeAllFrames(workers, /*more_to_come=*/true);
  const FrameId second = InternFrame(a, 0, 6, tables);
  const FrameId nameless = InternFrame(a, 0, 3, tables);
  tables.SymbolizeAllFrames(workers);
  EXPECT_EQ(NamesOf(tables, first), "inlined@9 /a:4@3 ");
  EXPECT_EQ(NamesOf(tables, second), "/a:6@3 ");
  EXPECT_EQ(NamesOf(tables, nameless), "[a]@0 ");
  EXPECT_EQ(symbolizer.calls(), 2);
}

TEST(TraceTablesTest, WithoutSymbolizerPlaceholders) {
  TraceTables tables;
  const DsoId a = tables.AddDso(File("/a"));
  const FrameId frame = InternFrame(a, 0, 4, tables);
  WorkerPool workers(2);
  tables.SymbolizeAllFrames(workers);
  EXPECT_EQ(NamesOf(tables, frame), "[a]@0 ");
}

TEST(PlaceholderNameTest, NamesTheFile) {
  EXPECT_EQ(PlaceholderName(File("/usr/lib/libfoo.so")), "[libfoo.so]");
  EXPECT_EQ(PlaceholderName(File("[vdso]")), "[vdso]");
  EXPECT_EQ(PlaceholderName(File("")), "[unknown]");
}

}  // namespace
}  // namespace perf2x
