// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_READ_BACK_PROFILES_H_
#define PERF2X_TESTS_FUZZ_READ_BACK_PROFILES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Check profiles for compilers as their readers in LLVM do. Return what is
// wrong; empty if nothing is.
std::string CheckBolt(absl::string_view text);
std::string CheckProfgen(absl::string_view text);
std::string CheckSampleProfile(absl::string_view text);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_READ_BACK_PROFILES_H_
