// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/sample_profile.h"

#include <string.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/model/model.h"

namespace perf2x {
namespace {

// Text is written in blocks of this size: names may be long and may repeat.
constexpr size_t kBlockSize = 1 << 16;

// Components have 5 or 12 bits after a bit that is 0; an empty one is a bit
// that is 1.
uint32_t FirstComponent(uint32_t encoded) {
  if ((encoded & 1) != 0) return 0;
  const uint32_t value = encoded >> 1;
  return (value & 0x20) != 0 ? (value >> 1 & 0xfe0) | (value & 0x1f)
                             : value & 0x1f;
}

uint32_t WithoutFirst(uint32_t encoded) {
  if ((encoded & 1) != 0) return encoded >> 1;
  constexpr int kShort = 7, kLong = 14;
  return encoded >> ((encoded & 0x40) != 0 ? kLong : kShort);
}

// The discriminator of a pseudo probe (LLVM's PseudoProbe.h), or one of GCC
// that looks so: LLVM takes it for one.
bool IsProbe(uint32_t encoded) {
  return (encoded & 7) == 7 && encoded != ~uint32_t{0};
}

// Returns the base discriminator in a probe's, or else the probe's number.
uint32_t BaseOfProbe(uint32_t encoded) {
  constexpr uint32_t kHasBase = 1 << 28;
  return (encoded & kHasBase) != 0 ? (encoded >> 16) & 7
                                   : (encoded >> 3) & 0xffff;
}

// Functions that compilers make, of the same name in each file.
bool IsAmbiguous(absl::string_view name) {
  return absl::StartsWith(name, "__cxx_global_var_init") ||
         absl::StartsWith(name, "__tls_init");
}

void AppendPlace(uint32_t line_offset, uint32_t discriminator,
                 std::string* text) {
  absl::StrAppend(text, line_offset);
  if (discriminator != 0) absl::StrAppend(text, ".", discriminator);
  absl::StrAppend(text, ": ");
}

// Appends a name, which must not end its line or its field.
void AppendName(absl::string_view name, std::string* text) {
  for (const char c : name) {
    const bool splits = absl::ascii_isspace(c) || absl::ascii_iscntrl(c);
    text->push_back(splits ? '?' : c);
  }
}

uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~uint64_t{0} : product;
}

}  // namespace

Discriminator Discriminator::Decode(uint32_t encoded) {
  const uint32_t copies = FirstComponent(WithoutFirst(encoded));
  return {IsProbe(encoded) ? BaseOfProbe(encoded) : FirstComponent(encoded),
          std::max<uint32_t>(copies, 1)};
}

absl::string_view CanonicalName(absl::string_view name) {
  for (const absl::string_view suffix : {".llvm.", ".part."}) {
    const void* const dot = memrchr(name.data(), '.', name.size());
    if (dot == nullptr) break;
    const auto end =
        static_cast<size_t>(static_cast<const char*>(dot) - name.data()) + 1;
    if (absl::EndsWith(name.substr(0, end), suffix)) {
      name = name.substr(0, end - suffix.size());
    }
  }
  return name;
}

Discriminator SampleProfile::DecodedOf(const CodeLine& line) const {
  return reader_ == Reader::kGcc ? Discriminator{line.discriminator, 1}
                                 : Discriminator::Decode(line.discriminator);
}

SampleProfile::Place SampleProfile::PlaceOf(const CodeLine& line) const {
  return {line.line_offset, DecodedOf(line).base};
}

bool SampleProfile::HasRoom(bool is_new) {
  constexpr uint64_t kOfPart = 160, kAtOnce = 256;
  if (!is_new) return true;
  if (budget_.exhausted()) {
    ++skipped_;
    return false;
  }
  if (++kept_ % kAtOnce == 0) memory_.Set(kept_ * kOfPart);
  return true;
}

SampleProfile::NameId SampleProfile::Intern(absl::string_view name) {
  const std::pair place(name.data(), name.size());
  if (const auto it = known_.find(place); it != known_.end()) return it->second;
  if (!HasRoom(true)) return kNoId;
  // A name is searched, hashed and, when it is written, compared.
  constexpr size_t kLong = 1024;
  if (name.size() > kLong) budget_.Spend(Budget::kWork, name.size() / 2);
  const absl::string_view canonical =
      reader_ == Reader::kGcc ? NameForGcc(name) : CanonicalName(name);
  const auto [it, is_new] =
      ids_.try_emplace(canonical, static_cast<NameId>(names_.size()));
  if (is_new) names_.push_back(canonical);
  known_.emplace(place, it->second);
  return it->second;
}

SampleProfile::Function* SampleProfile::Innermost(Lines lines, uint64_t total) {
  if (lines.empty()) return nullptr;
  const NameId outermost = Intern(lines[0].function);
  if (outermost == kNoId || !HasRoom(!functions_.contains(outermost))) {
    return nullptr;
  }
  Function* function = &functions_[outermost];
  function->total = SaturatingAdd(function->total, total);
  for (size_t i = 1; i < lines.size(); ++i) {
    auto& at_call = function->inlined[PlaceOf(lines[i - 1])];
    const NameId name = Intern(lines[i].function);
    if (name == kNoId || !HasRoom(!at_call.contains(name))) return nullptr;
    function = &at_call[name];
    function->total = SaturatingAdd(function->total, total);
  }
  return function;
}

void SampleProfile::AddInstruction(Lines lines, uint64_t count, uint32_t size) {
  Function* const function = Innermost(lines, SaturatingMultiply(count, size));
  if (function == nullptr) return;
  const Discriminator d = DecodedOf(lines.back());
  const Place place = {lines.back().line_offset, d.base};
  if (!HasRoom(!function->lines.contains(place))) return;
  Line& line = function->lines[place];
  line.count = std::max(line.count, SaturatingMultiply(count, d.duplication));
}

void SampleProfile::AddCall(Lines lines, absl::string_view callee,
                            uint64_t count) {
  Function* const function = Innermost(lines, 0);
  if (function == nullptr) return;
  const Place place = PlaceOf(lines.back());
  const NameId name = Intern(callee);
  if (name == kNoId) return;
  const auto line = function->lines.find(place);
  const bool is_new =
      line == function->lines.end() || !line->second.calls.contains(name);
  if (!HasRoom(is_new)) return;
  uint64_t& calls = function->lines[place].calls[name];
  calls = SaturatingAdd(calls, count);
}

void SampleProfile::AddHead(absl::string_view function, uint64_t count) {
  const NameId name = Intern(function);
  if (name == kNoId || !HasRoom(!functions_.contains(name))) return;
  uint64_t& head = functions_[name].head;
  head = SaturatingAdd(head, count);
}

void SampleProfile::RankNames() {
  std::vector<NameId> ids(names_.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::sort(ids.begin(), ids.end(),
            [&](NameId a, NameId b) { return names_[a] < names_[b]; });
  rank_.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    rank_[ids[i]] = static_cast<uint32_t>(i);
  }
}

bool SampleProfile::MayWrite() {
  if (budget_.left(Budget::kOutput) > 0) return true;
  ++unwritten_;
  return false;
}

absl::Status SampleProfile::Flush(size_t min_size, Output& output) {
  if (text_.size() < min_size) return absl::OkStatus();
  RETURN_IF_ERROR(output.Write(text_));
  text_.clear();
  return absl::OkStatus();
}

absl::Status SampleProfile::WriteCalls(const Line& line, Output& output) {
  auto calls = InOrderOfNames(line.calls);
  std::stable_sort(
      calls.begin(), calls.end(),
      [](const auto* a, const auto* b) { return a->second > b->second; });
  for (const auto* call : calls) {
    if (!MayWrite()) continue;
    text_.push_back(' ');
    AppendName(names_[call->first], &text_);
    absl::StrAppend(&text_, ":", call->second);
    RETURN_IF_ERROR(Flush(kBlockSize, output));
  }
  text_.push_back('\n');
  return absl::OkStatus();
}

absl::Status SampleProfile::WriteLines(const Function& function, size_t indent,
                                       Output& output) {
  const std::string blanks(indent + 1, ' ');
  for (const auto& [place, line] : function.lines) {
    if (!MayWrite()) continue;
    text_.append(blanks);
    AppendPlace(place.line_offset, place.discriminator, &text_);
    absl::StrAppend(&text_, line.count);
    RETURN_IF_ERROR(WriteCalls(line, output));
  }
  for (const auto& [place, callees] : function.inlined) {
    for (const auto* callee : InOrderOfNames(callees)) {
      const absl::string_view name = names_[callee->first];
      if (IsAmbiguous(name) || !MayWrite()) continue;
      text_.append(blanks);
      AppendPlace(place.line_offset, place.discriminator, &text_);
      AppendName(name, &text_);
      absl::StrAppend(&text_, ":", callee->second.total, "\n");
      RETURN_IF_ERROR(Flush(kBlockSize, output));
      RETURN_IF_ERROR(WriteLines(callee->second, indent + 1, output));
    }
  }
  return Flush(kBlockSize, output);
}

absl::Status SampleProfile::Write(Output& output) {
  RankNames();
  auto functions = InOrderOfNames(functions_);
  // The top functions' own lines: calls may exceed what ranges counted, when
  // stacks ended there.
  for (auto* const function : functions) {
    for (auto& [place, line] : function->second.lines) {
      uint64_t calls = 0;
      for (const auto& [callee, count] : line.calls) {
        calls = SaturatingAdd(calls, count);
      }
      line.count = std::max(line.count, calls);
    }
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto* a, const auto* b) {
                     return a->second.total > b->second.total;
                   });
  for (const auto* function : functions) {
    const absl::string_view name = names_[function->first];
    if (IsAmbiguous(name) || !MayWrite()) continue;
    AppendName(name, &text_);
    absl::StrAppend(&text_, ":", function->second.total, ":",
                    function->second.head, "\n");
    RETURN_IF_ERROR(WriteLines(function->second, 0, output));
  }
  return Flush(1, output);
}

}  // namespace perf2x
