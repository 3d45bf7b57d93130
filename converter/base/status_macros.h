// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_STATUS_MACROS_H_
#define PERF2X_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Debian 12's Abseil has no such macros of its own.

// If `expr` is an error, returns it from the calling function.
#define RETURN_IF_ERROR(expr)                                       \
  do {                                                              \
    if (absl::Status perf2x_status = (expr); !perf2x_status.ok()) { \
      return perf2x_status;                                         \
    }                                                               \
  } while (false)

// ASSIGN_OR_RETURN(auto x, F()) sets x to *F(), or returns F()'s error from the
// calling function. `x` may also be an existing variable. Expands to several
// statements: not for an `if` without braces.
#define ASSIGN_OR_RETURN(lhs, expr) \
  PERF2X_ASSIGN_OR_RETURN(PERF2X_CONCAT(perf2x_or_, __LINE__), lhs, expr)
#define PERF2X_ASSIGN_OR_RETURN(tmp, lhs, expr)  \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return std::move(tmp).status(); \
  lhs = *std::move(tmp)
#define PERF2X_CONCAT(a, b) PERF2X_CONCAT_(a, b)
#define PERF2X_CONCAT_(a, b) a##b

#endif  // PERF2X_BASE_STATUS_MACROS_H_
