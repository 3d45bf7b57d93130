// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_EVENTS_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/model/model.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// perf2x names the counts of "cpu" samples "cpu_samples", with the unit
// "count". Returns the counted type's name ("cpu") if `type` and `unit` have
// this form, else "".
absl::string_view CountedByName(absl::string_view type, absl::string_view unit);
// Returns true if value type `i` counts the samples of type i + 1, as in Go's
// "samples/count, cpu/nanoseconds". Type `i` must have the unit "count" and no
// CountedByName, and type i + 1 another unit.
bool CountsNext(const Profile& profile, size_t i);

// The events that the value types of a profile stand for. An event has one or
// two value types: the period and, optionally, the number of samples. A type
// with CountsNext counts for the next type. A type with a CountedByName counts
// for a type with that name: the next type if it has the name, else the first
// such type without counts. All other types are the periods of events, also if
// CountedByName matches no type.
class ProfileEvents {
 public:
  // Keeps no reference to `profile`.
  explicit ProfileEvents(const Profile& profile);

  // Returns the events by EventId, in the order of their value types.
  const std::vector<Event>& events() const { return events_; }
  // Return an event's number of samples and sum of periods in one sample of the
  // profile; 0 for negative values. If an event has only one value type, both
  // return its value.
  uint64_t CountIn(const ProfileSample& sample, EventId event) const {
    return NotNegative(sample.values[columns_[event].count]);
  }
  uint64_t PeriodIn(const ProfileSample& sample, EventId event) const {
    return NotNegative(sample.values[columns_[event].period]);
  }
  // Returns true if both values are 0.
  bool IsZero(const ProfileSample& sample, EventId event) const {
    return sample.values[columns_[event].count] == 0 &&
           sample.values[columns_[event].period] == 0;
  }
  // Returns true if a value is negative.
  bool IsNegative(const ProfileSample& sample, EventId event) const {
    return sample.values[columns_[event].count] < 0 ||
           sample.values[columns_[event].period] < 0;
  }
  // Sets the event's values to 0.
  void Clear(EventId event, ProfileSample* sample) const {
    sample->values[columns_[event].count] = 0;
    sample->values[columns_[event].period] = 0;
  }

 private:
  struct Columns {
    size_t count = 0, period = 0;  // in ProfileSample::values
  };
  static uint64_t NotNegative(int64_t value) {
    return value < 0 ? 0 : static_cast<uint64_t>(value);
  }

  std::vector<Event> events_;
  std::vector<Columns> columns_;  // by event
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_EVENTS_H_
