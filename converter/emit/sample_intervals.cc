// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sample_intervals.h"

#include <algorithm>
#include <utility>

namespace perf2x {
namespace {

constexpr uint64_t kFirstGuess = 1'000'000;
constexpr uint64_t kMinInterval = 1'000;
constexpr uint64_t kMaxInterval = 1'000'000'000;

}  // namespace

SampleIntervals::SampleIntervals(const Event& event)
    : is_time_(HasTimePeriods(event.kind)), guess_(kFirstGuess) {
  if (event.period > 0 && event.period_is_frequency) {
    fixed_ = std::max(1'000'000'000 / event.period, kMinInterval);
  }
}

uint64_t SampleIntervals::IntervalOf(const Sample& sample, TrackId track) {
  if (is_time_ && sample.period > 1) {
    return std::clamp(sample.period, kMinInterval, kMaxInterval);
  }
  if (fixed_ != 0) return fixed_;
  if (!sample.time.has_value()) return guess_;
  if (track >= last_.size()) last_.resize(track + 1);
  const uint64_t before = std::exchange(last_[track], *sample.time);
  if (before != 0 && *sample.time > before) {
    const uint64_t distance = *sample.time - before;
    const uint64_t step = guess_ / 8;
    guess_ = distance > guess_ ? guess_ + step : guess_ - step;
    guess_ = std::clamp(guess_, kMinInterval, kMaxInterval);
  }
  return guess_;
}

}  // namespace perf2x
