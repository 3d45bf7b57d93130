#ifndef PERF2X_BASE_STRING_TABLE_H_
#define PERF2X_BASE_STRING_TABLE_H_

#include <cstdint>
#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// Names a string of a StringTable. 0 is the empty string.
using StringId = uint32_t;

// Keeps each distinct string once and numbers them in order of arrival.
class StringTable {
 public:
  StringTable() { Intern(""); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  StringId Intern(absl::string_view s) {
    auto it = ids_.find(s);
    if (it != ids_.end()) return it->second;
    strings_.emplace_back(s);
    StringId id = static_cast<StringId>(strings_.size() - 1);
    ids_.emplace(strings_.back(), id);
    return id;
  }
  // Valid as long as the table.
  absl::string_view operator[](StringId id) const { return strings_[id]; }
  size_t size() const { return strings_.size(); }

 private:
  std::deque<std::string> strings_;  // elements never move
  absl::flat_hash_map<absl::string_view, StringId> ids_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_STRING_TABLE_H_
