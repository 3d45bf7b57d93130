// SPDX-License-Identifier: Apache-2.0
#include "converter/branch_lists/branch_list_source.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/model/branch_bound.h"

namespace perf2x {
namespace {

constexpr uint64_t kWorkPerSample = 2;
// Finding a file in the folders where it may be, and a decoder.
constexpr uint64_t kWorkPerBinary = 1 << 14;

}  // namespace

BranchListSource::BranchListSource(TraceTables& tables, Budget& budget,
                                   Diagnostics& diagnostics)
    : tables_(tables),
      budget_(budget),
      memory_(budget),
      diagnostics_(diagnostics),
      code_(tables) {
  Event event;
  event.name = "branches";
  event.period = 1;
  tables.events.push_back(std::move(event));
  Thread thread;
  thread.process_name = thread.name = tables.strings.Intern("");
  tables.threads.push_back(thread);
  sample_.stack = code_.no_stack();
}

absl::Status BranchListSource::Emit(absl::Span<const uint8_t> file,
                                    const TraceInfo& info, Emitter& emitter) {
  emitter_ = &emitter;
  RETURN_IF_ERROR(emitter.Begin(info));
  RETURN_IF_ERROR(emitter.OnThread(sample_.thread, std::nullopt));
  absl::Status read = ReadBranchLists(file, budget_, diagnostics_, *this);
  emitter_ = nullptr;
  ReportSkipped();
  return read;
}

void BranchListSource::ReportSkipped() {
  const auto count = [this](const char* message, uint64_t lists) {
    if (lists == 0) return;
    diagnostics_.Add(Diagnostics::Severity::kSkipped, message, 0, 0, lists);
  };
  count(EtmListFollower::InThisBuild()
            ? "branch list of a file that was not found (see --symfs and "
              "--vmlinux)"
            : "branch list that this build cannot follow, without OpenCSD",
        without_file_);
  count(
      "branch list of a kernel module, whose file does not say where its calls "
      "lead",
      of_modules_);
  count("branch list of a file that is not of an Arm processor", of_others_);
  count("branch list from an address where no instruction can begin",
        within_instructions_);
  count("branch list that leads out of the code of its file", without_code_);
  count("branch list that goes on after a branch whose target is not known",
        lost_);
  CountSkippedForBudget("branch list", budget_.exhausted_name(), skipped_,
                        &diagnostics_);
}

void BranchListSource::ChargeMemory() {
  memory_.Set(code_.memory() + tables_.memory());
}

absl::Status BranchListSource::OnBinary(const ListedBinary& binary) {
  follower_.reset();
  if (budget_.exhausted()) return absl::OkStatus();
  not_followed_ = &without_file_;
  if (binary.kind == ListedBinary::Kind::kKernelModule) {
    not_followed_ = &of_modules_;
    return absl::OkStatus();
  }
  binary_ = code_.IndexOf(binary);
  ChargeMemory();
  budget_.Spend(Budget::kWork, kWorkPerBinary);
  const CodeImage* const image = code_.CodeOf(binary_);
  if (image == nullptr || !EtmListFollower::InThisBuild()) {
    return absl::OkStatus();
  }
  const bool is_64_bit = image->machine() == EM_AARCH64;
  if (!is_64_bit && image->machine() != EM_ARM) {
    not_followed_ = &of_others_;
    return absl::OkStatus();
  }
  etm_code_.emplace(code_, binary_);
  follower_.emplace(&*etm_code_, is_64_bit, budget_);
  return absl::OkStatus();
}

absl::Status BranchListSource::OnList(const EtmBranchList& list) {
  if (budget_.exhausted()) {
    ++skipped_;
    return absl::OkStatus();
  }
  if (!follower_.has_value()) {
    ++*not_followed_;
    return absl::OkStatus();
  }
  sample_.address_space = binary_ + 1;
  sample_.count = list.count;
  auto end = EtmListFollower::End::kWhole;
  const auto add = [this](const EtmStep& step) {
    steps_.push_back(step);
    return steps_.size() > kMaxSteps ? EmitSteps() : absl::OkStatus();
  };
  RETURN_IF_ERROR(follower_->Follow(list, add, &end));
  RETURN_IF_ERROR(EmitSteps());
  steps_.clear();
  if (first_is_counted_) {
    totals_.samples = SaturatingAdd(totals_.samples, sample_.count);
  }
  first_is_counted_ = false;
  within_instructions_ += end == EtmListFollower::End::kNoInstruction ? 1 : 0;
  without_code_ += end == EtmListFollower::End::kNoCode ? 1 : 0;
  lost_ += end == EtmListFollower::End::kLost ? 1 : 0;
  skipped_ += end == EtmListFollower::End::kSkipped ? 1 : 0;
  return absl::OkStatus();
}

// Emits a sample of all steps so far. The last one remains, so that the code
// between it and the next is in the next sample.
absl::Status BranchListSource::EmitSteps() {
  if (steps_.size() < 2) return absl::OkStatus();
  branches_.clear();
  taken_ = 0;
  const auto push = [this](uint64_t source, uint64_t target) -> Branch& {
    Branch& branch = branches_.emplace_back();
    branch.source = source;
    branch.target = target;
    return branch;
  };
  for (size_t i = steps_.size(); i-- > 0;) {
    const EtmStep& step = steps_[i];
    if (step.branch) {
      Branch& branch = push(step.source, step.target);
      branch.is_repeated = i == 0 && first_is_counted_;
      if (!branch.is_repeated) ++taken_;
      continue;
    }
    if (step.target != 0) push(kUnknownBranchEnd, step.target);
    if (step.source != 0 && i > 0) push(step.source, kUnknownBranchEnd);
  }
  steps_.erase(steps_.begin(), steps_.end() - 1);
  first_is_counted_ = true;
  // No address was sampled: files are ranked by the code that ran.
  return EmitBranches(/*ip=*/0);
}

absl::Status BranchListSource::EmitBranches(uint64_t ip) {
  budget_.Spend(Budget::kWork, kWorkPerSample);
  const unsigned __int128 branches =
      static_cast<unsigned __int128>(taken_) * sample_.count;
  sample_.period = static_cast<uint64_t>(
      std::min<unsigned __int128>(branches, ~uint64_t{0}));
  sample_.ip = ip;
  sample_.branches = branches_;
  totals_.branches = SaturatingAdd(totals_.branches, sample_.period);
  return emitter_->OnSample(sample_);
}

absl::Status BranchListSource::OnBinaries(std::vector<ListedBinary> binaries) {
  lbr_binaries_.clear();
  for (const ListedBinary& binary : binaries) {
    if (budget_.exhausted()) break;
    lbr_binaries_.push_back(code_.IndexOf(binary));
    budget_.Spend(Budget::kWork, kWorkPerBinary);
    ChargeMemory();
  }
  return absl::OkStatus();
}

absl::Status BranchListSource::OnSample(const ListedSample& sample) {
  if (budget_.exhausted()) {
    ++skipped_;
    return absl::OkStatus();
  }
  const auto address_of = [this](const ListedSample::Place& place) {
    return place.binary < lbr_binaries_.size()
               ? ListedCode::LbrAddressOf(lbr_binaries_[place.binary],
                                          place.address)
               : 0;
  };
  branches_.clear();
  for (const ListedSample::Branch& listed : sample.branches) {
    Branch& branch = branches_.emplace_back();
    branch.source = address_of(listed.source);
    branch.target = address_of(listed.target);
  }
  taken_ = branches_.size();
  sample_.address_space = ListedCode::kLbrSpace;
  sample_.count = 1;
  totals_.samples = SaturatingAdd(totals_.samples, 1);
  budget_.Spend(Budget::kWork, branches_.size());
  return EmitBranches(address_of(sample.place));
}

}  // namespace perf2x
