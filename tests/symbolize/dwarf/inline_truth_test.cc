// SPDX-License-Identifier: Apache-2.0

// Inlined functions and source lines of the corpus's programs against those
// that perf printed (truth/ID.inline), and against addr2line -i.
//
// perf asks the addr2line that is installed. That of binutils 2.40 has three
// faults: the innermost function gets the name of the outermost when it has no
// linkage name; it misses chains in code without a line number; and it misses
// functions in clang's DWARF 5. So LLVM's and elfutils' are asked too, and perf
// is run with LLVM's in place of binutils'.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/symbolize/symbolize.h"
#include "tests/support/temp_folder.h"
#include "tests/symbolize/corpus.h"
#include "tests/symbolize/dwarf/outside_tools.h"

namespace perf2x {
namespace {

// How answers compare; in frames, and in places.
struct ChainTally {
  struct Count {
    uint64_t frames = 0, places = 0;
    void Add(uint64_t n) {
      frames += n;
      ++places;
    }
  };
  Count all, same;
  Count misnamed;   // the innermost has the name of the outermost
  Count no_chain;   // the other has one function where we have several
  Count otherwise;  // any other difference
  Count llvm;       // llvm-symbolizer answers as we do
  Count elfutils;   // eu-addr2line answers as we do
  std::string unexplained;

  void Print(absl::string_view what) const {
    auto percent = [this](const Count& c) {
      return all.frames == 0 ? 0.0 : 100.0 * c.frames / all.frames;
    };
    std::printf(
        "%.*s: %lu frames at %lu places: %.2f %% the same (%lu frames, %lu "
        "places); innermost misnamed there %lu (%lu), no chain there %lu "
        "(%lu), other %lu (%lu); llvm-symbolizer says the same as we of %.2f "
        "%% (%lu frames, %lu places), eu-addr2line of %.2f %% (%lu, %lu)\n",
        static_cast<int>(what.size()), what.data(), all.frames, all.places,
        percent(same), same.frames, same.places, misnamed.frames,
        misnamed.places, no_chain.frames, no_chain.places, otherwise.frames,
        otherwise.places, percent(llvm), llvm.frames, llvm.places,
        percent(elfutils), elfutils.frames, elfutils.places);
  }
};

class InlineTruthTest : public testing::Test {
 protected:
  void SetUp() override { symfs_ = corpus_.Symfs("x86_64"); }

  // Our answers for offsets in a program; by linkage names with `raw`.
  std::map<uint64_t, Chain> Ours(const std::string& program,
                                 const std::vector<uint64_t>& addresses,
                                 bool raw) {
    SymbolizeOptions options;
    options.binaries.symfs = symfs_;
    options.binaries.debug_dirs.clear();
    options.binaries.buildid_dir = "/nonexistent";
    Dso code;
    code.kind = DsoKind::kFile;
    code.name = program;
    std::map<uint64_t, Chain> found;
    MakeSymbolizer(options)->Resolve(
        code, addresses, [&](size_t i, absl::Span<const Symbol> symbols) {
          for (const Symbol& s : symbols) {
            found[addresses[i]].push_back(
                {std::string(raw ? s.system_name : s.name),
                 s.line == 0 ? "??" : std::string(Base(s.file)), s.line});
          }
        });
    return found;
  }

  // The chains of leaves in what perf printed, by program and address.
  std::map<std::string, std::map<uint64_t, std::map<std::string, uint64_t>>>
  Leaves(const std::string& text, bool chains);

  // Compares the leaves of a recording with what perf printed of it. perf 6.1
  // adds inlined functions where it unwinds by DWARF only; else `chains` is
  // false and the function and the innermost line are compared.
  void CompareLeaves(const std::string& id, const std::string& text,
                     bool chains, ChainTally* tally);
  // What perf prints of a recording, asking LLVM's addr2line.
  std::string RunPerfWithLlvm(const std::string& id);
  // Places in the programs of the recordings with these prefixes, by program:
  // of callers, one byte before the return address, or of leaves.
  std::map<std::string, Places> Frames(const std::vector<std::string>& prefixes,
                                       bool callers);
  // Compares callers with addr2line.
  void CompareCallers(const std::string& program, const Places& places,
                      ChainTally* tally);

  const Corpus corpus_ = Corpus::Own();
  std::string symfs_;
  std::map<std::string, Chain> chains_;  // by how they are shown
};

std::map<std::string, std::map<uint64_t, std::map<std::string, uint64_t>>>
InlineTruthTest::Leaves(const std::string& text, bool chains) {
  std::map<std::string, std::map<uint64_t, std::map<std::string, uint64_t>>>
      all;
  for (absl::string_view sample : absl::StrSplit(text, "\n\n")) {
    // Below the head are pairs of lines: address and function; file and line.
    const std::vector<absl::string_view> lines =
        absl::StrSplit(sample, '\n', absl::SkipEmpty());
    Chain chain;
    absl::string_view address;
    FrameLine last;
    for (size_t i = 1; i + 1 < lines.size(); i += 2) {
      absl::string_view line = lines[i];
      line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
      const absl::string_view this_address = line.substr(0, line.find(' '));
      if (chain.empty()) address = this_address;
      if (this_address != address) break;  // the caller's frame begins
      FrameLine frame;
      const bool whole = ParseFrameLine(lines[i], &frame);
      InlineLine entry;
      if (whole) {
        last = frame;
        entry.name = frame.name;
      } else {
        entry.name = std::string(line.substr(line.find(' ') + 1));
      }
      ParseLine(lines[i + 1], &entry);
      chain.push_back(entry);
      if (!chains) break;
    }
    if (!absl::StartsWith(last.dso, "/opt/demo")) continue;
    const std::string shown = Show(chain);
    chains_[shown] = chain;
    ++all[last.dso][last.address][shown];
  }
  return all;
}

void InlineTruthTest::CompareLeaves(const std::string& id,
                                    const std::string& text, bool chains,
                                    ChainTally* tally) {
  EXPECT_FALSE(text.empty()) << id;
  for (const auto& [program, places] : Leaves(text, chains)) {
    std::vector<uint64_t> addresses;
    for (const auto& [address, truths] : places) addresses.push_back(address);
    auto ours = Ours(program, addresses, /*raw=*/false);
    auto ours_raw = Ours(program, addresses, /*raw=*/true);
    auto judge = AskLlvm(symfs_ + program, addresses);
    auto elfutils = AskElfutils(symfs_ + program, addresses);
    for (const auto& [address, truths] : places) {
      Chain& here = ours[address];
      if (!chains && !here.empty()) {
        here = {{here.back().name, here[0].file, here[0].line}};
      }
      for (const auto& [shown, count] : truths) {
        const Chain& perf = chains_[shown];
        tally->all.Add(count);
        if (judge[address] == ours_raw[address]) tally->llvm.Add(count);
        if (SameAsElfutils(ours_raw[address], elfutils[address])) {
          tally->elfutils.Add(count);
        }
        if (perf == here) {
          tally->same.Add(count);
          continue;
        }
        Chain renamed = perf;
        if (!here.empty()) renamed[0].name = here[0].name;
        if (perf.size() > 1 && renamed == here &&
            perf[0].name == perf.back().name) {
          tally->misnamed.Add(count);
        } else if (perf.size() == 1 && here.size() > 1) {
          tally->no_chain.Add(count);
        } else {
          tally->otherwise.Add(count);
        }
        if (judge[address] != ours_raw[address]) {
          absl::StrAppend(&tally->unexplained, id, " ", program, " ",
                          absl::Hex(address), ": perf", shown, "\n  here",
                          Show(here), "\n  llvm", Show(judge[address]), "\n");
        }
      }
    }
  }
}

std::string InlineTruthTest::RunPerfWithLlvm(const std::string& id) {
  const TempFolder folder;
  {
    // perf writes an address, then a comma, for which it waits to be told that
    // nothing is known.
    std::ofstream(folder.File("addr2line"))
        << "#!/bin/sh\n"
           "sed -u 's/^,$/ffffffffffffffff/; s/^/0x/' |\n"
           "  llvm-symbolizer --output-style=GNU --no-demangle --inlines"
           " \"$1\" \"$2\"\n";
  }
  std::filesystem::permissions(folder.File("addr2line"),
                               std::filesystem::perms::owner_all);
  const std::string recording = folder.File("perf.data");
  const std::string command = absl::StrCat(
      "zstd -dcq --long=24 ", corpus_.Recording(id), " > ", recording,
      " && PATH=", folder.path(), ":$PATH timeout 60 perf script -f -i ",
      recording, " --inline -F comm,tid,time,event,ip,sym,dso,srcline --symfs ",
      symfs_, " 2>/dev/null");
  const std::string text = OutputOf(command);
  return text;
}

std::map<std::string, Places> InlineTruthTest::Frames(
    const std::vector<std::string>& prefixes, bool callers) {
  std::map<std::string, Places> frames;
  for (const std::string& prefix : prefixes) {
    for (const std::string& id : corpus_.Recordings(prefix)) {
      // perf 7 prints run-time addresses, and perf looks up callers that it
      // unwound by DWARF one byte back itself.
      if (absl::StrContains(id, "p7_") || absl::StrContains(id, "perf7") ||
          absl::StrContains(id, "offcpu7") || absl::StrContains(id, "dwarf")) {
        continue;
      }
      // What follows the head of a sample, or the kernel, is no caller.
      bool after_user = false;
      const std::string text = corpus_.Truth(id + ".script");
      for (absl::string_view line : absl::StrSplit(text, '\n')) {
        FrameLine frame;
        if (!ParseFrameLine(line, &frame) || frame.address >> 63 != 0) {
          after_user = false;
          continue;
        }
        if (after_user == callers && frame.address > 0 &&
            absl::StartsWith(frame.dso, "/opt/demo/bin/") &&
            std::filesystem::exists(symfs_ + frame.dso)) {
          ++frames[frame.dso][frame.address - (callers ? 1 : 0)];
        }
        after_user = true;
      }
    }
  }
  return frames;
}

void InlineTruthTest::CompareCallers(const std::string& program,
                                     const Places& places, ChainTally* tally) {
  std::vector<uint64_t> addresses;
  for (const auto& [address, count] : places) addresses.push_back(address);
  auto ours = Ours(program, addresses, /*raw=*/true);
  auto theirs = AskAddr2line(symfs_ + program, addresses);
  auto judge = AskLlvm(symfs_ + program, addresses);
  auto elfutils = AskElfutils(symfs_ + program, addresses);
  std::vector<uint64_t> unchanged;
  for (const uint64_t address : addresses) unchanged.push_back(address + 1);
  auto judge_unchanged = AskLlvm(symfs_ + program, unchanged);
  for (const auto& [address, count] : places) {
    const Chain& here = ours[address];
    const Chain& there = theirs[address];
    tally->all.Add(count);
    // Where another function starts at the address itself, and no call ends
    // there, the frame is that function's (docs/symbols.md).
    const Chain& one_on = judge_unchanged[address + 1];
    const bool starts_there =
        !one_on.empty() && (judge[address].empty() ||
                            one_on.back().name != judge[address].back().name);
    if (judge[address] == here || (starts_there && one_on == here)) {
      tally->llvm.Add(count);
    }
    if (SameAsElfutils(here, elfutils[address])) tally->elfutils.Add(count);
    if (here == there) {
      tally->same.Add(count);
      continue;
    }
    Chain renamed = there;
    if (!renamed.empty() && !here.empty()) {
      renamed[0].name = here[0].name;
      renamed.back().name = here.back().name;
    }
    if (renamed == here) {
      tally->misnamed.Add(count);
    } else if (there.size() < 2 && here.size() > 1) {
      tally->no_chain.Add(count);
    } else {
      tally->otherwise.Add(count);
    }
    if (judge[address] != here) {
      absl::StrAppend(&tally->unexplained, program, " ", absl::Hex(address),
                      ": addr2line", Show(there), "\n  here", Show(here),
                      "\n  llvm", Show(judge[address]), "\n");
    }
  }
}

// Recordings that perf unwound by DWARF.
constexpr const char* kUnwound[] = {"x86-dwarf_inl", "x86-dwarf_clang5",
                                    "x86-zstd_dwarf", "x86-compat32_dwarf"};

TEST_F(InlineTruthTest, ChainsOfUnwoundLeaves) {
  ChainTally tally;
  for (const char* id : kUnwound) {
    CompareLeaves(id, corpus_.Truth(absl::StrCat(id, ".inline")),
                  /*chains=*/true, &tally);
  }
  tally.Print("chains of leaves, perf");
  EXPECT_GT(tally.all.frames, 300u);
  EXPECT_GE(tally.same.frames * 100, tally.all.frames * 75);
  if (!Installed("llvm-symbolizer")) GTEST_SKIP() << "no llvm-symbolizer";
  EXPECT_EQ(tally.unexplained, "");
}

TEST_F(InlineTruthTest, ChainsOfUnwoundLeavesAsPerfWithLlvmsAddr2line) {
  for (const char* program : {"perf", "llvm-symbolizer", "zstd"}) {
    if (!Installed(program)) GTEST_SKIP() << "no " << program;
  }
  ChainTally tally;
  for (const char* id : kUnwound) {
    CompareLeaves(id, RunPerfWithLlvm(id), /*chains=*/true, &tally);
  }
  tally.Print("chains of leaves, perf with LLVM's addr2line");
  EXPECT_GT(tally.all.frames, 300u);
  EXPECT_GE(tally.same.frames * 1000, tally.all.frames * 995);
}

TEST_F(InlineTruthTest, LinesOfFramePointerLeaves) {
  ChainTally tally;
  for (const char* id : {"x86-fp_callgraph", "x86-split_debuglink"}) {
    CompareLeaves(id, corpus_.Truth(absl::StrCat(id, ".inline")),
                  /*chains=*/false, &tally);
  }
  tally.Print("functions and lines of leaves, perf");
  EXPECT_GT(tally.all.frames, 300u);
  EXPECT_GE(tally.same.frames * 1000, tally.all.frames * 995)
      << tally.unexplained;
}

TEST_F(InlineTruthTest, CallersOneByteBack) {
  if (!Installed("addr2line")) GTEST_SKIP() << "no addr2line";
  ChainTally tally;
  auto callers = Frames({"x86-", "vm-"}, /*callers=*/true);
  for (const auto& [program, places] : callers) {
    CompareCallers(program, places, &tally);
  }
  tally.Print("callers, addr2line -i");
  EXPECT_GT(tally.all.frames, 1000u);
  if (!Installed("llvm-symbolizer")) GTEST_SKIP() << "no llvm-symbolizer";
  EXPECT_GE(tally.llvm.frames * 1000, tally.all.frames * 995)
      << tally.unexplained;
}

// perf's inlined functions are in the corpus for x86 only, and addr2line knows
// this machine's processor only.
TEST_F(InlineTruthTest, OtherProcessorsAsLlvm) {
  if (!Installed("llvm-symbolizer")) GTEST_SKIP() << "no llvm-symbolizer";
  for (const char* arch : {"aarch64", "armv7l"}) {
    symfs_ = corpus_.Symfs(arch);
    uint64_t same = 0, all = 0;
    std::string differences;
    for (bool callers : {false, true}) {
      for (const auto& [program, places] :
           Frames({absl::StrCat(arch, "-")}, callers)) {
        std::vector<uint64_t> addresses;
        for (const auto& [address, count] : places) {
          addresses.push_back(address);
        }
        auto ours = Ours(program, addresses, /*raw=*/true);
        auto theirs = AskLlvm(symfs_ + program, addresses);
        for (const auto& [address, count] : places) {
          // It does not name entries of linkage tables.
          if (!ours[address].empty() &&
              absl::EndsWith(ours[address].back().name, "@plt")) {
            continue;
          }
          all += count;
          if (ours[address] == theirs[address]) {
            same += count;
          } else {
            absl::StrAppend(&differences, program, " ", absl::Hex(address),
                            ": llvm", Show(theirs[address]), "\n  here",
                            Show(ours[address]), "\n");
          }
        }
      }
    }
    std::printf("%s: %lu of %lu leaves and callers as llvm-symbolizer\n", arch,
                same, all);
    EXPECT_GT(all, 200u);
    EXPECT_GE(same * 1000, all * 995) << differences;
  }
}

}  // namespace
}  // namespace perf2x
