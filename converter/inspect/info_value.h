// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_INFO_VALUE_H_
#define PERF2X_INSPECT_INFO_VALUE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace perf2x {

// A value in the tree that `perf2x info` prints: a JSON value, with object keys
// in insertion order.
class InfoValue {
 public:
  using List = std::vector<InfoValue>;
  using Object = std::vector<std::pair<std::string, InfoValue>>;

  InfoValue() : value_(Object()) {}  // an empty object
  // Implicit, so that a tree is written as its plain values.
  // NOLINTBEGIN(google-explicit-constructor)
  InfoValue(bool v) : value_(v) {}
  InfoValue(uint64_t v) : value_(v) {}
  InfoValue(uint32_t v) : value_(uint64_t{v}) {}
  InfoValue(int32_t v) : value_(int64_t{v}) {}
  InfoValue(double v) : value_(v) {}
  InfoValue(std::string v) : value_(std::move(v)) {}
  InfoValue(absl::string_view v) : value_(std::string(v)) {}
  InfoValue(const char* v) : value_(std::string(v)) {}
  InfoValue(List v) : value_(std::move(v)) {}
  InfoValue(Object v) : value_(std::move(v)) {}
  // NOLINTEND(google-explicit-constructor)

  // Returns the member `key`; inserts it, as an empty object, if it is new.
  // This must be an object. The next insertion invalidates the reference. Takes
  // time linear in the number of members.
  InfoValue& operator[](absl::string_view key) {
    auto& object = std::get<Object>(value_);
    for (auto& [name, value] : object) {
      if (name == key) return value;
    }
    return object.emplace_back(std::string(key), InfoValue()).second;
  }

  // Return null if the value is of another kind.
  const Object* object() const { return std::get_if<Object>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const auto& variant() const { return value_; }

 private:
  std::variant<bool, uint64_t, int64_t, double, std::string, List, Object>
      value_;
};

// Returns `strings` as a list.
inline InfoValue::List ListOf(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

// Returns an object with these members, in this order. A repeated name keeps
// its first place and gets the last value. Takes linear time, unlike repeated
// operator[].
InfoValue ObjectOf(
    const std::vector<std::pair<std::string, std::string>>& members);

// Returns indented JSON that ends with a newline. It is ASCII: other characters
// are escaped, and bytes that are no UTF-8 become U+FFFD. Infinities and NaN
// are strings: "inf", "-inf", "nan".
std::string ToJson(const InfoValue& value);

// Returns text for people: sections of aligned lines, lists of objects as
// tables. Underscores in keys become spaces. Control characters are escaped.
// `value` must be an object.
std::string ToText(const InfoValue& value);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_INFO_VALUE_H_
