// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
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
// Addresses are relative to the first executable segment. As
// writeUnsymbolizedProfile() of its PerfReader.cpp.
class ProfgenEmitter final : public ProfileEmitter {
 public:
  explicit ProfgenEmitter(const EmitterContext& context)
      : ProfileEmitter(context, FallThroughRule::kLlvmProfgen) {}

 private:
  using Counts = std::map<std::pair<uint64_t, uint64_t>, uint64_t>;

  absl::Status Write(BranchProfile& profile, Output& output) override {
    const CodeCounts counts = CheckedCounts(profile, diagnostics());
    const uint64_t base =
        profile.code == nullptr ? 0 : profile.code->code_start();
    RETURN_IF_ERROR(WriteCounts(counts.ranges, "-", base, output));
    return WriteCounts(counts.branches, "->", base, output);
  }

  static absl::Status WriteCounts(const std::vector<CodeCounts::Count>& counts,
                                  absl::string_view separator, uint64_t base,
                                  Output& output) {
    std::string text = absl::StrCat(counts.size(), "\n");
    const auto relative = [base](uint64_t address) {
      return (address == BranchProfile::kElsewhere ? kExternal : address) -
             base;
    };
    for (const CodeCounts::Count& c : counts) {
      absl::StrAppend(&text, absl::Hex(relative(c.from)), separator,
                      absl::Hex(relative(c.to)), ":", c.count, "\n");
      constexpr size_t kBlock = 1 << 16;
      if (text.size() < kBlock) continue;
      RETURN_IF_ERROR(output.Write(text));
      text.clear();
    }
    return output.Write(text);
  }
};

}  // namespace

EmitterInfo ProfgenEmitterInfo() {
  return {.name = "profgen",
          .extension = ".profgen",
          .summary = "llvm-profgen's unsymbolized profile of one file",
          .is_text = true,
          .is_about_one_dso = true,
          .make = MakeEmitter<ProfgenEmitter>,
          .advice =
              "make a sample profile of it with `llvm-profgen "
              "--unsymbolized-profile=FILE --binary=PROGRAM --output=OUT`"};
}

}  // namespace perf2x
