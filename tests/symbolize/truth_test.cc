// Names of real recordings against those that perf printed for them. See the
// corpus's README for how truth/ID.script was made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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

}  // namespace
}  // namespace perf2x
