// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/branch_profiles/checked_runs.h"
#include "converter/emit/branch_profiles/disjoint_ranges.h"
#include "converter/emit/branch_profiles/profile_emitter.h"
#include "converter/emit/branch_profiles/sample_profile.h"
#include "converter/emit/emitters.h"

namespace perf2x {
namespace {

using ProfileReader = SampleProfile::Reader;

constexpr absl::string_view kEmpty =
    "the profile is empty, and clang refuses empty ones: no function with "
    "samples has source lines";

// Writes a sample profile: by function, line offset and discriminator, how
// often code ran. That of LLVM is text, for clang -fprofile-sample-use; that of
// GCC is binary, for gcc -fauto-profile. It is computed as by llvm-profgen
// (ProfileGenerator.cpp), from the ranges between branches. Without branches, a
// basic block ran as often as its instructions were sampled, on average.
class AutofdoEmitter final : public ProfileEmitter {
 public:
  AutofdoEmitter(const EmitterContext& context, ProfileReader reader)
      : ProfileEmitter(context, FallThroughRule::kLlvmProfgen),
        reader_(reader) {}

 private:
  absl::Status Write(BranchProfile& profile, Output& output) override {
    SampleProfile samples(budget(), reader_);
    code_ = profile.code.get();
    if (code_ != nullptr && !code_->can_decode() && diagnostics() != nullptr) {
      diagnostics()->Add(Diagnostics::Severity::kNote,
                         "no sample profile was made: instructions of this "
                         "machine are not decoded (x86 and AArch64 are)");
    } else if (code_ != nullptr) {
      CodeCounts counts = CheckedCounts(profile, diagnostics());
      if (!profile.has_branches) counts.ranges = BlockRanges(counts.ranges);
      AddRanges(counts.ranges, &samples);
      for (const CodeCounts::Count& branch : counts.branches) {
        AddBranch(branch, &samples);
      }
      if (!profile.has_branches) AddHeads(counts.ranges, &samples);
    }
    ReportSkipped(
        "instruction without a source line (build with -g, or with "
        "-gline-tables-only -fdebug-info-for-profiling)",
        without_line_, diagnostics());
    ReportSkipped("line beyond the limit on memory", samples.skipped(),
                  diagnostics(), Diagnostics::Severity::kSkipped);
    ReportSkipped("range or branch beyond the limit on memory or work", unread_,
                  diagnostics(), Diagnostics::Severity::kSkipped);
    if (reader_ == ProfileReader::kGcc) {
      ReportIfEmpty(samples.empty(), profile);
      return samples.WriteGcc(output);
    }
    if (samples.empty()) {
      if (diagnostics() != nullptr) {
        diagnostics()->Add(Diagnostics::Severity::kNote, std::string(kEmpty));
      }
      // A comment, so that nobody takes the file for one that was not written.
      return output.Write("# no function with samples\n");
    }
    absl::Status written = samples.Write(output);
    ReportSkipped("function, line or call beyond the limit on output",
                  samples.unwritten(), diagnostics(),
                  Diagnostics::Severity::kSkipped);
    return written;
  }

  // Returns how often basic blocks ran, from the samples of their
  // instructions. A sample stands for kScale executions, so that averages of
  // few samples stay apart.
  std::vector<CodeCounts::Count> BlockRanges(
      absl::Span<const CodeCounts::Count> samples) {
    constexpr uint64_t kScale = 64;
    std::vector<CodeCounts::Count> blocks;
    for (size_t i = 0; i < samples.size();) {
      const CodeImage::Block block = code_->BlockAt(samples[i].from);
      uint64_t sum = 0;
      do {
        sum += samples[i++].count;
      } while (i < samples.size() && samples[i].from <= block.last);
      const uint64_t count = std::max<uint64_t>(block.instructions, 1);
      blocks.push_back(
          {block.first, block.last, (sum * kScale + count - 1) / count});
    }
    return blocks;
  }

  // Adds all code of the functions that ran: what did not run has count 0.
  void AddRanges(const std::vector<CodeCounts::Count>& ran,
                 SampleProfile* samples) {
    std::vector<CodeCounts::Count> ranges = ran;
    std::set<CodeImage::Range> whole;
    for (const CodeCounts::Count& range : ran) {
      const auto next = whole.upper_bound({range.from, ~uint64_t{0}});
      if (next != whole.begin() && range.from < std::prev(next)->second) {
        continue;
      }
      if (budget().exhausted()) break;
      const auto& found = RangesAt(range.from);
      whole.insert(found.begin(), found.end());
    }
    for (const auto& [first, end] : whole)
      ranges.push_back({first, end - 1, 0});
    for (const CodeCounts::Count& range : DisjointRanges(ranges)) {
      AddRange(range, samples);
    }
  }

  void AddRange(const CodeCounts::Count& range, SampleProfile* samples) {
    for (auto at = code_->NextInstruction(range.from, range.to + 1);
         at.has_value(); at = code_->NextInstruction(*at + 1, range.to + 1)) {
      if (budget().exhausted()) {
        ++unread_;
        return;
      }
      const auto& lines = LinesAt(*at);
      if (lines.empty()) {
        without_line_ += range.count != 0 ? 1 : 0;
      } else {
        samples->AddInstruction(lines, range.count,
                                code_->InstructionSize(*at));
      }
    }
  }

  // Return the lines or ranges of the function at an address, valid until the
  // next call. Each is work: for the look-up, and to add it.
  const std::vector<CodeLine>& LinesAt(uint64_t address) {
    constexpr uint64_t kStepsALine = 1;
    lines_.clear();
    code_->AppendLines(address, &lines_);
    budget().Spend(Budget::kWork, 1 + kStepsALine * lines_.size());
    return lines_;
  }
  const std::vector<CodeImage::Range>& RangesAt(uint64_t address) {
    ranges_.clear();
    code_->AppendRanges(address, &ranges_);
    budget().Spend(Budget::kWork, 1 + ranges_.size());
    return ranges_;
  }

  // Returns the name of the function that begins at `address`; empty if there
  // is only a part of one.
  absl::string_view FunctionBeginningAt(uint64_t address) {
    const auto& ranges = RangesAt(address);
    const bool starts =
        std::any_of(ranges.begin(), ranges.end(),
                    [&](const auto& range) { return range.first == address; });
    if (!starts) return "";
    const auto& lines = LinesAt(address);
    if (lines.empty()) return "";
    const absl::string_view name = lines.front().function;
    if (ranges.size() == 1) return name;
    const auto symbol = code_->FunctionAt(address);
    const auto plain =
        reader_ == ProfileReader::kGcc ? NameForGcc : CanonicalName;
    const bool is_entry = symbol.has_value() && symbol->start == address &&
                          plain(symbol->name) == plain(name);
    return is_entry ? name : "";
  }

  void AddBranch(const CodeCounts::Count& branch, SampleProfile* samples) {
    if (budget().exhausted()) {
      ++unread_;
      return;
    }
    const absl::string_view callee = FunctionBeginningAt(branch.to);
    if (callee.empty()) return;
    if (branch.from != BranchProfile::kElsewhere) {
      samples->AddCall(LinesAt(branch.from), callee, branch.count);
    }
    samples->AddHead(callee, branch.count);
  }

  // Without branches, a function was entered as often as its first block ran.
  void AddHeads(absl::Span<const CodeCounts::Count> blocks,
                SampleProfile* samples) {
    for (const CodeCounts::Count& block : blocks) {
      if (budget().exhausted()) {
        ++unread_;
        continue;
      }
      const absl::string_view function = FunctionBeginningAt(block.from);
      if (!function.empty()) samples->AddHead(function, block.count);
    }
  }

  const ProfileReader reader_;
  CodeImage* code_ = nullptr;
  uint64_t without_line_ = 0;             // instructions
  uint64_t unread_ = 0;                   // ranges and branches, for the budget
  std::vector<CodeLine> lines_;           // of the current instruction
  std::vector<CodeImage::Range> ranges_;  // of the current function
};

absl::Span<const EmitterOption> AutofdoOptions() {
  static const EmitterOption kOptions[] = {
      {"autofdo-format", "llvm|gcc",
       "a sample profile as LLVM reads it, as text, or GCC 12 to 15, in binary "
       "form",
       "llvm"},
  };
  return kOptions;
}

absl::Status CheckAutofdo(const std::map<std::string, std::string>& options) {
  const std::string& format = options.at("autofdo-format");
  if (format == "llvm" || format == "gcc") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--autofdo-format is llvm or gcc, not \"", format, "\""));
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeAutofdo(
    const EmitterContext& context) {
  RETURN_IF_ERROR(CheckAutofdo(context.options));
  const bool for_gcc = context.options.at("autofdo-format") == "gcc";
  return std::make_unique<AutofdoEmitter>(
      context, for_gcc ? ProfileReader::kGcc : ProfileReader::kLlvm);
}

}  // namespace

EmitterInfo AutofdoEmitterInfo() {
  return {.name = "autofdo",
          .extension = ".afdo",
          .summary = "LLVM's sample profile of one file, as text, or GCC's",
          .options = AutofdoOptions(),
          .is_text = true,
          .is_about_one_dso = true,
          .make = MakeAutofdo,
          .check = CheckAutofdo,
          .advice = "build the program with `clang -fprofile-sample-use=FILE`"};
}

}  // namespace perf2x
