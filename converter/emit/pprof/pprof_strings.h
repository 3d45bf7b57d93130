#ifndef PERF2X_EMIT_PPROF_PPROF_STRINGS_H_
#define PERF2X_EMIT_PPROF_PPROF_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"

namespace perf2x {

// The string table of a pprof profile: those strings of another table that it
// needs, numbered in the order in which they are asked for. 0 is the empty
// string.
class PprofStrings {
 public:
  // `table` must outlive this. What it does not have yet is added to it.
  explicit PprofStrings(StringTable& table) : table_(table) { Of(StringId{0}); }

  int64_t Of(StringId id) {
    if (id >= number_of_.size()) number_of_.resize(table_.size(), kNoNumber);
    uint32_t& number = number_of_[id];
    if (number == kNoNumber) {
      number = static_cast<uint32_t>(in_order_.size());
      in_order_.push_back(id);
    }
    return number;
  }
  int64_t Of(absl::string_view s) { return Of(table_.Intern(s)); }

  size_t size() const { return in_order_.size(); }
  absl::string_view operator[](size_t number) const {
    return table_[in_order_[number]];
  }

 private:
  static constexpr uint32_t kNoNumber = ~0u;

  StringTable& table_;
  std::vector<uint32_t> number_of_;  // by id
  std::vector<StringId> in_order_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_STRINGS_H_
