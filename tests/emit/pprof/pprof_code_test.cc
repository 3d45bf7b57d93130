// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/output.h"
#include "profile.pb.h"
#include "tests/support/frame_places.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;
using ::testing::ElementsAre;

class PprofCodeTest : public testing::Test, public Symbolizer {
 protected:
  PprofCodeTest() : tables_(this) {}

  DsoId AddDso(const std::string& name) {
    Dso dso;
    dso.kind = DsoKind::kFile;
    dso.name = name;
    return tables_.AddDso(dso);
  }
  // Maps a page of `file` and adds a frame at each of its `addresses`.
  void AddCode(DsoId dso, uint64_t page,
               const std::vector<uint64_t>& addresses) {
    const MappingId mapping =
        tables_.AddMapping({dso, 0x400000 + page, 0x401000 + page, page});
    for (uint64_t address : addresses) {
      InternFrame(dso, mapping, page + address, tables_);
    }
  }
  pb::Profile Written(DsoId main_dso = kNoId) {
    std::string bytes;
    const std::unique_ptr<Output> output = MakeStringOutput(&bytes);
    PprofWriter writer(*output);
    UsedStrings strings(tables_.strings);
    WorkerPool workers(1);
    tables_.SymbolizeAllFrames(workers);
    EXPECT_TRUE(WritePprofCode(main_dso, tables_, strings, writer).ok());
    EXPECT_TRUE(writer.Flush().ok());
    pb::Profile profile;
    EXPECT_TRUE(profile.ParseFromString(bytes));
    for (size_t i = 0; i < strings.size(); ++i) {
      profile.add_string_table(std::string(strings[i]));
    }
    return profile;
  }
  // "fli" where functions, lines and inlined functions are said to be there,
  // "F" for files; by mapping.
  static std::vector<std::string> Flags(const pb::Profile& p) {
    std::vector<std::string> out;
    for (const pb::Mapping& m : p.mapping()) {
      out.push_back(std::string(m.has_functions() ? "f" : "") +
                    (m.has_filenames() ? "F" : "") +
                    (m.has_line_numbers() ? "l" : "") +
                    (m.has_inline_frames() ? "i" : ""));
    }
    return out;
  }

  TraceTables tables_;
  std::map<std::pair<DsoId, uint64_t>, std::vector<Symbol>> symbols_;

 private:
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override {
    const auto id = static_cast<DsoId>(tables_.dsos().IndexOf(dso));
    for (size_t i = 0; i < addresses.size(); ++i) {
      const auto it = symbols_.find({id, addresses[i]});
      if (it != symbols_.end()) found(i, it->second);
    }
  }
};

// pprof names a mapping anew, and worse, unless one of the flags is set.
TEST_F(PprofCodeTest, OneNameIsEnoughForTheFlags) {
  const DsoId names = AddDso("names");
  const DsoId files = AddDso("files");
  const DsoId lines = AddDso("lines");
  const DsoId inlines = AddDso("inlines");
  const DsoId nothing = AddDso("nothing");
  for (DsoId dso : {names, files, lines, inlines, nothing}) {
    AddCode(dso, 0, {1, 2, 3});
  }
  symbols_[{names, 2}] = {{"f", "f", "", 0, 0}};
  symbols_[{files, 1}] = {{"f", "f", "", 0, 0}};
  symbols_[{files, 3}] = {{"g", "g", "g.c", 0, 0}};
  symbols_[{lines, 1}] = {{"g", "g", "g.c", 7, 0}};
  symbols_[{lines, 2}] = {{"f", "f", "", 0, 0}};
  symbols_[{inlines, 1}] = {{"h", "h", "h.h", 3, 0}, {"g", "g", "g.c", 7, 0}};
  symbols_[{inlines, 2}] = {{"f", "f", "", 0, 0}};
  EXPECT_THAT(Flags(Written()), ElementsAre("f", "fF", "fFl", "fFli", ""));
}

TEST_F(PprofCodeTest, FlagsAreOfAllMappingsOfAFile) {
  const DsoId app = AddDso("app");
  AddCode(app, 0, {1, 2});
  AddCode(app, 0x3000, {1});
  symbols_[{app, 1}] = {{"f", "f", "f.c", 4, 0}};
  EXPECT_THAT(Flags(Written()), ElementsAre("fFl", "fFl"));
}

TEST_F(PprofCodeTest, TheProgramComesFirstEvenWithoutCode) {
  const DsoId lib = AddDso("lib");
  const DsoId app = AddDso("app");
  AddCode(lib, 0, {1});
  AddCode(app, 0x1000, {});
  const pb::Profile p = Written(app);
  ASSERT_EQ(p.mapping_size(), 2);
  EXPECT_EQ(p.string_table(static_cast<int>(p.mapping(0).filename())), "app");
  EXPECT_EQ(p.location(0).mapping_id(), 2);
}

// pprof shortens what looks like C++ where both names of a function are equal.
TEST_F(PprofCodeTest, NamesThatPprofWouldShortenHaveNoSystemName) {
  const std::vector<std::string> kept = {"main", "memcpy@plt", "f(int)",
                                         "_ZN3foo3barEv", "main.Map[...]"};
  const std::vector<std::string> hidden = {
      "LazyCompile:*<anonymous> /a.js:3", "Lcom/App;::<init>",
      "void [System.Console] System.Console::WriteLine(string)[Tier0]"};
  const DsoId app = AddDso("app");
  std::vector<uint64_t> addresses;
  for (const auto* names : {&kept, &hidden}) {
    for (const std::string& name : *names) {
      symbols_[{app, addresses.size()}] = {{name, name, "", 0, 0}};
      addresses.push_back(addresses.size());
    }
  }
  symbols_[{app, addresses.size()}] = {
      {"std::sort<int>(int*)", "_ZSt4sortIiEvPi", "", 0, 0}};
  addresses.push_back(addresses.size());
  AddCode(app, 0, addresses);
  const pb::Profile p = Written();
  ASSERT_EQ(p.function_size(), static_cast<int>(addresses.size()));
  for (const pb::Function& f : p.function()) {
    const std::string& name = p.string_table(static_cast<int>(f.name()));
    const bool is_hidden =
        std::find(hidden.begin(), hidden.end(), name) != hidden.end();
    EXPECT_EQ(f.system_name() == 0, is_hidden) << name;
  }
}

}  // namespace
}  // namespace perf2x
