// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TASK_FIELDS_H_
#define PERF2X_EMIT_TASK_FIELDS_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/model/emitter.h"

namespace perf2x {

// The fields of the events "fork" and "exec", the same in all formats. "exit"
// has no fields.

inline std::array<Field, 2> ForkFields(int32_t child_pid, int32_t child_tid) {
  return {Field{"child_pid", int64_t{child_pid}},
          Field{"child_tid", int64_t{child_tid}}};
}

// `name` is the name of the thread after the exec; it must outlive the result.
inline std::array<Field, 1> ExecFields(absl::string_view name) {
  return {Field{"name", name}};
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_TASK_FIELDS_H_
