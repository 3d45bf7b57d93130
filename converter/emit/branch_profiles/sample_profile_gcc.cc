// SPDX-License-Identifier: Apache-2.0

// The binary form that GCC reads.

#include <cstdint>
#include <string>

#include "converter/base/byte_order.h"
#include "converter/base/status_macros.h"
#include "converter/emit/branch_profiles/sample_profile.h"

namespace perf2x {
namespace {

constexpr size_t kGccBlock = 1 << 16;

void Append32(uint64_t value, std::string* to) {
  uint8_t bytes[sizeof(uint32_t)];
  Store(static_cast<uint32_t>(value), bytes, ByteOrder::kLittle);
  to->append(bytes, bytes + sizeof bytes);
}

void Append64(uint64_t value, std::string* to) {
  Append32(value & 0xffffffff, to);
  Append32(value >> 32, to);
}

// The length of a section; no reader uses it.
void AppendSection(uint32_t tag, size_t items, std::string* to) {
  Append32(tag, to);
  Append32(0, to);
  Append32(items, to);
}

}  // namespace

absl::string_view NameForGcc(absl::string_view name) {
  const size_t dot = name.find('.');
  return dot == name.npos || dot == 0 ? name : name.substr(0, dot);
}

// A function is its name, its lines and the functions inlined into it.
absl::Status SampleProfile::WriteGccFunction(NameId name,
                                             const Function& function,
                                             Output& output) {
  const auto append_place = [this](const Place& place) {
    constexpr uint32_t kMask = 0xffff;
    Append32((place.line_offset & kMask) << 16 | (place.discriminator & kMask),
             &text_);
  };
  uint64_t inlined = 0;
  for (const auto& [place, callees] : function.inlined) {
    inlined += callees.size();
  }
  Append32(GccIndexOf(name), &text_);
  Append32(function.lines.size(), &text_);
  Append32(inlined, &text_);
  for (const auto& [place, line] : function.lines) {
    append_place(place);
    Append32(line.calls.size(), &text_);
    Append64(line.count, &text_);
    for (const auto* call : InOrderOfNames(line.calls)) {
      constexpr uint32_t kIndirectCall = 5;  // type of a value; not used
      Append32(kIndirectCall, &text_);
      Append64(GccIndexOf(call->first), &text_);
      Append64(call->second, &text_);
    }
    RETURN_IF_ERROR(Flush(kGccBlock, output));
  }
  for (const auto& [place, callees] : function.inlined) {
    for (const auto* callee : InOrderOfNames(callees)) {
      append_place(place);
      RETURN_IF_ERROR(WriteGccFunction(callee->first, callee->second, output));
    }
  }
  return Flush(kGccBlock, output);
}

absl::Status SampleProfile::WriteGcc(Output& output) {
  constexpr uint32_t kMagic = 0x67636461, kVersion = 2;  // "gcda"
  constexpr uint32_t kNames = 0xaa000000, kFunctions = 0xac000000,
                     kModules = 0xae000000;
  RankNames();
  Append32(kMagic, &text_);
  Append32(kVersion, &text_);
  Append32(0, &text_);
  // GCC uses no index 0.
  std::vector<absl::string_view> names(names_.size() + 1);
  for (NameId id = 0; id < names_.size(); ++id) {
    names[GccIndexOf(id)] = names_[id];
  }
  AppendSection(kNames, names.size(), &text_);
  for (const absl::string_view name : names) {
    Append32(name.size() + 1, &text_);
    text_.append(name.data(), name.size());
    text_.push_back('\0');
    RETURN_IF_ERROR(Flush(kGccBlock, output));
  }
  AppendSection(kFunctions, functions_.size(), &text_);
  for (const auto* function : InOrderOfNames(functions_)) {
    Append64(function->second.head, &text_);
    RETURN_IF_ERROR(
        WriteGccFunction(function->first, function->second, output));
  }
  AppendSection(kModules, 0, &text_);
  return Flush(1, output);
}

}  // namespace perf2x
