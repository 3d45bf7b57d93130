// Names of real recordings against those that perf printed for them. See the
// corpus's README for how truth/ID.script was made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/symbolize.h"
#include "tests/symbolize/corpus.h"

namespace perf2x {
namespace {

// A frame line of perf script: "\t  2022 demo::map_phase+0x1c2 (/bin/inl)".
struct FrameLine {
  uint64_t address = 0;
  std::string name, dso;
};

bool ParseFrameLine(absl::string_view line, FrameLine* out) {
  if (line.empty() || line[0] != '\t' || line.back() != ')') return false;
  line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
  const size_t space = line.find(' ');
  const size_t dso = line.rfind(" (");
  if (space == line.npos || dso == line.npos || dso <= space) return false;
  if (!absl::SimpleHexAtoi(line.substr(0, space), &out->address)) return false;
  absl::string_view name = line.substr(space + 1, dso - space - 1);
  if (const size_t plus = name.rfind("+0x"); plus != name.npos) {
    name = name.substr(0, plus);
  }
  out->name = std::string(name);
  out->dso = std::string(line.substr(dso + 2, line.size() - dso - 3));
  return true;
}

// What is compared: distinct places and how often each was hit.
struct Tally {
  uint64_t same = 0, other = 0;
  std::map<std::string, uint64_t> differences;
};

class TruthTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!corpus_.found()) GTEST_SKIP() << corpus_.skip_message();
  }

  // Names every frame of truth/ID.script and counts what differs.
  void Compare(const std::string& id, const std::string& symfs,
               const std::string& kallsyms, Tally* tally) {
    const std::string text = corpus_.Truth(id + ".script");
    struct File {
      CodeKind kind;
      std::map<uint64_t, std::map<std::string, uint64_t>> names;
    };
    std::map<std::string, File> files;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      FrameLine frame;
      if (!ParseFrameLine(line, &frame)) continue;
      CodeKind kind;
      if (frame.dso == "[unknown]") continue;  // perf lacked the mapping
      if (frame.dso == "[kernel.kallsyms]") {
        kind = CodeKind::kKernel;
      } else if (frame.dso[0] == '[') {
        if (frame.address >> 63 == 0) continue;  // [vdso], [heap]
        kind = CodeKind::kKernelModule;
      } else if (absl::StartsWith(frame.dso, "/")) {
        kind = absl::StrContains(frame.dso, ".ko") ? CodeKind::kKernelModule
                                                   : CodeKind::kFile;
        if (kind == CodeKind::kFile &&
            !std::filesystem::exists(symfs + frame.dso)) {
          continue;
        }
      } else {
        continue;
      }
      File& file = files[frame.dso];
      file.kind = kind;
      ++file.names[frame.address][frame.name];
    }
    SymbolizeOptions options;
    options.binaries.symfs = symfs;
    options.binaries.debug_dirs.clear();
    options.binaries.buildid_dir = "/nonexistent";
    options.kallsyms = kallsyms;
    auto symbolizer = MakeSymbolizer(options);
    for (const auto& [dso, file] : files) {
      CodeFile code;
      code.kind = file.kind;
      code.name = dso;
      std::vector<uint64_t> addresses;
      for (const auto& [address, names] : file.names) {
        addresses.push_back(address);
      }
      std::vector<std::string> found(addresses.size(), "[unknown]");
      symbolizer->Resolve(code, addresses,
                          [&](size_t i, absl::Span<const Symbol> symbols) {
                            found[i] = std::string(symbols.back().name);
                          });
      for (size_t i = 0; i < addresses.size(); ++i) {
        for (const auto& [name, count] : file.names.at(addresses[i])) {
          (name == found[i] ? tally->same : tally->other) += count;
          if (name != found[i]) {
            tally->differences[absl::StrCat(id, " ", dso, ": perf ", name,
                                            " here ", found[i])] += count;
          }
        }
      }
    }
  }

  void CompareAll(absl::string_view prefix, const std::string& arch,
                  const std::string& kallsyms) {
    Tally tally;
    const std::string symfs = corpus_.Symfs(arch);
    for (const std::string& id : corpus_.Recordings(prefix)) {
      // perf 7 prints run-time addresses, which say nothing without mappings.
      if (absl::StrContains(id, "p7_") || absl::StrContains(id, "perf7") ||
          absl::StrContains(id, "offcpu7")) {
        continue;
      }
      Compare(id, symfs, corpus_.Kallsyms(kallsyms), &tally);
    }
    ASSERT_GT(tally.same, 1000u);
    std::string text;
    for (const auto& [what, count] : tally.differences) {
      absl::StrAppend(&text, count, " ", what, "\n");
    }
    std::cout << prefix << ": " << tally.same << " of "
              << tally.same + tally.other << " names as perf's\n";
    EXPECT_LE(tally.other * 1000, (tally.same + tally.other) * 5) << text;
    if (getenv("PERF2X_SHOW_DIFFERENCES") != nullptr) std::cout << text;
  }

  Corpus corpus_;
};

TEST_F(TruthTest, NamesOfX86) { CompareAll("x86-", "x86_64", "x86_64-host"); }
TEST_F(TruthTest, NamesOfVm) { CompareAll("vm-", "x86_64", "x86_64-vm"); }
TEST_F(TruthTest, NamesOfAarch64) {
  CompareAll("aarch64-", "aarch64", "aarch64");
}
TEST_F(TruthTest, NamesOfArm) { CompareAll("armv7l-", "armv7l", "armv7l"); }
TEST_F(TruthTest, NamesOfS390x) { CompareAll("s390x-", "s390x", "s390x"); }

// perf prints addresses in perf maps as they are at run time.
TEST_F(TruthTest, PerfMapsOfJits) {
  uint64_t same = 0, other = 0;
  std::string differences;
  for (const char* id : {"x86-node_perfmap", "x86-java_perfmap"}) {
    SymbolizeOptions options;
    options.perf_map_dirs = {corpus_.PerfMaps(id)};
    auto symbolizer = MakeSymbolizer(options);
    const std::string text = corpus_.Truth(absl::StrCat(id, ".script"));
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      FrameLine frame;
      if (!ParseFrameLine(line, &frame)) continue;
      const absl::string_view dso = frame.dso;
      CodeFile code;
      code.kind = CodeKind::kAnonymous;
      code.name = "[anon]";
      if (!absl::StartsWith(dso, "/tmp/perf-") ||
          !absl::EndsWith(dso, ".map") ||
          !absl::SimpleAtoi(dso.substr(10, dso.size() - 14), &code.pid)) {
        continue;
      }
      std::string name = "[unknown]";
      symbolizer->Resolve(code, {&frame.address, 1},
                          [&](size_t, absl::Span<const Symbol> symbols) {
                            name = std::string(symbols[0].name);
                          });
      ++(name == frame.name ? same : other);
      if (name != frame.name) {
        absl::StrAppend(&differences, "perf ", frame.name, " here ", name,
                        "\n");
      }
    }
  }
  std::cout << same << " of " << same + other << " JIT names as perf's\n";
  EXPECT_GT(same, 1000u);
  EXPECT_LE(other * 1000, (same + other) * 5) << differences;
}

// One line of a frame group of truth/ID.inline.
struct InlineLine {
  std::string name, file;
  uint32_t line = 0;
  friend bool operator==(const InlineLine&, const InlineLine&) = default;
};
using Chain = std::vector<InlineLine>;

std::string Show(const Chain& chain) {
  std::string out;
  for (const InlineLine& l : chain) {
    absl::StrAppend(&out, "\n    ", l.name, " ", l.file, ":", l.line);
  }
  return out;
}

class InlineTruthTest : public TruthTest {
 protected:
  // Compares chains and lines in programs with debug information. perf adds
  // inlined functions only where it unwinds by DWARF; else `chains` is false
  // and the function and the innermost line are compared.
  void CompareInlines(const std::string& id, bool chains, Tally* tally) {
    const std::string text = corpus_.Truth(id + ".inline");
    ASSERT_FALSE(text.empty()) << id;
    std::map<std::string, std::map<uint64_t, std::map<std::string, Chain>>> all;
    std::vector<std::string> lines = absl::StrSplit(text, '\n');
    // Of each sample only the leaf: with recursion it cannot be told where the
    // chain of a caller ends.
    Chain chain;
    bool leaf = false;
    for (size_t i = 0; i + 1 < lines.size(); ++i) {
      FrameLine frame;
      absl::string_view line = lines[i];
      if (!absl::StartsWith(line, "  ") && !absl::StartsWith(line, "\t")) {
        leaf = true;
        chain.clear();
      }
      if (!leaf || !absl::StartsWith(line, "\t")) continue;
      absl::string_view at = lines[i + 1];
      // Functions inlined into a caller without a name have no last line.
      if (i >= 2 &&
          !absl::StartsWith(
              lines[i - 2],
              line.substr(
                  0, line.find_first_of(' ', line.find_first_not_of("\t "))))) {
        chain.clear();
        if (absl::StartsWith(lines[i - 2], "\t")) {
          leaf = false;
          continue;
        }
      }
      bool last = !absl::EndsWith(at, "(inlined)");
      if (!last || !ParseFrameLine(line, &frame)) {
        line.remove_prefix(line.find_first_not_of("\t "));
        frame.name = std::string(line.substr(line.find(' ') + 1));
      } else if (chain.empty() && i + 3 < lines.size() &&
                 absl::EndsWith(lines[i + 3], "(inlined)") &&
                 absl::StartsWith(lines[i + 2],
                                  line.substr(0, line.find(frame.name)))) {
        // The innermost function of a chain, under the name of the outermost:
        // addr2line's fault where the former has no linkage name.
        frame.name = kMisnamed;
        last = false;
      }
      InlineLine entry;
      entry.name = frame.name;
      at = absl::StripSuffix(absl::StripAsciiWhitespace(at), " (inlined)");
      const size_t colon = at.rfind(':');
      if (colon != at.npos) {
        entry.file = std::string(at.substr(0, colon));
        if (!absl::SimpleAtoi(at.substr(colon + 1), &entry.line)) {
          entry.line = 0;
        }
      }
      if (entry.line == 0 && entry.file.empty()) entry.file = "??";
      chain.push_back(entry);
      if (!last) continue;
      leaf = false;
      if (absl::StartsWith(frame.dso, "/opt/demo")) {
        all[frame.dso][frame.address][Show(chain)] = chain;
      }
    }
    SymbolizeOptions options;
    options.binaries.symfs = corpus_.Symfs("x86_64");
    options.binaries.debug_dirs.clear();
    options.binaries.buildid_dir = "/nonexistent";
    auto symbolizer = MakeSymbolizer(options);
    for (const auto& [dso, places] : all) {
      CodeFile code;
      code.kind = CodeKind::kFile;
      code.name = dso;
      std::vector<uint64_t> addresses;
      for (const auto& [address, truths] : places) addresses.push_back(address);
      std::vector<Chain> found(addresses.size());
      symbolizer->Resolve(
          code, addresses, [&](size_t i, absl::Span<const Symbol> symbols) {
            for (const Symbol& s : symbols) {
              absl::string_view file = s.file;
              if (size_t slash = file.rfind('/'); slash != file.npos) {
                file.remove_prefix(slash + 1);
              }
              found[i].push_back({std::string(s.name),
                                  file.empty() ? "??" : std::string(file),
                                  s.line});
            }
          });
      for (size_t i = 0; i < addresses.size(); ++i) {
        Chain& ours = found[i];
        if (!chains && !ours.empty()) {
          ours = {{ours.back().name, ours[0].file, ours[0].line}};
        }
        for (const auto& [shown, truth] : places.at(addresses[i])) {
          // Of that one only the line is compared.
          Chain expected = truth;
          if (!ours.empty() && expected[0].name == kMisnamed) {
            expected[0].name = ours[0].name;
            ++misnamed_;
          }
          // addr2line 2.40 misses some chains; then the innermost line and the
          // outermost function are compared.
          if (expected.size() == 1 && ours.size() > 1) {
            ours = {{ours.back().name, ours[0].file, ours[0].line}};
            ++without_chain_;
          }
          const bool same = expected == ours;
          ++(same ? tally->same : tally->other);
          if (same) continue;
          ++tally->differences[absl::StrCat(id, " ", dso, " ",
                                            absl::Hex(addresses[i]), ": perf",
                                            shown, "\n  here", Show(ours))];
        }
      }
    }
  }

  static constexpr char kMisnamed[] = "(misnamed)";
  int misnamed_ = 0, without_chain_ = 0;

  void Check(const Tally& tally) {
    std::string text;
    for (const auto& [what, count] : tally.differences) {
      absl::StrAppend(&text, what, "\n");
    }
    EXPECT_GT(tally.same, 10u);
    std::cout << tally.same << " of " << tally.same + tally.other
              << " chains as perf's, " << misnamed_
              << " of them with a better innermost name, " << without_chain_
              << " where perf has no chain\n";
    // The rest are chains from clang's DWARF 5 in which addr2line 2.40 misses a
    // function; llvm-symbolizer's are the same as ours.
    EXPECT_LE(tally.other * 1000, (tally.same + tally.other) * 25) << text;
  }
};

TEST_F(InlineTruthTest, ChainsOfUnwoundLeaves) {
  Tally tally;
  for (const char* id : {"x86-dwarf_inl", "x86-dwarf_clang5", "x86-zstd_dwarf",
                         "x86-split_debuglink", "x86-compat32_dwarf"}) {
    CompareInlines(id, /*chains=*/true, &tally);
  }
  Check(tally);
}

TEST_F(InlineTruthTest, LinesOfFramePointerStacks) {
  Tally tally;
  CompareInlines("x86-fp_callgraph", /*chains=*/false, &tally);
  Check(tally);
}

}  // namespace
}  // namespace perf2x
