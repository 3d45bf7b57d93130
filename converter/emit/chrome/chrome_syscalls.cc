#include "converter/emit/chrome/chrome_syscalls.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/emit/chrome/syscall_names.h"

namespace perf2x {

std::string ChromeSyscalls::NameOf(absl::string_view rest,
                                   Fields fields) const {
  if (absl::ConsumePrefix(&rest, "_")) return std::string(rest);
  for (const Field& field : fields) {
    if (field.name != "id") continue;
    const auto* as_signed = std::get_if<int64_t>(&field.value);
    const auto* as_unsigned = std::get_if<uint64_t>(&field.value);
    const uint64_t id = as_signed     ? static_cast<uint64_t>(*as_signed)
                        : as_unsigned ? *as_unsigned
                                      : 0;
    const absl::string_view name = SyscallName(arch_, id);
    if (!name.empty()) return std::string(name);
    return absl::StrCat("syscall ", static_cast<int64_t>(id));
  }
  return "";
}

void ChromeSyscalls::Sample(absl::string_view event, TrackId track,
                            uint64_t time, Fields fields) {
  const bool raw = absl::ConsumePrefix(&event, "raw_syscalls:");
  if (!raw && !absl::ConsumePrefix(&event, "syscalls:")) return;
  const bool enter = absl::ConsumePrefix(&event, "sys_enter");
  if (!enter && !absl::ConsumePrefix(&event, "sys_exit")) return;
  if (track >= calls_.size()) calls_.resize(track + 1);
  Call& call = calls_[track];
  const std::string name = NameOf(event, fields);
  if (enter) {
    // Where both kinds of tracepoint tell of a call, one is enough. A call that
    // was never left (exit, a lost record) gives way.
    if (raw || !call.raw || call.name.empty()) call = {name, raw, time};
    return;
  }
  if (call.name.empty() || call.raw != raw || name != call.name) return;
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
