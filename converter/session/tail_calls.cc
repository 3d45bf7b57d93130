// SPDX-License-Identifier: Apache-2.0
#include "converter/session/tail_calls.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace perf2x {
namespace {

bool IsMappedFile(const Dso& dso) {
  return dso.kind == DsoKind::kFile || dso.kind == DsoKind::kVdso;
}

// "f.cold" is a part of f. To a return thunk, the kernel's functions jump in
// place of a return; to an indirect one, in place of an indirect branch.
bool IsPartOfItsCaller(absl::string_view function) {
  return absl::StrContains(function, ".cold") ||
         absl::StartsWith(function, "__x86_") ||
         absl::EndsWith(function, "_return_thunk");
}

}  // namespace

bool TailCalls::Has(ProcessState& process, uint64_t from, uint64_t to) {
  constexpr size_t kMaxJumps = 1 << 14;
  constexpr uint64_t kWorkToFind = 32;  // up to six trees and tables
  work_.Add(1);
  const AddressSpaceId space = spaces_.CurrentIdOf(process);
  if (jumps_.size() >= kMaxJumps) jumps_.clear();
  const auto [it, is_new] = jumps_.try_emplace(Jump(space, from, to));
  if (is_new) {
    work_.Add(kWorkToFind);
    it->second = Find(space, from, to);
  }
  return it->second;
}

bool TailCalls::Find(AddressSpaceId space, uint64_t from, uint64_t to) {
  uint64_t source = 0, target = 0;
  const DsoId dso = spaces_.Locate(space, to, &target);
  const DsoId from_dso = spaces_.Locate(space, from, &source);
  if (dso == kNoId || from_dso == kNoId) return false;
  if (dso != from_dso) {
    return IsMappedFile(tables_.dsos()[dso]) &&
           IsMappedFile(tables_.dsos()[from_dso]);
  }
  const CodeImage* const image = ImageOf(dso);
  if (image == nullptr) return false;
  const std::optional<uint64_t> linked = image->AddressOf(target);
  const std::optional<uint64_t> linked_from = image->AddressOf(source);
  if (!linked.has_value() || !linked_from.has_value()) return false;
  const auto function = image->FunctionAt(*linked);
  if (!function.has_value() || function->start != *linked ||
      IsPartOfItsCaller(function->name)) {
    return false;
  }
  const auto jumps = image->FunctionAt(*linked_from);
  return jumps.has_value() && jumps->start != function->start;
}

const CodeImage* TailCalls::ImageOf(DsoId dso) {
  const auto [it, is_new] = images_.try_emplace(dso);
  if (is_new) it->second = tables_.OpenCode(dso);
  return it->second.get();
}

}  // namespace perf2x
