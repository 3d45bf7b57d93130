// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
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
  absl::Status Write(BranchProfile& profile, Output& output) override {
    code_ = profile.code.get();
    if (profile.has_branches) {
      return traces_ ? WriteTraces(profile, output)
                     : WriteBranchesAndRanges(profile, output);
    }
    return traces_ ? output.Write(BasicSamples(profile))
                   : WriteNoLbr(profile, output);
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

  // BOLT reads signed counts and refuses a file that has a larger one.
  static uint64_t Readable(uint64_t count) {
    return std::min<uint64_t>(count, std::numeric_limits<int64_t>::max());
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

  // Changes the profile in place: it may take much of the memory that there is.
  absl::Status WriteBranchesAndRanges(BranchProfile& profile, Output& output) {
    std::string text;
    RETURN_IF_ERROR(WriteBranches(&profile.branches, &text, output));
    std::vector<BranchProfile::Run>& runs = profile.runs;
    for (BranchProfile::Run& run : runs) {
      run.source = static_cast<uint8_t>(LetterOf(run));
    }
    ReportRuns();
    std::erase_if(runs, [](const auto& run) { return run.source == 0; });
    ReportIfEmpty(runs.empty() && profile.branches.empty(), profile);
    const auto key = [](const BranchProfile::Run& run) {
      return std::tie(run.start, run.end, run.source);
    };
    std::sort(runs.begin(), runs.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (size_t i = 0; i < runs.size();) {
      BranchProfile::Run sum = runs[i];
      while (++i < runs.size() && key(runs[i]) == key(sum)) {
        sum.count = SaturatingAdd(sum.count, runs[i].count);
      }
      absl::StrAppend(&text, sum.source == 'F' ? "F " : "f ",
                      absl::Hex(sum.start), " ", absl::Hex(sum.end), " ",
                      Readable(sum.count), "\n");
      RETURN_IF_ERROR(WriteBlock(&text, output));
    }
    return output.Write(text);
  }

  // Writes a line for each branch, except for those whose ends are both in no
  // function. Branches become equal when an end is in none. Changes them.
  absl::Status WriteBranches(std::vector<BranchProfile::Branch>* branches,
                             std::string* text, Output& output) const {
    for (BranchProfile::Branch& branch : *branches) {
      branch.source = InFunction(branch.source);
      branch.target = InFunction(branch.target);
    }
    std::erase_if(*branches, [](const BranchProfile::Branch& branch) {
      return branch.source == 0 && branch.target == 0;
    });
    const auto key = [](const BranchProfile::Branch& branch) {
      return std::tie(branch.source, branch.target);
    };
    std::sort(branches->begin(), branches->end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (size_t i = 0; i < branches->size();) {
      BranchProfile::Branch sum = (*branches)[i];
      while (++i < branches->size() && key((*branches)[i]) == key(sum)) {
        const BranchProfile::Branch& equal = (*branches)[i];
        sum.count = SaturatingAdd(sum.count, equal.count);
        sum.mispredicted = SaturatingAdd(sum.mispredicted, equal.mispredicted);
      }
      AppendBranch(sum, text);
      RETURN_IF_ERROR(WriteBlock(text, output));
    }
    return absl::OkStatus();
  }

  static void AppendBranch(const BranchProfile::Branch& branch,
                           std::string* text) {
    absl::StrAppend(text, "B ", absl::Hex(branch.source), " ",
                    absl::Hex(branch.target), " ", Readable(branch.count), " ",
                    Readable(branch.mispredicted), "\n");
  }

  // Writes the text, and clears it, once it is long.
  static absl::Status WriteBlock(std::string* text, Output& output) {
    constexpr size_t kBlock = 1 << 16;
    if (text->size() < kBlock) return absl::OkStatus();
    RETURN_IF_ERROR(output.Write(*text));
    text->clear();
    return absl::OkStatus();
  }

  // A branch without code after it that ran through is a "B" line. Changes the
  // branches.
  absl::Status WriteTraces(BranchProfile& profile, Output& output) {
    using Branch = BranchProfile::Branch;
    std::string text;
    bool empty = true;
    for (const BranchProfile::Run& run : profile.runs) {
      if (LetterOf(run) == 0) continue;
      empty = false;
      absl::StrAppend(&text, "T ", absl::Hex(InFunction(run.source)), " ",
                      absl::Hex(run.start), " ", absl::Hex(run.end), " ",
                      Readable(run.count), "\n");
      RETURN_IF_ERROR(WriteBlock(&text, output));
      const auto ends = std::tie(run.source, run.start);
      const auto at = std::lower_bound(
          profile.branches.begin(), profile.branches.end(), ends,
          [](const Branch& branch, const auto& key) {
            return std::tie(branch.source, branch.target) < key;
          });
      if (at != profile.branches.end() &&
          std::tie(at->source, at->target) == ends) {
        at->count -= std::min(at->count, run.count);
      }
    }
    ReportRuns();
    for (Branch& branch : profile.branches) {
      branch.source = InFunction(branch.source);
      branch.target = InFunction(branch.target);
      if ((branch.source == 0 && branch.target == 0) ||
          (branch.count == 0 && branch.mispredicted == 0)) {
        continue;
      }
      empty = false;
      AppendBranch(branch, &text);
      RETURN_IF_ERROR(WriteBlock(&text, output));
    }
    ReportIfEmpty(empty, profile);
    return output.Write(text);
  }

  // Returns the names of the events. BOLT divides a block's samples by the
  // number of its instructions if one of them has "cycles" in its name
  // (DataReader::usesEvent()), which holds for samples of time as well.
  static std::vector<std::string> EventsForBolt(const BranchProfile& profile) {
    std::vector<std::string> names = profile.events;
    const bool has_cycles =
        std::any_of(names.begin(), names.end(), [](const std::string& name) {
          return absl::StrContains(name, "cycles");
        });
    if (profile.samples_time && !has_cycles) names.emplace_back("cycles");
    return names;
  }

  // Samples without branches, as LLVM 21 reads them.
  static std::string BasicSamples(const BranchProfile& profile) {
    std::string text;
    for (const std::string& event : EventsForBolt(profile)) {
      absl::StrAppend(&text, "E ", Word(event), "\n");
    }
    for (const BranchProfile::Hit& hit : profile.hits) {
      absl::StrAppend(&text, "S ", absl::Hex(hit.address), " ",
                      Readable(hit.count), "\n");
    }
    return text;
  }

  // Samples without branches, as all versions of `llvm-bolt -data` read them
  // (parseInNoLBRMode() of DataReader.cpp): "1 function offset count".
  // Each line has a name, of any length: stops when the budget's output is used
  // up.
  absl::Status WriteNoLbr(const BranchProfile& profile, Output& output) const {
    std::string text = "no_lbr";
    for (const std::string& event : EventsForBolt(profile)) {
      absl::StrAppend(&text, " ", Word(event), ":");
    }
    text += "\n";
    uint64_t nowhere = 0, unwritten = 0;
    bool empty = true;
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
      empty = false;
      absl::StrAppend(&text, "1 ", NameOf(*function), " ",
                      absl::Hex(hit.address - function->start), " ", hit.count,
                      "\n");
      RETURN_IF_ERROR(WriteBlock(&text, output));
    }
    ReportIfEmpty(empty && unwritten == 0, profile);
    ReportSkipped("sample in no function", nowhere, diagnostics());
    ReportSkipped("sample beyond the limit on output", unwritten, diagnostics(),
                  Diagnostics::Severity::kSkipped);
    return output.Write(text);
  }
  // Returns the name by which BOLT knows a function: it numbers those of local
  // symbols (NameResolver.h), and calls stubs of other files' functions
  // "name@PLT".
  static std::string NameOf(const CodeImage::Function& function) {
    std::string name = Word(function.name);
    if (absl::EndsWith(name, "@plt")) name.replace(name.size() - 3, 3, "PLT");
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
