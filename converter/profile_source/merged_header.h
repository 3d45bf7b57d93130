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
#include <vector>

#include "converter/profile_source/profile.h"

namespace perf2x {

// What profiles say about themselves as a whole, combined by the rules of
// docs/merging.md: the result depends neither on the order of the profiles nor
// on how they are grouped. Not thread-safe.
class MergedHeader {
 public:
  // A value type. `nth` counts those of the same name and unit in one profile.
  struct Type {
    std::string type, unit;
    uint32_t nth = 0;
    friend auto operator<=>(const Type&, const Type&) = default;
  };
  static std::vector<Type> TypesOf(const Profile& profile);

  void Add(const Profile& profile);

  // The value types in their final order.
  const std::vector<Type>& types() const { return types_; }
  const std::string& default_type() const { return default_type_; }
  int64_t time_nanos() const { return time_nanos_; }
  int64_t duration_nanos() const { return duration_nanos_; }
  // Type and unit; absent: no profile has one.
  const std::optional<std::pair<std::string, std::string>>& period_type()
      const {
    return period_type_;
  }
  int64_t period() const { return period_; }
  const std::string& drop_frames() const { return drop_frames_; }
  const std::string& keep_frames() const { return keep_frames_; }
  const std::string& doc_url() const { return doc_url_; }
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

// Returns the sum of two values: exact or, if that is no int64, the largest or
// smallest one.
constexpr int64_t AddValues(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_MERGED_HEADER_H_
