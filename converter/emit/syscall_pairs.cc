// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/syscall_pairs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/emit/syscall_names.h"

namespace perf2x {

std::string SyscallPairs::NameByNumber(Fields fields) const {
  for (const Field& field : fields) {
    if (field.name != "id") continue;
    const auto* as_signed = std::get_if<int64_t>(&field.value);
    const auto* as_unsigned = std::get_if<uint64_t>(&field.value);
    if (as_signed == nullptr && as_unsigned == nullptr) break;
    const uint64_t id =
        as_signed != nullptr ? static_cast<uint64_t>(*as_signed) : *as_unsigned;
    const absl::string_view name = SyscallName(arch_, id);
    if (!name.empty()) return std::string(name);
    return absl::StrCat("syscall ", static_cast<int64_t>(id));
  }
  return "";
}

std::optional<SystemCall> SyscallPairs::OnSample(const TracepointUse& use,
                                                 TrackId track, uint64_t time,
                                                 Fields fields) {
  const bool enter = use.role == TracepointRole::kSyscallEnter;
  if (!enter && use.role != TracepointRole::kSyscallExit) return std::nullopt;
  const bool is_raw = use.syscall.empty();
  if (track >= calls_.size()) calls_.resize(track + 1);
  Call& call = calls_[track];
  const std::string name = is_raw ? NameByNumber(fields) : use.syscall;
  if (enter) {
    // If both kinds of tracepoint were recorded, those with numbers count. A
    // call without an exit (the thread exited, a record was lost) is dropped.
    if (is_raw || !call.is_raw || call.name.empty()) {
      call = {name, is_raw, time};
    }
    return std::nullopt;
  }
  if (call.name.empty() || call.is_raw != is_raw || name != call.name) {
    return std::nullopt;
  }
  call.name.clear();
  return SystemCall{name, call.begin, std::max(call.begin, time)};
}

}  // namespace perf2x
