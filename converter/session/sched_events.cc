// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_events.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

// Consumes the next `{ 0x02, "D" }` of `*text`. Returns false if there is none.
bool ConsumeFlag(absl::string_view* text, uint64_t* bit, std::string* name) {
  for (size_t brace; (brace = text->find('{')) != text->npos;) {
    text->remove_prefix(brace + 1);
    const size_t comma = text->find(','), end = text->find('}');
    if (end == text->npos) return false;
    if (comma > end) continue;
    absl::string_view number =
        absl::StripAsciiWhitespace(text->substr(0, comma));
    absl::string_view quoted =
        absl::StripAsciiWhitespace(text->substr(comma + 1, end - comma - 1));
    const bool is_number = absl::ConsumePrefix(&number, "0x")
                               ? absl::SimpleHexAtoi(number, bit)
                               : absl::SimpleAtoi(number, bit);
    if (!is_number || !absl::ConsumePrefix(&quoted, "\"") ||
        !absl::ConsumeSuffix(&quoted, "\"") || quoted.empty()) {
      continue;
    }
    *name = std::string(quoted);
    return true;
  }
  return false;
}

bool IsWakeup(absl::string_view name) {
  return name == "sched_waking" || name == "sched_wakeup" ||
         name == "sched_wakeup_new";
}

// Returns a field's value; nullopt if the payload lacks it.
std::optional<int32_t> Read(const TracepointFormat& format,
                            const TracepointFieldLayout* field,
                            absl::Span<const uint8_t> raw) {
  if (field == nullptr) return std::nullopt;
  const std::optional<uint64_t> value = format.Number(*field, raw);
  if (!value.has_value()) return std::nullopt;
  return static_cast<int32_t>(*value);
}

}  // namespace

TaskStates::TaskStates(absl::string_view print_format) {
  uint64_t bit;
  std::string name;
  uint64_t all = 0;
  constexpr size_t kMaxName = 16;  // the kernel's names have a letter
  while (ConsumeFlag(&print_format, &bit, &name)) {
    // At most one name for each bit, as every switch goes through all.
    if ((all & bit) == bit || name.size() > kMaxName) continue;
    flags_.emplace_back(bit, name);
    all |= bit;
  }
  if (flags_.empty()) {
    // Linux 4.14 and later.
    flags_ = {{0x01, "S"}, {0x02, "D"}, {0x04, "T"}, {0x08, "t"},
              {0x10, "X"}, {0x20, "Z"}, {0x40, "P"}, {0x80, "I"}};
    all = 0xff;
  }
  uint64_t below = all;  // every bit up to the highest
  for (int shift = 1; shift < 64; shift *= 2) below |= below >> shift;
  preempted_ = ~below;
}

absl::string_view TaskStates::Letters(uint64_t prev_state) {
  letters_.clear();
  for (const auto& [bit, name] : flags_) {
    if ((prev_state & bit) == 0) continue;
    absl::StrAppend(&letters_, letters_.empty() ? "" : "|", name);
  }
  if (letters_.empty()) letters_.push_back('R');
  if ((prev_state & preempted_) != 0) letters_.push_back('+');
  return letters_;
}

bool SchedEventDecoder::IsSched(const TracepointName& tracepoint) {
  return tracepoint.system == "sched" &&
         (tracepoint.name == "sched_switch" || IsWakeup(tracepoint.name));
}

std::optional<SchedEventDecoder::Plan> SchedEventDecoder::PlanFor(
    const TracepointFormat& format) {
  if (format.system() != "sched") return std::nullopt;
  Plan plan;
  if (format.name() == "sched_switch") {
    plan.kind = SchedEvent::Kind::kSwitch;
    plan.tid = format.Find("prev_pid");
    plan.next_tid = format.Find("next_pid");
    plan.state = format.Find("prev_state");
    plan.states.emplace(format.print_format());
    return plan;
  }
  if (IsWakeup(format.name())) {
    plan.kind = SchedEvent::Kind::kWakeup;
    plan.tid = format.Find("pid");
    plan.target_cpu = format.Find("target_cpu");
    return plan;
  }
  return std::nullopt;
}

std::optional<SchedEventDecoder::SwitchFields>
SchedEventDecoder::FieldsOfSwitch(const TracepointFormat& format) {
  const std::optional<Plan> plan = PlanFor(format);
  if (!plan.has_value() || plan->kind != SchedEvent::Kind::kSwitch ||
      plan->tid == nullptr || plan->next_tid == nullptr ||
      plan->state == nullptr) {
    return std::nullopt;
  }
  return SwitchFields{*plan->tid, *plan->next_tid, *plan->state};
}

std::optional<SchedEvent> SchedEventDecoder::Decode(
    const TracepointFormat& format, absl::Span<const uint8_t> raw) {
  auto [it, inserted] = plans_.try_emplace(&format);
  if (inserted) it->second = PlanFor(format);
  if (!it->second.has_value()) return std::nullopt;
  Plan& plan = *it->second;
  SchedEvent event;
  event.kind = plan.kind;
  const std::optional<int32_t> tid = Read(format, plan.tid, raw);
  if (!tid.has_value()) return std::nullopt;
  event.tid = *tid;
  if (plan.kind == SchedEvent::Kind::kWakeup) {
    event.target_cpu = Read(format, plan.target_cpu, raw).value_or(-1);
    return event;
  }
  const std::optional<int32_t> next = Read(format, plan.next_tid, raw);
  if (!next.has_value() || plan.state == nullptr) return std::nullopt;
  const std::optional<uint64_t> state = format.Number(*plan.state, raw);
  if (!state.has_value()) return std::nullopt;
  event.next_tid = *next;
  // The field is a long, of which 32-bit kernels have only the low half.
  event.state = plan.states->Letters(*state & 0x7fffffff);
  return event;
}

}  // namespace perf2x
