// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SESSION_SAMPLE_PROCESSOR_TEST_H_
#define PERF2X_TESTS_SESSION_SAMPLE_PROCESSOR_TEST_H_

#include <optional>
#include <vector>

#include "converter/session/sample_processor.h"
#include "converter/session/trackers.h"
#include "tests/session/tracker_test.h"

namespace perf2x {

// A selector of samples on one CPU.
class CpuSelector final : public SampleSelector {
 public:
  bool needs_place() const override { return false; }
  bool needs_symbols() const override { return false; }
  void set_symbolizer(Symbolizer*) override {}
  uint32_t max_stack() const override { return 0; }
  uint32_t RankOfEvent(EventId) override { return 0; }
  bool Selects(const Candidate& sample) override { return sample.cpu == 1; }
  absl::Status Check() const override { return absl::OkStatus(); }
};

// The fixture of tests of SampleProcessor.
class SampleProcessorTest : public TrackerTest {
 protected:
  // The processor with all that it refers to; before the first event.
  SampleProcessor& Make(EmitterRequirements requirements = {},
                        SampleSelector* selector = nullptr) {
    own_emitter_.emplace(tables_, requirements);
    trackers_.emplace(SessionDeps{.input = "test",
                                  .attrs = attrs_,
                                  .tables = tables_,
                                  .emitter = *own_emitter_,
                                  .selector = selector,
                                  .environment = environment_,
                                  .budget = budget_,
                                  .diagnostics = diagnostics_});
    return trackers_->samples;
  }
  void AddEvent(const EventAttr& attr, const std::vector<uint64_t>& ids = {}) {
    TrackerTest::AddEvent(attr, ids);
    trackers_->events.Sync();
  }
  // Applies a sample of the only, or first, event.
  absl::Status Apply(const SampleRecord& sample, uint64_t time) {
    return trackers_->samples.Apply(
        Encoded(sample, attrs_.events()[0].attr, kMiscUser), time, {});
  }
  Lines Emitted() { return own_emitter_->Take(); }
  static SampleRecord Of(int32_t tid, uint64_t period = 1) {
    SampleRecord sample;
    sample.pid = 7;
    sample.tid = tid;
    sample.cpu = 1;
    sample.ip = 0x1000;
    sample.period = period;
    return sample;
  }
  static constexpr uint64_t kType =
      kSampleIp | kSampleTid | kSampleCpu | kSamplePeriod;

  Budget budget_;
  std::optional<RecordingEmitter> own_emitter_;
  std::optional<Trackers> trackers_;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SESSION_SAMPLE_PROCESSOR_TEST_H_
