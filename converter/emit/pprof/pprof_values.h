// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_VALUES_H_
#define PERF2X_EMIT_PPROF_PPROF_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

// The sample_type list of a profile, and the values of a sample in that order:
// 1. if an event has Event::minus, the difference of the two events' periods,
//    which is signed;
// 2. for each derived event, the sum of periods;
// 3. for each other event, the number of samples and the sum of periods;
// 4. for each event that several core PMUs of a hybrid processor count, both
//    values summed over the PMUs.
class PprofValues {
 public:
  // One entry of sample_type, or two: see has_samples.
  struct Type {
    std::string name;
    EventId event = 0;  // the event whose unit and period the type has
    // If set, there are two values: the number of samples, then the sum of
    // periods. Else there is only the sum of periods.
    bool has_samples = true;
    size_t value = 0;  // index of the first value
  };

  // `sampled[event]` is true if the event has samples; `sampled` may be shorter
  // than `events`. Events without samples are not in types(): they would be
  // noise in pprof's menu. If no event has samples, types() has all but dummy
  // events.
  PprofValues(const std::vector<Event>& events,
              const std::vector<bool>& sampled);

  // Returns the types, each with one or two values.
  const std::vector<Type>& types() const { return types_; }
  // Returns the type that pprof shows by default. This is the difference, if
  // there is one. Otherwise it is the sum over PMUs that includes the first
  // type's event. Otherwise it is the first type. types() must not be empty.
  const Type& default_type() const;
  // Returns the number of values of all types.
  size_t size() const { return size_; }
  // Adds `count` samples of `event` to `values`. `period` is the sum of their
  // periods. `values` must have size() elements. `event` must be in types().
  // `period` is first divided by Event::mean_of and rounded. Sums of periods
  // saturate at the largest int64.
  void Add(EventId event, uint64_t count, uint64_t period,
           absl::Span<uint64_t> values) const {
    const uint64_t mean_of = mean_of_[event];
    if (mean_of > 1)
      period = period / mean_of + (period % mean_of * 2 >= mean_of);
    AddAt(place_of_[event], count, period, values);
    if (difference_.has_value()) AddDifference(event, period, values);
    if (sum_of_[event] != kNoId) AddAt(sum_of_[event], count, period, values);
  }

 private:
  void AddType(std::string name, EventId event, bool has_samples);
  void AddSums(absl::Span<const Event> events);
  void FindDifference(absl::Span<const Event> events);
  // Negative values are two's complements, as protobuf encodes them.
  void AddDifference(EventId event, uint64_t period,
                     absl::Span<uint64_t> values) const {
    if (event == difference_->from) values[0] += period;
    if (event == difference_->minus) values[0] -= period;
  }
  void AddAt(uint32_t index, uint64_t count, uint64_t period,
             absl::Span<uint64_t> values) const {
    constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
    const Type& type = types_[index];
    if (type.has_samples) values[type.value] += count;
    uint64_t& sum = values[type.value + (type.has_samples ? 1 : 0)];
    sum = period > kMax - sum ? kMax : sum + period;
  }

  struct Difference {
    EventId from, minus;
  };
  std::optional<Difference> difference_;  // the first type, if any
  std::vector<Type> types_;
  size_t size_ = 0;                          // values of all types
  std::vector<uint32_t> place_of_, sum_of_;  // in types_, by event; or kNoId
  std::vector<uint64_t> mean_of_;            // by event
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_VALUES_H_
