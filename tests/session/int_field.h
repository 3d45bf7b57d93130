// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SESSION_INT_FIELD_H_
#define PERF2X_TESTS_SESSION_INT_FIELD_H_

#include <cstdint>
#include <string>
#include <utility>

#include "converter/tracepoint/format.h"

namespace perf2x {

// A tracepoint's field of type `int`.
inline TracepointFieldLayout IntField(std::string name, uint32_t offset) {
  TracepointFieldLayout layout;
  layout.name = std::move(name);
  layout.offset = offset;
  layout.size = 4;
  layout.is_signed = true;
  return layout;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SESSION_INT_FIELD_H_
