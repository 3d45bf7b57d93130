// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_ORIGIN_FACTS_H_
#define PERF2X_EMIT_ORIGIN_FACTS_H_

#include "absl/strings/str_join.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Calls visit(key, text) for each fact about where and by which command a
// recording was made. Serves formats whose metadata are key-value pairs. The
// text is empty if the fact is not known.
template <class Visit>
void ForEachOriginFact(const TraceInfo& info, Visit visit) {
  visit("hostname", info.hostname);
  visit("os_release", info.os_release);
  visit("arch", info.arch);
  visit("cpu", info.cpu_description);
  visit("perf_version", info.perf_version);
  visit("command_line", absl::StrJoin(info.command_line, " "));
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_ORIGIN_FACTS_H_
