// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_USED_STRINGS_H_
#define PERF2X_EMIT_USED_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"

namespace perf2x {

// The string table of an output. Numbers the output's strings from 0 in order
// of first use; 0 is the empty string. Not thread-safe.
class UsedStrings {
 public:
  // New strings are interned into `table`, which must outlive this.
  explicit UsedStrings(StringTable& table) : table_(table) {
    IndexOf(StringId{0});
  }

  // Returns the index of a string in the output. Adds the string on first use.
  // A StringId must be in `table`.
  int64_t IndexOf(StringId id) {
    if (id >= indexes_.size()) indexes_.resize(table_.size(), kNoIndex);
    uint32_t& index = indexes_[id];
    if (index == kNoIndex) {
      index = static_cast<uint32_t>(ids_.size());
      ids_.push_back(id);
    }
    return index;
  }
  // As above, for any text.
  int64_t IndexOf(absl::string_view s) { return IndexOf(table_.Intern(s)); }

  // Returns the number of strings, the empty one included.
  size_t size() const { return ids_.size(); }
  // Returns the string with an index below size().
  absl::string_view operator[](size_t index) const {
    return table_[ids_[index]];
  }

 private:
  static constexpr uint32_t kNoIndex = ~0u;

  StringTable& table_;
  std::vector<uint32_t> indexes_;  // by id
  std::vector<StringId> ids_;      // by index
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_USED_STRINGS_H_
