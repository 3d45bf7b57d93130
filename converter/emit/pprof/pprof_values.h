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

// Which values the samples of a profile have: two for each event, the number of
// its samples and the sum of their periods. Events of a hybrid processor's core
// PMUs that have one name get two more for their sums.
class PprofValues {
 public:
  struct Type {
    std::string name;
    EventId event = 0;  // whose unit and period it has
  };

  // `sampled` says, by event, which ones have samples. Those without would only
  // be noise in pprof's menu; if no event has any, all but dummies are there.
  PprofValues(const std::vector<Event>& events,
              const std::vector<bool>& sampled);

  // The types, each of which stands for two values.
  const std::vector<Type>& types() const { return types_; }
  // The one to show first: the sum that the first event is part of, else it.
  // types() must not be empty.
  const Type& shown_first() const;
  size_t size() const { return types_.size() * 2; }
  // Adds samples of `event`, which must have some, to `values` of size().
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
