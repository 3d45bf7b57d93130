// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_events.h"

#include <algorithm>

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

void TaskStates::Spell(uint64_t prev_state, Spelled* to) const {
  to->state = prev_state;
  std::string& letters = to->letters;
  letters.clear();
  for (const auto& [bit, name] : flags_) {
    if ((prev_state & bit) == 0) continue;
    absl::StrAppend(&letters, letters.empty() ? "" : "|", name);
  }
  if (letters.empty()) letters.push_back('R');
  if ((prev_state & preempted_) != 0) letters.push_back('+');
}

bool SchedEventDecoder::IsSched(const TracepointName& tracepoint) {
  return tracepoint.system == "sched" &&
         (tracepoint.name == "sched_switch" || IsWakeup(tracepoint.name));
}

std::unique_ptr<SchedPayloads> SchedPayloads::Of(
    const TracepointFormat& format) {
  if (format.system() != "sched") return nullptr;
  const bool is_switch = format.name() == "sched_switch";
  if (!is_switch && !IsWakeup(format.name())) return nullptr;
  return std::unique_ptr<SchedPayloads>(
      new SchedPayloads(format, is_switch ? SchedEvent::Kind::kSwitch
                                          : SchedEvent::Kind::kWakeup));
}

SchedPayloads::SchedPayloads(const TracepointFormat& format,
                             SchedEvent::Kind kind)
    : format_(format), kind_(kind) {
  if (kind == SchedEvent::Kind::kSwitch) {
    tid_ = FieldOf("prev_pid");
    next_tid_ = FieldOf("next_pid");
    state_ = FieldOf("prev_state");
    states_.emplace(format.print_format());
  } else {
    tid_ = FieldOf("pid");
    target_cpu_ = FieldOf("target_cpu");
  }
}

SchedPayloads::Field SchedPayloads::FieldOf(absl::string_view name) const {
  Field field;
  field.layout = format_.Find(name);
  if (field.layout != nullptr &&
      field.layout->kind == TracepointFieldLayout::Kind::kNumber &&
      !field.layout->dynamic) {
    field.offset = field.layout->offset;
    field.size = field.layout->size;
  }
  return field;
}

SchedPlaces SchedPayloads::Places() const {
  const bool is_switch = kind_ == SchedEvent::Kind::kSwitch;
  const Field& number = is_switch ? state_ : target_cpu_;
  constexpr uint32_t kHalf = 4;
  const bool is_wide = number.size == 2 * kHalf;
  if (tid_.size != kHalf || (is_switch && next_tid_.size != kHalf) ||
      (number.size != kHalf && !is_wide)) {
    return {};
  }
  uint64_t end = 0;
  for (const Field& field : {tid_, next_tid_, number}) {
    end = std::max(end, uint64_t{field.offset} + field.size);
  }
  if (end > kMaxRecordSize) return {};
  SchedPlaces places;
  places.kind = is_switch ? SchedPlaces::kSwitch : SchedPlaces::kWakeup;
  places.tid = tid_.offset;
  places.next_tid = next_tid_.offset;
  places.order = format_.order();
  places.number = number.offset;
  if (is_wide && places.order == ByteOrder::kBig) places.number += kHalf;
  places.least = static_cast<uint32_t>(end);
  return places;
}

bool SchedPayloads::ReadSlowly(const Field& field,
                               absl::Span<const uint8_t> raw,
                               int32_t* value) const {
  if (field.layout == nullptr) return false;
  const std::optional<uint64_t> number = format_.Number(*field.layout, raw);
  if (number.has_value()) *value = static_cast<int32_t>(*number);
  return number.has_value();
}

}  // namespace perf2x
