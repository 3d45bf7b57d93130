// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_NAME_THAT_DOUBLES_H_
#define PERF2X_TESTS_FUZZ_NAME_THAT_DOUBLES_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// Returns a mangled name of a function that is a template of types, each of
// which is made of two of the one before: twice as long at each level.
inline std::string NameThatDoubles(int number, int levels) {
  constexpr absl::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = absl::StrFormat("_Z6f%05dI1AIiiE", number);
  for (int i = 0; i < levels; ++i) {
    absl::StrAppend(&name, "S0_IS", kDigits.substr(i + 1, 1), "_S",
                    kDigits.substr(i + 1, 1), "_E");
  }
  return name + "Evv";
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_NAME_THAT_DOUBLES_H_
