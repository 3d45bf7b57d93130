// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/go_lines.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace perf2x {
namespace {

// Values that may be decoded, per byte of the file. Functions share values, but
// in real files not to that extent.
constexpr uint64_t kStepsPerByte = 16;
constexpr size_t kDeepestGoInlining = 200;
// Work for an inlined call, and bytes of its name and path that cost one step
// more: their ends are looked for each time.
constexpr uint64_t kStepsACall = 8, kNameBytesAStep = 64;

// A base-128 number; see readvarint() in Go's runtime/symtab.go.
uint32_t ReadNumber(ByteReader& in) {
  uint32_t number = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const uint8_t byte = in.U8();
    number |= uint32_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return number;
  }
  in.Fail();
  return 0;
}

int32_t ValueAt(const std::vector<GoValue>& values, uint64_t address) {
  const auto it = std::upper_bound(
      values.begin(), values.end(), address,
      [](uint64_t a, const GoValue& value) { return a < value.end; });
  return it == values.end() ? -1 : it->value;
}

}  // namespace

std::vector<GoValue> DecodeGoValues(const GoTable& table,
                                    const GoTable::Function& function,
                                    uint32_t offset, uint64_t* steps) {
  std::vector<GoValue> values;
  if (offset == 0) return values;
  ByteReader in = table.ValuesAt(offset);
  uint64_t at = function.start;
  uint32_t value = ~0u;
  while (at < function.end && (steps == nullptr || *steps > 0)) {
    // The change of the value, zigzag-encoded, and the number of instructions
    // until the next change; see step() in Go's runtime/symtab.go.
    const uint32_t change = ReadNumber(in);
    if (change == 0 && !values.empty()) break;
    value += -(change & 1) ^ (change >> 1);
    const uint64_t length = uint64_t{ReadNumber(in)} * table.quantum();
    if (!in.ok() || length == 0) break;
    at += std::min(length, function.end - at);
    values.push_back({at, static_cast<int32_t>(value)});
    if (steps != nullptr) --*steps;
  }
  return values;
}

GoLines::GoLines(std::shared_ptr<const GoTable> table)
    : table_(std::move(table)),
      steps_left_(kStepsPerByte * table_->file_size()) {}

bool GoLines::Load(uint64_t address) {
  if (index_.has_value() && address >= function_.start &&
      address < function_.end) {
    return usable_;
  }
  const std::optional<size_t> index = table_->FunctionAt(address);
  if (!index.has_value()) return false;
  index_ = index;
  usable_ = table_->ReadFunction(*index, &function_);
  if (!usable_) return false;
  const auto decode = [&](uint32_t offset) {
    return DecodeGoValues(*table_, function_, offset, &steps_left_);
  };
  files_ = decode(function_.files);
  lines_ = decode(function_.lines);
  calls_ = decode(function_.calls);
  if (steps_left_ == 0) skipped_.entries.insert(function_.start);
  return true;
}

void GoLines::Find(uint64_t address, bool inlines,
                   std::vector<DwarfFrame>* frames) {
  if (!Load(address)) return;
  Budget& budget = table_->budget();
  const auto add = [&](uint32_t name, uint32_t start_line) {
    DwarfFrame frame;
    frame.name = table_->NameAt(name);
    frame.file = table_->FileName(function_, ValueAt(files_, address));
    budget.Spend(Budget::kWork,
                 (frame.name.size() + frame.file.size()) / kNameBytesAStep);
    budget.Spend(Budget::kMemory, sizeof(DwarfFrame));
    const int32_t line = ValueAt(lines_, address);
    if (line > 0) frame.line = static_cast<uint32_t>(line);
    frame.start_line = start_line;
    frames->push_back(frame);
  };
  GoTable::InlinedCall call;
  absl::InlinedVector<int32_t, 16> seen;
  while (seen.size() < kDeepestGoInlining && !budget.exhausted()) {
    const int32_t index = ValueAt(calls_, address);
    // In a damaged table, calls are inlined into each other.
    if (std::find(seen.begin(), seen.end(), index) != seen.end() ||
        !table_->ReadInlinedCall(function_, index, &call)) {
      break;
    }
    seen.push_back(index);
    budget.Spend(Budget::kWork, kStepsACall);
    if (inlines) add(call.name, call.start_line);
    // The next frame is the caller's, at the call.
    address = function_.start + call.call_offset;
  }
  if (budget.exhausted()) {
    skipped_.entries.insert(function_.start);
    DwarfFrame frame;
    frame.name = table_->NameAt(function_.name);
    frames->push_back(frame);
    return;
  }
  add(function_.name, function_.start_line);
}

}  // namespace perf2x
