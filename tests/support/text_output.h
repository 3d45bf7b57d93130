// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_TEXT_OUTPUT_H_
#define PERF2X_TESTS_SUPPORT_TEXT_OUTPUT_H_

#include <memory>
#include <string>

#include "converter/base/output.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Keeps what a format writes: of a format of several files, all of them.
class TextOutput final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return MakeStringOutput(&text);
  }
  std::string text;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_TEXT_OUTPUT_H_
