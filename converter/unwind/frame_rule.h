#ifndef PERF2X_UNWIND_FRAME_RULE_H_
#define PERF2X_UNWIND_FRAME_RULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace perf2x {

// How to find the caller's registers from those of a frame: one row of a call
// frame information table, in a form that costs nothing to apply.

struct RegisterRule {
  enum Kind : uint8_t {
    kUndefined,
    kAtCfa,         // saved at CFA + value
    kCfaPlus,       // is CFA + value
    kRegister,      // is in register `value`
    kAtExpression,  // saved where expression number `value` says
    kExpression,    // is what expression number `value` says
  };
  uint8_t reg = 0;
  Kind kind = kUndefined;
  int32_t value = 0;
  friend bool operator==(const RegisterRule&, const RegisterRule&) = default;
};

struct FrameRule {
  // The canonical frame address: a register plus `cfa_value`, or (cfa_register
  // == kNoRegister) what expression number `cfa_value` says.
  uint8_t cfa_register = 0;
  uint8_t return_register = 0;  // holds the return address afterwards
  // The frame of a signal handler's return: its caller was interrupted there.
  bool signal = false;
  int32_t cfa_value = 0;
  uint32_t first = 0, count = 0;  // of its register rules
  // Where these all say that a register was saved in so many bytes below the
  // CFA, or is the CFA, and the return address was saved: most rows. Else 0.
  uint32_t saved_below = 0;
};

using RuleId = uint32_t;
inline constexpr RuleId kNoRule = ~0u;

// Frame rules, each kept once: the thousands of rows of a library come down to
// a few hundred.
class RuleTable {
 public:
  // `rule` without first, count and saved_below. Registers that `registers`
  // does not name are the same in the caller.
  RuleId Intern(FrameRule rule, absl::Span<const RegisterRule> registers);
  // The number of a DWARF expression, given as its bytes.
  int32_t InternExpression(absl::Span<const uint8_t> expression);

  const FrameRule& rule(RuleId id) const { return rules_[id]; }
  absl::Span<const RegisterRule> registers(const FrameRule& rule) const {
    return absl::MakeConstSpan(registers_).subspan(rule.first, rule.count);
  }
  absl::Span<const uint8_t> expression(int32_t number) const {
    return expressions_[number];
  }
  size_t size() const { return rules_.size(); }

 private:
  std::vector<FrameRule> rules_;
  std::vector<RegisterRule> registers_;
  std::vector<std::vector<uint8_t>> expressions_;
  absl::flat_hash_map<std::string, RuleId> ids_;  // by what the rule says
  absl::flat_hash_map<std::string, int32_t> expression_numbers_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_FRAME_RULE_H_
