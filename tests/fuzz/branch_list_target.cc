// SPDX-License-Identifier: Apache-2.0

// A branch list of simpleperf, and the machine code that it leads through.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "converter/branch_lists/branch_list_reader.h"
#include "converter/branch_lists/branch_list_source.h"
#include "converter/branch_lists/etm_list_follower.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "tests/fuzz/targets.h"

namespace perf2x {
namespace {

constexpr uint64_t kStart = 0x1000;

class FuzzCode final : public EtmCode {
 public:
  explicit FuzzCode(FuzzInput bytes) : bytes_(bytes) {}
  uint32_t Read(int32_t, int32_t, uint64_t address,
                absl::Span<uint8_t> to) override {
    if (address < kStart || address - kStart >= bytes_.size()) return 0;
    const FuzzInput from = bytes_.subspan(address - kStart);
    const size_t size = std::min(to.size(), from.size());
    std::copy_n(from.begin(), size, to.begin());
    return static_cast<uint32_t>(size);
  }

 private:
  const FuzzInput bytes_;
};

// Follows lists, of 64-bit code or not.
class Follower final : public BranchListSink {
 public:
  Follower(FuzzInput code, bool is_64_bit)
      : code_(code), follower_(&code_, is_64_bit, budget_) {}

  absl::Status OnBinary(const ListedBinary&) override {
    return absl::OkStatus();
  }
  absl::Status OnBinaries(std::vector<ListedBinary> binaries) override {
    binaries_ = binaries.size();
    return absl::OkStatus();
  }
  absl::Status OnList(const EtmBranchList& list) override {
    FuzzPromise(list.size > 0 && list.size <= 8 * list.bits.size(),
                "a list has the bits that it says");
    if (!EtmListFollower::InThisBuild()) return absl::OkStatus();
    size_t branches = 0;
    const auto count = [&](const EtmStep& step) {
      branches += step.branch ? 1 : 0;
      return absl::OkStatus();
    };
    auto end = EtmListFollower::End::kWhole;
    FuzzPromise(follower_.Follow(list, count, &end).ok(), "lists are followed");
    FuzzPromise(branches <= list.size, "each branch has a bit");
    return absl::OkStatus();
  }
  absl::Status OnSample(const ListedSample& sample) override {
    const auto check = [this](const ListedSample::Place& place) {
      FuzzPromise(
          place.binary == ListedSample::kNone || place.binary < binaries_,
          "a place is in a binary");
    };
    check(sample.place);
    for (const ListedSample::Branch& branch : sample.branches) {
      check(branch.source);
      check(branch.target);
    }
    return absl::OkStatus();
  }

 private:
  Budget budget_;
  FuzzCode code_;
  EtmListFollower follower_;
  size_t binaries_ = 0;
};

class LastText final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    text_.clear();
    return MakeStringOutput(&text_);
  }

 private:
  std::string text_;
};

}  // namespace

void FuzzBranchList(FuzzInput input) {
  const std::vector<FuzzInput> pieces = FuzzPieces(input);
  const FuzzInput file = pieces[0];
  const FuzzInput code = pieces.size() > 1 ? pieces[1] : FuzzInput();
  for (const bool is_64_bit : {true, false}) {
    Follower follower(code, is_64_bit);
    Budget budget;
    Diagnostics diagnostics;
    (void)ReadBranchLists(file, budget, diagnostics, follower);
  }
  if (!IsBranchList(file)) return;
  constexpr const char* kFormats[] = {"autofdo", "bolt", "profgen"};
  ConvertOptions options;
  options.symbolize = false;
  LastText outputs;
  ConvertReport report;
  (void)Convert(MemoryInput(file), *FindEmitter(kFormats[FuzzChoice(file) % 3]),
                outputs, options, &report);
}

}  // namespace perf2x
