// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_EMIT_BRANCH_PROFILES_BRANCH_TRACE_H_
#define PERF2X_TESTS_EMIT_BRANCH_PROFILES_BRANCH_TRACE_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_trace.h"

namespace perf2x {

// The code of a program that was linked to 0x1000: functions "main" at 0x1100,
// with an inlined "twice" at 0x1110 to 0x1117, and "leaf" at 0x1200. All
// instructions have 4 bytes; 0x110c calls, 0x1130 and 0x1208 return, 0x1120 is
// a conditional branch to 0x1108.
class TestCode : public CodeImage {
 public:
  static constexpr uint64_t kLinkedAt = 0x1000;

  std::optional<uint64_t> AddressOf(uint64_t frame_address) const override {
    return frame_address + kLinkedAt;
  }
  uint64_t code_start() const override { return kLinkedAt; }
  bool is_position_independent() const override { return true; }
  std::optional<Function> FunctionAt(uint64_t address) const override {
    if (address >= 0x1100 && address < 0x1140) {
      return Function{0x1100, 0x1134, 0x1140, "main", 0};
    }
    if (address >= 0x1200 && address < 0x1210) {
      return Function{0x1200, 0x120c, 0x1210, "leaf", 1};
    }
    return std::nullopt;
  }
  bool can_decode() const override { return decodes_; }
  uint32_t InstructionSize(uint64_t address) override {
    return FunctionAt(address).has_value() && address % 4 == 0 ? 4 : 0;
  }
  std::optional<uint64_t> NextInstruction(uint64_t address,
                                          uint64_t end) override {
    for (; address < end; ++address) {
      if (InstructionSize(address) != 0) return address;
    }
    return std::nullopt;
  }
  std::optional<uint64_t> PreviousInstruction(uint64_t address) override {
    for (; address > 0x1100; --address) {
      if (InstructionSize(address - 1) != 0) return address - 1;
    }
    return std::nullopt;
  }
  Transfer TransferAt(uint64_t address) override {
    return address == 0x110c                        ? Transfer::kCall
           : address == 0x1130 || address == 0x1208 ? Transfer::kReturn
                                                    : Transfer::kNone;
  }
  bool RunsThrough(uint64_t start, uint64_t end) override {
    const uint64_t ends[] = {0x110c, 0x1130, 0x1208};
    return std::none_of(std::begin(ends), std::end(ends),
                        [&](uint64_t at) { return start <= at && at < end; });
  }
  Block BlockAt(uint64_t address) override {
    if (address < 0x1108) return {0x1100, 0x1104, 2};
    if (address <= 0x1120) return {0x1108, 0x1120, 7};
    if (address < 0x1140) return {0x1124, 0x1130, 4};
    return {0x1200, 0x1208, 3};
  }
  void AppendLines(uint64_t address, std::vector<CodeLine>* lines) override {
    if (!FunctionAt(address).has_value()) return;
    if (address >= 0x1200) {
      lines->push_back({"leaf", 1, 0});
    } else if (address >= 0x1110 && address < 0x1118) {
      lines->push_back({"main", 4, 2 << 1});
      lines->push_back({"twice.llvm.77", 1, 0});
    } else {
      lines->push_back({"main", address < 0x1108 ? 1u : 3u, 0});
    }
  }
  void AppendRanges(uint64_t address, std::vector<Range>* ranges) override {
    const auto function = FunctionAt(address);
    if (function.has_value()) {
      ranges->emplace_back(function->start, function->end);
    }
  }

  bool decodes_ = true;
};

// A trace of branches. The program of SmallTrace is mapped at 0x400000, so code
// that was linked to 0x1100 is at 0x400100; here, addresses below 0x10000 are
// those where the program was linked.
class BranchTrace : public SmallTrace {
 protected:
  static constexpr uint64_t kLibrary = 0x7f0000000100, kOther = 0x10000000;
  static constexpr uint64_t kKernel = 0xffffffff81000100;

  BranchTrace() {
    app_code_ = std::make_shared<TestCode>();
    cycles_ = AddEvent("cycles");
    thread_ = AddThread(1, 1, "app", "app");
  }

  static uint64_t RunTime(uint64_t address) {
    return address < 0x10000 ? address - TestCode::kLinkedAt + 0x400000
                             : address;
  }
  // Adds a sample with branches, the latest first.
  void AddBranches(const std::vector<std::pair<uint64_t, uint64_t>>& branches,
                   BranchChoice choice = BranchChoice::kAll) {
    std::vector<Branch> stack;
    for (const auto& [source, target] : branches) {
      Branch& branch = stack.emplace_back();
      branch.source = RunTime(source);
      branch.target = RunTime(target);
    }
    AddStack(stack, choice);
  }
  void AddStack(const std::vector<Branch>& stack,
                BranchChoice choice = BranchChoice::kAll) {
    Sample sample;
    sample.event = cycles_;
    sample.thread = thread_;
    sample.address_space = 0;
    sample.branches = stack;
    sample.branch_choice = choice;
    sample.stack = stack_;
    if (!stack.empty()) sample.ip = stack.front().target;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  void AddIp(uint64_t address, int count = 1) {
    Sample sample;
    sample.event = cycles_;
    sample.thread = thread_;
    sample.ip = RunTime(address);
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(emitter().OnSample(sample).ok());
    }
  }
  // Returns how many things were not written for the reason `what`.
  uint64_t Skipped(const std::string& what) const {
    const auto it = diagnostics_.entries().find("not in the profile: " + what);
    return it == diagnostics_.entries().end() ? 0 : it->second.count;
  }

  EventId cycles_ = 0;
  ThreadId thread_ = 0;
  StackId stack_ = 0;  // of samples with branches
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_EMIT_BRANCH_PROFILES_BRANCH_TRACE_H_
