// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_syscalls.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/emit/chrome/syscall_names.h"

namespace perf2x {

std::string ChromeSyscalls::NameByNumber(Fields fields) const {
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

void ChromeSyscalls::OnSample(const TracepointUse& use, TrackId track,
                              uint64_t time, Fields fields) {
  const bool enter = use.role == TracepointRole::kSyscallEnter;
  if (!enter && use.role != TracepointRole::kSyscallExit) return;
  const bool by_number = use.syscall.empty();
  if (track >= calls_.size()) calls_.resize(track + 1);
  Call& call = calls_[track];
  const std::string name = by_number ? NameByNumber(fields) : use.syscall;
  if (enter) {
    // If both kinds of tracepoint were recorded, those with numbers count. A
    // call without an exit (the thread exited, a record was lost) is dropped.
    if (by_number || !call.by_number || call.name.empty()) {
      call = {name, by_number, time};
    }
    return;
  }
  if (call.name.empty() || call.by_number != by_number || name != call.name) {
    return;
  }
  const ChromeTrack row = tracks_.track(track);
  if (own_rows_) {
    trace_.AsyncSlice(name, "syscall", row, static_cast<uint64_t>(row.tid),
                      call.begin, std::max(call.begin, time),
                      [](JsonWriter&) {});
  } else {
    trace_.Slice(name, "syscall", row, call.begin, std::max(call.begin, time));
  }
  call.name.clear();
}

}  // namespace perf2x
