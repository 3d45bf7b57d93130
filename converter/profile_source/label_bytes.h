// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_LABEL_BYTES_H_
#define PERF2X_PROFILE_SOURCE_LABEL_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// The size of an encoded label in bytes, in the machine's byte order.
// Consecutive labels are a label set, which can be interned as a string.
inline constexpr size_t kLabelSize = 3 * sizeof(StringIndex) + sizeof(int64_t);

// Appends a label as kLabelSize bytes.
inline void AppendLabel(const ProfileSample::Label& label, std::string* to) {
  const auto append = [to](const auto& value) {
    to->append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(label.key);
  append(label.str);
  append(label.num_unit);
  append(label.num);
}

// Calls `visit(label)` for each label of a set, in the order of AppendLabel.
template <class F>
void ForEachLabel(absl::string_view set, F visit) {
  for (; !set.empty(); set.remove_prefix(kLabelSize)) {
    ProfileSample::Label label;
    const char* from = set.data();
    const auto take = [&from](auto* value) {
      std::memcpy(value, from, sizeof(*value));
      from += sizeof(*value);
    };
    take(&label.key);
    take(&label.str);
    take(&label.num_unit);
    take(&label.num);
    visit(label);
  }
}

// Orders labels by the StringIndexes of their keys. Labels with equal keys keep
// their order.
inline void SortByKey(std::vector<ProfileSample::Label>* labels) {
  const auto before = [](const ProfileSample::Label& a,
                         const ProfileSample::Label& b) {
    return a.key < b.key;
  };
  if (std::is_sorted(labels->begin(), labels->end(), before)) return;
  std::stable_sort(labels->begin(), labels->end(), before);
}

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_LABEL_BYTES_H_
