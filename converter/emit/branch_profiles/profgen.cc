// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/branch_profiles/branch_unwinder.h"
#include "converter/emit/branch_profiles/checked_runs.h"
#include "converter/emit/branch_profiles/profile_emitter.h"
#include "converter/emit/emitters.h"

namespace perf2x {
namespace {

// What llvm-profgen takes for the address of code elsewhere (ExternalAddr).
constexpr uint64_t kExternal = 1;

// Writes llvm-profgen's unsymbolized profile, which `llvm-profgen
// --unsymbolized-profile` reads: the number of ranges and each of them,
// "start-end:count", then the same of branches, "source->target:count".
// Addresses are relative to the first executable segment. With
// --profgen-contexts, these are indented below a line "[context]" for each
// calling context. As writeUnsymbolizedProfile() of its PerfReader.cpp.
class ProfgenEmitter final : public ProfileEmitter {
 public:
  ProfgenEmitter(const EmitterContext& context, bool contexts)
      : ProfileEmitter(context, FallThroughRule::kLlvmProfgen, contexts) {}

 private:
  absl::Status Write(BranchProfile& profile, Output& output) override {
    const uint64_t base =
        profile.code == nullptr ? 0 : profile.code->code_start();
    std::string text;
    if (context_samples() != nullptr && CanUnwind(profile)) {
      RETURN_IF_ERROR(WriteContexts(profile, base, &text, output));
    } else {
      const CodeCounts counts = CheckedCounts(profile, diagnostics());
      ReportIfEmpty(counts.ranges.empty() && counts.branches.empty(), profile);
      RETURN_IF_ERROR(WriteCounts(counts, "", base, &text, output));
    }
    return output.Write(text);
  }

  bool CanUnwind(const BranchProfile& profile) const {
    if (!profile.has_branches) return false;
    if (profile.code != nullptr && profile.code->can_decode()) return true;
    if (diagnostics() != nullptr) {
      diagnostics()->Add(Diagnostics::Severity::kNote,
                         "the profile has no contexts (--profgen-contexts): "
                         "the code was not found or is not decoded (x86 and "
                         "AArch64 are)");
    }
    return false;
  }

  absl::Status WriteContexts(const BranchProfile& profile, uint64_t base,
                             std::string* text, Output& output) {
    BranchUnwinder unwinder(*profile.code, budget());
    Unwind(LinkerOf(profile), &unwinder);
    const std::vector<ContextCounts> contexts = unwinder.TakeCounts();
    Report(unwinder.dropped());
    ReportIfEmpty(contexts.empty(), profile);
    uint64_t unwritten = 0;
    for (const ContextCounts& c : contexts) {
      if (budget().left(Budget::kOutput) == 0) {
        ++unwritten;
        continue;
      }
      text->push_back('[');
      unwinder.contexts().AppendText(c.context, text);
      text->append("]\n");
      RETURN_IF_ERROR(WriteCounts(c.counts, "  ", base, text, output));
    }
    ReportSkipped("context beyond the limit on output", unwritten,
                  diagnostics(), Diagnostics::Severity::kSkipped);
    return absl::OkStatus();
  }

  void Unwind(const PlaceLinker& linker, BranchUnwinder* unwinder) const {
    absl::flat_hash_map<PlaceId, uint64_t> instructions;
    const auto instruction_of = [&](PlaceId place) {
      const auto [it, inserted] = instructions.try_emplace(place);
      if (inserted) {
        it->second = unwinder->InstructionAt(linker.AddressOf(place));
      }
      return it->second;
    };
    std::vector<uint64_t> stack;
    std::vector<BranchUnwinder::Jump> jumps;
    context_samples()->ForEach(
        [&](WordLists::List places, WordLists::List branches, uint64_t count) {
          jumps.clear();
          bool is_kept = false;
          for (size_t i = 0; i + 2 <= branches.size(); i += 2) {
            if (branches[i] == kOutside && branches[i + 1] == kOutside) {
              if (is_kept) jumps.back().is_bound = true;
              continue;
            }
            const BranchUnwinder::Jump jump = {instruction_of(branches[i]),
                                               instruction_of(branches[i + 1])};
            is_kept = jump.source != BranchProfile::kElsewhere ||
                      jump.target != BranchProfile::kElsewhere;
            if (is_kept) jumps.push_back(jump);
          }
          if (jumps.empty()) return;
          stack.clear();
          for (const PlaceId place : places) {
            stack.push_back(linker.AddressOf(place));
          }
          unwinder->Add(stack, jumps, count);
        });
  }

  void Report(const BranchUnwinder::Dropped& dropped) const {
    if (!context_samples()->has_callers() && diagnostics() != nullptr) {
      diagnostics()->Add(Diagnostics::Severity::kNote,
                         "the recording has no call graphs, so each context "
                         "of the profile is one function: record with `-g`");
    }
    ReportSkipped(
        "sample where a function begins or returns, whose callers "
        "may be wrong",
        dropped.at_edge, diagnostics());
    ReportSkipped(
        "callers before a branch from or to another file that "
        "nothing goes with",
        dropped.unpaired, diagnostics());
    ReportSkipped("callers before a fall-through that the code does not allow",
                  dropped.bogus, diagnostics());
    ReportSkipped("sample with callers beyond the limit on memory or work",
                  dropped.budget + context_samples()->skipped(), diagnostics(),
                  Diagnostics::Severity::kSkipped);
  }

  // Appends to `text`, and writes it once it is long.
  static absl::Status WriteCounts(const CodeCounts& counts,
                                  absl::string_view indent, uint64_t base,
                                  std::string* text, Output& output) {
    const auto relative = [base](uint64_t address) {
      return (address == BranchProfile::kElsewhere ? kExternal : address) -
             base;
    };
    for (const bool is_branch : {false, true}) {
      const auto& list = is_branch ? counts.branches : counts.ranges;
      absl::StrAppend(text, indent, list.size(), "\n");
      for (const CodeCounts::Count& c : list) {
        absl::StrAppend(text, indent, absl::Hex(relative(c.from)),
                        is_branch ? "->" : "-", absl::Hex(relative(c.to)));
        absl::StrAppend(text, ":", c.count, "\n");
        constexpr size_t kBlock = 1 << 16;
        if (text->size() < kBlock) continue;
        RETURN_IF_ERROR(output.Write(*text));
        text->clear();
      }
    }
    return absl::OkStatus();
  }
};

absl::Span<const EmitterOption> ProfgenOptions() {
  static const EmitterOption kOptions[] = {
      {"profgen-contexts", "",
       "ranges and branches by calling context, of a recording with call "
       "graphs",
       ""},
  };
  return kOptions;
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeProfgen(
    const EmitterContext& context) {
  return std::make_unique<ProfgenEmitter>(
      context, context.options.at("profgen-contexts") == "true");
}

}  // namespace

EmitterInfo ProfgenEmitterInfo() {
  return {.name = "profgen",
          .extension = ".profgen",
          .summary = "llvm-profgen's unsymbolized profile of one file",
          .options = ProfgenOptions(),
          .is_text = true,
          .is_about_one_dso = true,
          .make = MakeProfgen,
          .advice =
              "make a sample profile of it with `llvm-profgen "
              "--unsymbolized-profile=FILE --binary=PROGRAM --output=OUT`"};
}

}  // namespace perf2x
