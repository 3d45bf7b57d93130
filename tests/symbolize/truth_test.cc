// SPDX-License-Identifier: Apache-2.0

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

// What is compared: distinct places and how often each was hit.
struct NameTally {
  uint64_t same = 0, other = 0;
  uint64_t first_same = 0, first_other = 0;  // of leaf and kernel frames
  std::map<std::string, uint64_t> differences;
};

class TruthTest : public testing::Test {
 protected:
  // Names every frame of truth/ID.script and counts what differs. Our own
  // corpus has no symbols of kernels.
  static void Compare(const Corpus& corpus, const std::string& id,
                      const std::string& symfs, const std::string& kallsyms,
                      NameTally* tally) {
    const std::string text = corpus.Truth(id + ".script");
    struct File {
      DsoKind kind;
      struct Count {
        uint64_t all = 0, first = 0;  // first: leaf and kernel frames
      };
      std::map<uint64_t, std::map<std::string, Count>> names;
    };
    std::map<std::string, File> files;
    bool leaf = true;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      FrameLine frame;
      if (!ParseFrameLine(line, &frame)) {
        leaf = true;
        continue;
      }
      const bool first = leaf || frame.address >> 63 != 0;
      leaf = false;
      DsoKind kind;
      if (frame.dso == "[unknown]") continue;  // perf lacked the mapping
      if (kallsyms.empty() && frame.dso[0] == '[') continue;
      if (frame.dso == "[kernel.kallsyms]") {
        kind = DsoKind::kKernel;
      } else if (frame.dso[0] == '[') {
        if (frame.address >> 63 == 0) continue;  // [vdso], [heap]
        kind = DsoKind::kKernelModule;
      } else if (absl::StartsWith(frame.dso, "/")) {
        kind = absl::StrContains(frame.dso, ".ko") ? DsoKind::kKernelModule
                                                   : DsoKind::kFile;
        if (kind == DsoKind::kKernelModule
                ? kallsyms.empty()
                : !std::filesystem::exists(symfs + frame.dso)) {
          continue;
        }
      } else {
        continue;
      }
      File& file = files[frame.dso];
      file.kind = kind;
      File::Count& count = file.names[frame.address][frame.name];
      ++count.all;
      count.first += first ? 1 : 0;
    }
    SymbolizeOptions options;
    options.binaries.symfs = symfs;
    options.binaries.debug_dirs.clear();
    options.binaries.buildid_dir = "/nonexistent";
    options.kallsyms = kallsyms;
    auto symbolizer = MakeSymbolizer(options);
    for (const auto& [dso, file] : files) {
      Dso code;
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
          const bool same = name == found[i];
          (same ? tally->same : tally->other) += count.all;
          (same ? tally->first_same : tally->first_other) += count.first;
          if (!same) {
            tally->differences[absl::StrCat(id, " ", dso, ": perf ", name,
                                            " here ", found[i])] += count.all;
          }
        }
      }
    }
  }

  // `kallsyms` may be empty: none.
  static void CompareAll(const Corpus& corpus, absl::string_view prefix,
                         const std::string& arch, const std::string& kallsyms) {
    NameTally tally;
    const std::string symfs = corpus.Symfs(arch);
    for (const std::string& id : corpus.Recordings(prefix)) {
      // perf 7 prints run-time addresses, which say nothing without mappings.
      if (absl::StrContains(id, "p7_") || absl::StrContains(id, "perf7") ||
          absl::StrContains(id, "offcpu7")) {
        continue;
      }
      Compare(corpus, id, symfs,
              kallsyms.empty() ? "" : corpus.Kallsyms(kallsyms), &tally);
    }
    ASSERT_GT(tally.same, 1000u);
    std::string text;
    for (const auto& [what, count] : tally.differences) {
      absl::StrAppend(&text, count, " ", what, "\n");
    }
    std::cout << prefix << ": " << tally.same << " of "
              << tally.same + tally.other << " names as perf's; "
              << tally.first_same << " of "
              << tally.first_same + tally.first_other
              << " in leaf and kernel frames\n";
    EXPECT_LE(tally.other * 1000, (tally.same + tally.other) * 5) << text;
    EXPECT_LE(tally.first_other * 1000,
              (tally.first_same + tally.first_other) * 5)
        << text;
    if (getenv("PERF2X_SHOW_DIFFERENCES") != nullptr) std::cout << text;
  }
};

// perf on x86 prints no frames of s390x programs.
TEST_F(TruthTest, NamesInOurPrograms) {
  const Corpus own = Corpus::Own();
  CompareAll(own, "x86-", "x86_64", "");
  CompareAll(own, "vm-", "x86_64", "");
  CompareAll(own, "aarch64-", "aarch64", "");
  CompareAll(own, "armv7l-", "armv7l", "");
}

// Also those in Debian's libraries and in kernels.
class FullTruthTest : public TruthTest {
 protected:
  void SetUp() override {
    if (!full_.found()) GTEST_SKIP() << full_.skip_message();
  }
  const Corpus full_ = Corpus::Full();
};

TEST_F(FullTruthTest, NamesOfX86) {
  CompareAll(full_, "x86-", "x86_64", "x86_64-host");
}
TEST_F(FullTruthTest, NamesOfVm) {
  CompareAll(full_, "vm-", "x86_64", "x86_64-vm");
}
TEST_F(FullTruthTest, NamesOfAarch64) {
  CompareAll(full_, "aarch64-", "aarch64", "aarch64");
}
TEST_F(FullTruthTest, NamesOfArm) {
  CompareAll(full_, "armv7l-", "armv7l", "armv7l");
}
TEST_F(FullTruthTest, NamesOfS390x) {
  CompareAll(full_, "s390x-", "s390x", "s390x");
}

// perf prints addresses in perf maps as they are at run time.
TEST_F(TruthTest, PerfMapsOfJits) {
  const Corpus corpus = Corpus::Own();
  uint64_t same = 0, other = 0;
  std::string differences;
  for (const char* id : {"x86-node_perfmap", "x86-java_perfmap"}) {
    SymbolizeOptions options;
    options.perf_map_dirs = {corpus.PerfMaps(id)};
    auto symbolizer = MakeSymbolizer(options);
    const std::string text = corpus.Truth(absl::StrCat(id, ".script"));
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      FrameLine frame;
      if (!ParseFrameLine(line, &frame)) continue;
      const absl::string_view dso = frame.dso;
      Dso code;
      code.kind = DsoKind::kAnonymous;
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

}  // namespace
}  // namespace perf2x
