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

// Returns the name of the value types whose samples a type with this name and
// unit counts, wherever they stand in a profile: "cpu" for "cpu_samples", as
// perf2x writes them. Empty: its name does not say that.
absl::string_view CountedByName(absl::string_view type, absl::string_view unit);
// Returns true if the value type with the index `i` counts the samples of the
// type after it because of its place: CountedByName is empty, and the type
// after it has another unit, as in Go's "samples/count, cpu/nanoseconds".
bool CountsNext(const Profile& profile, size_t i);

// The events that the value types of a profile stand for. A type that counts
// (unit "count") belongs to the type after it if CountsNext is true, else to
// the first type with the name of CountedByName that no other one counts. Every
// other type is an event by itself.
class ProfileEvents {
 public:
  // Keeps no reference to `profile`.
  explicit ProfileEvents(const Profile& profile);

  // Returns the events in the order of the profile's types, where types that
  // count others have no place. EventIds are indexes in it.
  const std::vector<Event>& events() const { return events_; }
  // Return an event's number of samples and sum of periods in one sample of
  // the profile; 0 for negative values. For an event without a type that
  // counts, both return its one value.
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
