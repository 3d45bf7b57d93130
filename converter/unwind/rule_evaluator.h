// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_RULE_EVALUATOR_H_
#define PERF2X_UNWIND_RULE_EVALUATOR_H_

#include <cstdint>
#include <optional>

#include "converter/base/machine.h"
#include "converter/unwind/frame_rule.h"
#include "converter/unwind/process_memory.h"
#include "converter/unwind/registers.h"

namespace perf2x {

// Computes the CFA and the caller's registers of a frame by its rule. The
// expressions of one stack may take 65536 operations; after that, expressions
// have no value. Not thread-safe.
class RuleEvaluator {
 public:
  // `machine` must outlive the evaluator.
  explicit RuleEvaluator(const Machine& machine) : machine_(machine) {}

  // To be called before the first frame of a stack. The stack's rules must be
  // in `rules`, which must stay valid until the next call.
  void BeginStack(const FrameRules& rules) {
    rules_ = &rules;
    operations_left_ = kMaxOperations;
  }
  // Returns the number of operations of expressions since BeginStack.
  uint32_t operations() const { return kMaxOperations - operations_left_; }

  // Returns the canonical frame address; nullopt if it needs an unknown
  // register or memory, or too many operations.
  std::optional<uint64_t> Cfa(const FrameRule& rule, const Registers& registers,
                              ProcessMemory* memory) {
    if (rule.cfa_register == kNoRegister) {
      return CfaByExpression(rule.cfa_value, registers, memory);
    }
    if (!registers.known(rule.cfa_register)) return std::nullopt;
    return (registers[rule.cfa_register] +
            static_cast<uint64_t>(int64_t{rule.cfa_value})) &
           machine_.address_mask();
  }
  // Computes the caller's value of the register `rule.reg`. The value may
  // exceed the machine's address size: see Machine::mask. Returns false if it
  // is not known; `*value` is then unspecified.
  bool ValueOf(const RegisterRule& rule, uint64_t cfa,
               const Registers& registers, ProcessMemory* memory,
               uint64_t* value) {
    const uint64_t at_cfa = cfa + static_cast<uint64_t>(int64_t{rule.value});
    *value = 0;
    switch (rule.kind) {
      case RegisterRule::kAtCfa:
        return memory->ReadAddress(at_cfa & machine_.address_mask(), value);
      case RegisterRule::kCfaPlus:
        *value = at_cfa;
        return true;
      case RegisterRule::kRegister: {
        const auto from = static_cast<uint8_t>(rule.value);
        if (!registers.known(from)) return false;
        *value = registers[from];
        return true;
      }
      case RegisterRule::kAtExpression:
      case RegisterRule::kExpression:
        return ValueOfExpression(rule, cfa, registers, memory, value);
      case RegisterRule::kUndefined:
        break;
    }
    return false;
  }

 private:
  // The limit for one stack. Real expressions (linkage tables, signal frames,
  // realigned stacks) take some ten operations a frame at most.
  static constexpr uint32_t kMaxOperations = 1 << 16;

  std::optional<uint64_t> Evaluate(int32_t expression,
                                   const Registers& registers,
                                   ProcessMemory* memory,
                                   std::optional<uint64_t> cfa);
  std::optional<uint64_t> CfaByExpression(int32_t expression,
                                          const Registers& registers,
                                          ProcessMemory* memory);
  bool ValueOfExpression(const RegisterRule& rule, uint64_t cfa,
                         const Registers& registers, ProcessMemory* memory,
                         uint64_t* value);

  const Machine& machine_;
  const FrameRules* rules_ = nullptr;
  uint32_t operations_left_ = kMaxOperations;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_RULE_EVALUATOR_H_
