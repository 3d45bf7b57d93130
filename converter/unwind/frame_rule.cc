// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/frame_rule.h"

#include <algorithm>
#include <utility>

#include "converter/unwind/registers.h"

namespace perf2x {
namespace {

// Appends a number in a form of fixed length, so that keys are unambiguous.
void Append(uint64_t v, std::string* key) {
  key->append(reinterpret_cast<const char*>(&v), sizeof(v));
}

// Returns FrameRule::saved_below of a rule.
uint32_t SavedBelow(const FrameRule& rule,
                    absl::Span<const RegisterRule> registers) {
  constexpr int32_t kWord = 8, kMax = 1 << 30;
  int32_t lowest = 0;
  bool returns = false;
  for (const RegisterRule& r : registers) {
    if (r.kind == RegisterRule::kCfaPlus && r.value == 0) continue;
    if (r.kind != RegisterRule::kAtCfa || r.value > -kWord || r.value < -kMax) {
      return 0;
    }
    lowest = std::min(lowest, r.value);
    returns |= r.reg == rule.return_register;
  }
  return returns && rule.cfa_register != kNoRegister
             ? static_cast<uint32_t>(-lowest)
             : 0;
}

}  // namespace

RuleId RuleTable::Intern(FrameRule rule,
                         absl::Span<const RegisterRule> registers) {
  std::string key;
  key.reserve((2 + registers.size()) * sizeof(uint64_t));
  Append(rule.cfa_register | rule.return_register << 8 | rule.signal << 16,
         &key);
  Append(static_cast<uint32_t>(rule.cfa_value), &key);
  for (const RegisterRule& r : registers) {
    Append(r.reg | r.kind << 8 | uint64_t{static_cast<uint32_t>(r.value)} << 32,
           &key);
  }
  auto [it, is_new] =
      ids_.try_emplace(std::move(key), static_cast<RuleId>(rules_.size()));
  if (is_new) {
    constexpr uint64_t kOfRule = 256, kOfRegister = 24;
    memory_ += kOfRule + kOfRegister * registers.size();
    rule.first = AddRegisters(registers);
    rule.count = static_cast<uint32_t>(registers.size());
    rule.saved_below = SavedBelow(rule, registers);
    rules_.push_back(rule);
  }
  return it->second;
}

// Returns where they are, as FrameRule::first.
uint32_t RuleTable::AddRegisters(absl::Span<const RegisterRule> registers) {
  if (registers.empty()) return 0;
  const size_t end = registers_.size() * kBlock;
  if (end - registers_end_ < registers.size()) {
    registers_end_ = end;
    registers_.push_back(std::make_shared<std::array<RegisterRule, kBlock>>());
  }
  const size_t first = registers_end_;
  std::copy(registers.begin(), registers.end(),
            registers_[first / kBlock]->begin() + first % kBlock);
  registers_end_ += registers.size();
  return static_cast<uint32_t>(first);
}

int32_t RuleTable::InternExpression(absl::Span<const uint8_t> expression) {
  const auto bytes_of = [](absl::Span<const uint8_t> span) {
    return absl::string_view(reinterpret_cast<const char*>(span.data()),
                             span.size());
  };
  const auto known = expression_numbers_.find(bytes_of(expression));
  if (known != expression_numbers_.end()) return known->second;
  constexpr uint64_t kOfEntry = 128;  // without the bytes
  memory_ += kOfEntry + expression.size();
  const auto number = static_cast<int32_t>(expressions_.size());
  const auto& kept =
      expressions_.emplace_back(std::make_shared<const std::vector<uint8_t>>(
          expression.begin(), expression.end()));
  expression_numbers_.emplace(bytes_of(*kept), number);
  return number;
}

}  // namespace perf2x
