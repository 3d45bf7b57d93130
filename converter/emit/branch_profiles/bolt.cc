// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/emit/branch_profiles/profile_emitter.h"
#include "converter/emit/emitters.h"

namespace perf2x {
namespace {

constexpr uint64_t kElsewhere = BranchProfile::kElsewhere;

// Writes BOLT's pre-aggregated profile, lines of hexadecimal addresses and
// decimal counts, as `perf2bolt -pa` reads them (parsePreAggregated() of its
// DataAggregator.h): branches, "B from to count mispredictions"; code that ran
// through, "F from to count", or "f" if a branch from another function led to
// it. With --bolt-format traces, of LLVM 21 on, "T from to end count" is a
// branch with the code after it. An address elsewhere is 0.
class BoltEmitter final : public ProfileEmitter {
 public:
  BoltEmitter(const EmitterContext& context, bool traces)
      : ProfileEmitter(context, FallThroughRule::kPerf2bolt), traces_(traces) {}

 private:
  using Key = std::tuple<uint64_t, uint64_t, char>;

  absl::Status Write(BranchProfile& profile, Output& output) override {
    code_ = profile.code.get();
    if (!profile.has_branches && !traces_) return WriteNoLbr(profile, output);
    std::string text;
    if (!profile.has_branches) {
      text = BasicSamples(profile);
    } else {
      text = traces_ ? Traces(profile) : BranchesAndRanges(profile);
    }
    return output.Write(text);
  }

  // Returns the function whose code or padding has `address`.
  std::optional<CodeImage::Function> FunctionAt(uint64_t address) const {
    if (address == kElsewhere || code_ == nullptr) return std::nullopt;
    return code_->FunctionAt(address);
  }
  // Returns `address`, or 0 if it is in no function.
  uint64_t InFunction(uint64_t address) const {
    if (address == kElsewhere) return 0;
    return code_ == nullptr || FunctionAt(address).has_value() ? address : 0;
  }

  // Returns the letter for a run, and counts it if it does not count.
  char LetterOf(const BranchProfile::Run& run) {
    if (run.start > run.end) {
      backwards_ += run.count;
      return 0;
    }
    if (code_ == nullptr) return 'F';
    const auto function = FunctionAt(run.start);
    const auto has = [&](uint64_t address) {
      return address >= function->start && address < function->end;
    };
    if (!function.has_value()) {
      nowhere_ += run.count;
      return 0;
    }
    if (!has(run.end)) {
      crossing_ += run.count;
      return 0;
    }
    return has(run.source) ? 'F' : 'f';
  }
  void ReportRuns() const {
    ReportSkipped("fall-through that goes backwards", backwards_,
                  diagnostics());
    ReportSkipped("fall-through across the end of a function", crossing_,
                  diagnostics());
    ReportSkipped("fall-through in no function", nowhere_, diagnostics());
  }

  std::string BranchesAndRanges(const BranchProfile& profile) {
    struct Count {
      uint64_t taken = 0, mispredicted = 0;
    };
    std::map<std::pair<uint64_t, uint64_t>, Count> branches;
    for (const BranchProfile::Branch& b : profile.branches) {
      const uint64_t from = InFunction(b.source), to = InFunction(b.target);
      if (from == 0 && to == 0) continue;
      Count& count = branches[{from, to}];
      count.taken = SaturatingAdd(count.taken, b.count);
      count.mispredicted = SaturatingAdd(count.mispredicted, b.mispredicted);
    }
    std::map<Key, uint64_t> ranges;
    for (const BranchProfile::Run& run : profile.runs) {
      const char letter = LetterOf(run);
      if (letter == 0) continue;
      uint64_t& count = ranges[{run.start, run.end, letter}];
      count = SaturatingAdd(count, run.count);
    }
    ReportRuns();
    std::string text;
    for (const auto& [ends, count] : branches) {
      absl::StrAppend(&text, "B ", absl::Hex(ends.first), " ",
                      absl::Hex(ends.second), " ", count.taken, " ",
                      count.mispredicted, "\n");
    }
    for (const auto& [key, count] : ranges) {
      const auto& [start, end, letter] = key;
      absl::StrAppend(&text, std::string(1, letter), " ", absl::Hex(start), " ",
                      absl::Hex(end), " ", count, "\n");
    }
    return text;
  }

  // A branch without code after it that ran through is a "B" line.
  std::string Traces(const BranchProfile& profile) {
    std::map<std::pair<uint64_t, uint64_t>, BranchProfile::Branch> rest;
    for (const BranchProfile::Branch& b : profile.branches) {
      rest[{b.source, b.target}] = b;
    }
    std::string text;
    for (const BranchProfile::Run& run : profile.runs) {
      if (LetterOf(run) == 0) continue;
      const uint64_t from = InFunction(run.source);
      absl::StrAppend(&text, "T ", absl::Hex(from), " ", absl::Hex(run.start),
                      " ", absl::Hex(run.end), " ", run.count, "\n");
      BranchProfile::Branch& branch = rest[{run.source, run.start}];
      branch.count -= std::min(branch.count, run.count);
    }
    ReportRuns();
    for (const auto& [ends, b] : rest) {
      const uint64_t from = InFunction(b.source), to = InFunction(b.target);
      if ((from == 0 && to == 0) || (b.count == 0 && b.mispredicted == 0)) {
        continue;
      }
      absl::StrAppend(&text, "B ", absl::Hex(from), " ", absl::Hex(to), " ",
                      b.count, " ", b.mispredicted, "\n");
    }
    return text;
  }

  // Samples without branches, as LLVM 21 reads them.
  static std::string BasicSamples(const BranchProfile& profile) {
    std::string text;
    for (const std::string& event : profile.events) {
      absl::StrAppend(&text, "E ", Word(event), "\n");
    }
    for (const BranchProfile::Hit& hit : profile.hits) {
      absl::StrAppend(&text, "S ", absl::Hex(hit.address), " ", hit.count,
                      "\n");
    }
    return text;
  }

  // Samples without branches, as all versions of `llvm-bolt -data` read them
  // (parseInNoLBRMode() of DataReader.cpp): "1 function offset count".
  // Each line has a name, of any length: stops when the budget's output is used
  // up.
  absl::Status WriteNoLbr(const BranchProfile& profile, Output& output) const {
    std::string text = "no_lbr";
    for (const std::string& event : profile.events) {
      absl::StrAppend(&text, " ", Word(event), ":");
    }
    text += "\n";
    uint64_t nowhere = 0, unwritten = 0;
    for (const BranchProfile::Hit& hit : profile.hits) {
      const auto function = FunctionAt(hit.address);
      if (!function.has_value()) {
        nowhere += hit.count;
        continue;
      }
      if (budget().left(Budget::kOutput) == 0) {
        unwritten += hit.count;
        continue;
      }
      absl::StrAppend(&text, "1 ", NameOf(*function), " ",
                      absl::Hex(hit.address - function->start), " ", hit.count,
                      "\n");
      constexpr size_t kBlock = 1 << 16;
      if (text.size() < kBlock) continue;
      RETURN_IF_ERROR(output.Write(text));
      text.clear();
    }
    ReportSkipped("sample in no function", nowhere, diagnostics());
    ReportSkipped("sample beyond the limit on output", unwritten, diagnostics(),
                  Diagnostics::Severity::kSkipped);
    return output.Write(text);
  }
  // Returns the name by which BOLT knows a function: it numbers those of local
  // symbols (NameResolver.h).
  static std::string NameOf(const CodeImage::Function& function) {
    std::string name = Word(function.name);
    if (function.local_number != 0) {
      absl::StrAppend(&name, "/", function.local_number);
    }
    return name;
  }
  // Returns a name as one word.
  static std::string Word(absl::string_view name) {
    std::string scratch;
    return absl::StrReplaceAll(AsPlainText(name, &scratch), {{" ", "\\ "}});
  }

  const bool traces_;
  CodeImage* code_ = nullptr;                            // null: not found
  uint64_t backwards_ = 0, crossing_ = 0, nowhere_ = 0;  // runs
};

absl::Span<const EmitterOption> BoltOptions() {
  static const EmitterOption kOptions[] = {
      {"bolt-format", "branches|traces",
       "branches and fall-throughs, for all versions of BOLT, or traces, for "
       "LLVM 21 and later",
       "branches"},
  };
  return kOptions;
}

absl::Status CheckBolt(const std::map<std::string, std::string>& options) {
  const std::string& format = options.at("bolt-format");
  if (format == "branches" || format == "traces") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--bolt-format is branches or traces, not \"", format, "\""));
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeBolt(
    const EmitterContext& context) {
  RETURN_IF_ERROR(CheckBolt(context.options));
  return std::make_unique<BoltEmitter>(
      context, context.options.at("bolt-format") == "traces");
}

}  // namespace

EmitterInfo BoltEmitterInfo() {
  return {.name = "bolt",
          .extension = ".preagg",
          .summary = "BOLT's pre-aggregated profile of one file",
          .options = BoltOptions(),
          .is_text = true,
          .is_about_one_dso = true,
          .make = MakeBolt,
          .check = CheckBolt,
          .advice =
              "optimize the program with `perf2bolt -pa -p FILE -o OUT.fdata "
              "PROGRAM` and `llvm-bolt PROGRAM -data OUT.fdata -o PROGRAM.bolt "
              "-reorder-blocks=ext-tsp`"};
}

}  // namespace perf2x
