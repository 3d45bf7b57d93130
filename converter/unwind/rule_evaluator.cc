// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/rule_evaluator.h"

#include "converter/unwind/expression.h"

namespace perf2x {

std::optional<uint64_t> RuleEvaluator::CfaByExpression(
    int32_t expression, const Registers& registers, ProcessMemory* memory) {
  const std::optional<uint64_t> value =
      Evaluate(expression, registers, memory, /*cfa=*/std::nullopt);
  if (!value.has_value()) return std::nullopt;
  return *value & machine_.address_mask();
}

std::optional<uint64_t> RuleEvaluator::Evaluate(int32_t expression,
                                                const Registers& registers,
                                                ProcessMemory* memory,
                                                std::optional<uint64_t> cfa) {
  const auto read = [memory](uint64_t address, int size, uint64_t* value) {
    return memory->Read(address, size, value);
  };
  return perf2x::Evaluate(rules_->expression(expression), machine_, registers,
                          read, cfa, &operations_left_);
}

bool RuleEvaluator::ValueOfExpression(const RegisterRule& rule, uint64_t cfa,
                                      const Registers& registers,
                                      ProcessMemory* memory, uint64_t* value) {
  const std::optional<uint64_t> result =
      Evaluate(rule.value, registers, memory, cfa);
  if (!result.has_value()) return false;
  *value = *result;
  return rule.kind == RegisterRule::kExpression ||
         memory->ReadAddress(*result, value);
}

}  // namespace perf2x
