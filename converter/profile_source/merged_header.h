// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_MERGED_HEADER_H_
#define PERF2X_PROFILE_SOURCE_MERGED_HEADER_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/profile_source/profile.h"

namespace perf2x {

// Combines the sample types, comments and single-value fields of several
// profiles by the rules of docs/merging.md. The result depends neither on the
// order of the profiles nor on how they are grouped. Charges no budget. Not
// thread-safe.
class MergedHeader {
 public:
  // The two types of an event that is itself called as a count, such as
  // "x_samples": "x_samples_samples" and, right after it, "x_samples", which
  // must not be taken for the count of "x". All other types have kNone.
  enum class InPair { kNone, kCount, kCounted };
  // A value type. `nth` numbers the types of a profile that are equal in name,
  // unit and `in_pair`, from 0. A type with CountsNext has `nth` 0, and
  // `counted` is the name, unit and `nth` of the next type.
  struct Type {
    std::string type, unit;
    InPair in_pair = InPair::kNone;
    uint32_t nth = 0;
    std::optional<std::tuple<std::string, std::string, uint32_t>> counted =
        std::nullopt;
    friend auto operator<=>(const Type&, const Type&) = default;
  };
  // Returns the value types of one profile, in its order.
  static std::vector<Type> TypesOf(const Profile& profile);

  // Adds the header of a profile. The functions below return the combination of
  // the headers added so far; 0 or empty if there is none.
  void Add(const Profile& profile);

  // Returns the value types. If all profiles have the same list and default,
  // keeps their order. Otherwise sorts the types, with each count before the
  // type that it counts: ProfileEvents then finds the same events.
  const std::vector<Type>& types() const { return types_; }
  // Returns the index in types() of a type that TypesOf returned for an added
  // profile. If several types count the same type, only the first by name keeps
  // `counted` in types().
  size_t IndexOf(const Type& type) const;
  // Returns the name of the default value type; empty: the last of types().
  const std::string& default_type() const { return default_type_; }
  // Returns the earliest time, in ns since 1970; 0: not known.
  int64_t time_nanos() const { return time_nanos_; }
  // Returns the sum of the durations, in ns.
  int64_t duration_nanos() const { return duration_nanos_; }
  // Returns the first of the profiles' period types (type, unit) in
  // alphabetical order; absent if no profile has one.
  const std::optional<std::pair<std::string, std::string>>& period_type()
      const {
    return period_type_;
  }
  // Returns the largest period of the profiles with that period_type().
  int64_t period() const { return period_; }
  // Return the value that all profiles have; empty if they differ.
  const std::string& drop_frames() const { return drop_frames_; }
  const std::string& keep_frames() const { return keep_frames_; }
  const std::string& doc_url() const { return doc_url_; }
  // Returns the comments in three parts. First, facts that all profiles state
  // ("host: …"). Then, sums of comments that begin with a number ("184 samples
  // lost"). Then, all other comments, each once.
  std::vector<std::string> Comments() const;

 private:
  void AddTypes(const Profile& profile);
  void AddPeriod(const Profile& profile);
  void AddComments(const Profile& profile);

  size_t profiles_ = 0;
  std::vector<Type> types_;
  std::string default_type_;  // empty: none, which means the last type
  int64_t time_nanos_ = 0, duration_nanos_ = 0;
  std::optional<std::pair<std::string, std::string>> period_type_;
  int64_t period_ = 0;
  std::string drop_frames_, keep_frames_, doc_url_;
  std::set<std::string> facts_;              // that all profiles state
  std::map<std::string, uint64_t> numbers_;  // by the text after the number
  std::set<std::string> remarks_;
};

// Returns the saturated sum of two values.
constexpr int64_t AddValues(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_MERGED_HEADER_H_
