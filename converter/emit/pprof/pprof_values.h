// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_VALUES_H_
#define PERF2X_EMIT_PPROF_PPROF_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

// The sample_type list of a profile: two values for each event, its number of
// samples and the sum of their periods. Events of one name on several core PMUs
// of a hybrid processor have two more for their sum.
class PprofValues {
 public:
  struct Type {
    std::string name;
    EventId event = 0;  // the event that has its unit and period
  };

  // `sampled` is true, by event, for events with samples. Other events would be
  // noise in pprof's menu; if no event has samples, all but dummy events are
  // listed.
  PprofValues(const std::vector<Event>& events,
              const std::vector<bool>& sampled);

  // Returns the types; each has two values.
  const std::vector<Type>& types() const { return types_; }
  // Returns the default type: the sum that includes the first event, else the
  // first event. types() must not be empty.
  const Type& shown_first() const;
  size_t size() const { return types_.size() * 2; }
  // Adds samples of `event` to `values`, which has size() elements. `event`
  // must be in types().
  void Add(EventId event, uint64_t count, uint64_t period,
           absl::Span<uint64_t> values) const {
    AddAt(place_of_[event], count, period, values);
    if (sum_of_[event] != kNoId) AddAt(sum_of_[event], count, period, values);
  }

 private:
  void AddSums(absl::Span<const Event> events);
  static void AddAt(uint32_t type, uint64_t count, uint64_t period,
                    absl::Span<uint64_t> values) {
    constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
    uint64_t& sum = values[size_t{type} * 2 + 1];
    values[size_t{type} * 2] += count;
    sum = period > kMax - sum ? kMax : sum + period;
  }

  std::vector<Type> types_;
  std::vector<uint32_t> place_of_, sum_of_;  // in types_, by event; or kNoId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_VALUES_H_
