#include "tests/support/counting_emitter.h"

namespace perf2x {
namespace {

class CountingEmitter final : public Emitter {
 public:
  absl::Status Begin(const ProfileInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample&) override { return absl::OkStatus(); }
  absl::Status Finish(const ProfileSummary&) override {
    return absl::OkStatus();
  }
};

}  // namespace

EmitterInfo CountingEmitterInfo() {
  EmitterInfo info{};
  info.name = "count";
  info.extension = "";
  info.summary = "";
  info.make =
      [](const EmitterContext&) -> absl::StatusOr<std::unique_ptr<Emitter>> {
    return std::make_unique<CountingEmitter>();
  };
  return info;
}

}  // namespace perf2x
