// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_FRAME_RULE_H_
#define PERF2X_UNWIND_FRAME_RULE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace perf2x {

// A frame rule (FrameRule with its RegisterRules) is one decoded row of a call
// frame information table. It computes the caller's registers from a frame's
// registers. Registers have DWARF numbers.

// Says where the caller's value of the register `reg` is, or what it is.
struct RegisterRule {
  enum Kind : uint8_t {
    kUndefined,     // not known; of the return address: there is no caller
    kAtCfa,         // saved at CFA + value
    kCfaPlus,       // is CFA + value
    kRegister,      // is in register `value`
    kAtExpression,  // saved at the value of expression number `value`
    kExpression,    // is the value of expression number `value`
  };
  uint8_t reg = 0;
  Kind kind = kUndefined;
  int32_t value = 0;
  friend bool operator==(const RegisterRule&, const RegisterRule&) = default;
};

// How the CFA and the caller's registers follow from a frame's registers.
struct FrameRule {
  // The canonical frame address: a register plus `cfa_value`, or (cfa_register
  // == kNoRegister) the value of expression number `cfa_value`.
  uint8_t cfa_register = 0;
  // The register whose value in the caller is the return address.
  uint8_t return_register = 0;
  // If set, this is a signal frame: its caller was interrupted.
  bool signal = false;
  int32_t cfa_value = 0;
  uint32_t first = 0, count = 0;  // see FrameRules::registers
  // Set by RuleTable::Intern for simple rules; 0 for all others. In a simple
  // rule, the CFA is a register plus a value, and the return address is saved.
  // Each register rule is "saved at CFA - n" with 8 <= n <= 2^30, or "is the
  // CFA". saved_below is then the largest n, in bytes.
  uint32_t saved_below = 0;
};

using RuleId = uint32_t;
inline constexpr RuleId kNoRule = ~0u;

// Frame rules by number, with their register rules and expressions.
class FrameRules {
 public:
  // Requires the id of a rule of this table; not kNoRule. The reference is
  // valid until the next RuleTable::Intern.
  const FrameRule& rule(RuleId id) const { return rules_[id]; }
  // Returns the register rules of a rule in this table. Valid as long as the
  // reference that rule() returns.
  absl::Span<const RegisterRule> registers(const FrameRule& rule) const {
    if (rule.count == 0) return {};
    return absl::MakeConstSpan(*registers_[rule.first / kBlock])
        .subspan(rule.first % kBlock, rule.count);
  }
  // Returns the bytes of an expression. Requires a number in a rule of this
  // table.
  absl::Span<const uint8_t> expression(int32_t number) const {
    return *expressions_[number];
  }
  // Returns the number of distinct rules.
  size_t size() const { return rules_.size(); }

 protected:
  std::vector<FrameRule> rules_;
  // Blocks of register rules; those of one rule are in one block. A block has
  // room for all registers that a RegisterRule can name. Copies of the table
  // share the blocks, but use only the part that was filled when the copy was
  // made.
  static constexpr size_t kBlock = 4096;
  std::vector<std::shared_ptr<std::array<RegisterRule, kBlock>>> registers_;
  // Shared with copies of the table: expressions may be long.
  std::vector<std::shared_ptr<const std::vector<uint8_t>>> expressions_;
};

// Interned frame rules: the thousands of rows of a library have a few hundred
// distinct rules. A rule never changes. Not thread-safe.
class RuleTable final : public FrameRules {
 public:
  // Returns the id of an equal rule; adds the rule if there is none. Ignores
  // its fields first, count and saved_below. `registers` has each register at
  // most once. Registers that it lacks are the same in the caller.
  RuleId Intern(FrameRule rule, absl::Span<const RegisterRule> registers);
  // Returns the number of a DWARF expression, given as its bytes. Adds it if it
  // is new.
  int32_t InternExpression(absl::Span<const uint8_t> expression);
  // Returns the approximate memory of all rules and expressions in bytes,
  // including what copies of the table do not share.
  uint64_t memory() const { return memory_; }

 private:
  uint32_t AddRegisters(absl::Span<const RegisterRule> registers);

  absl::flat_hash_map<std::string, RuleId>
      ids_;  // by the rule and its registers
  // By the bytes, which are in expressions_.
  absl::flat_hash_map<absl::string_view, int32_t> expression_numbers_;
  size_t registers_end_ = 0;  // where the next rule's registers may be
  uint64_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_FRAME_RULE_H_
