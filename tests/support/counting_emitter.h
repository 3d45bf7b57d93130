#ifndef PERF2X_TESTS_SUPPORT_COUNTING_EMITTER_H_
#define PERF2X_TESTS_SUPPORT_COUNTING_EMITTER_H_

#include "converter/profile/emitter.h"

namespace perf2x {

// A format that writes nothing: for tests of what comes before the emitters.
EmitterInfo CountingEmitterInfo();

// Outputs that no one may open.
class NoOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return absl::InternalError("no output here");
  }
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_COUNTING_EMITTER_H_
