// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CALL_PATH_NAMES_H_
#define PERF2X_EMIT_CALL_PATH_NAMES_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"
#include "converter/base/text.h"

namespace perf2x {

// Escapes names for call paths, in which ";" separates names. A ";" in a name
// becomes ":". Control characters are escaped (AsPlainText). Caches the
// results. Charges no budget; see memory(). Several threads may call operator[]
// at once; otherwise not thread-safe.
class CallPathNames {
 public:
  // `strings` must outlive this.
  explicit CallPathNames(const StringTable& strings) : strings_(strings) {}

  // Returns the escaped name. `name` must be in `strings`. Valid as long as
  // this object.
  absl::string_view TextOf(StringId name) {
    if (name >= texts_.size()) {
      texts_.resize(std::max<size_t>(name + 1, 2 * texts_.size()));
    }
    absl::string_view& text = texts_[name];
    if (text.data() == nullptr) text = Make(name);
    return text;
  }
  // As TextOf. Requires that TextOf was called with `name` before.
  absl::string_view operator[](StringId name) const { return texts_[name]; }

  // Returns the approximate memory, in bytes.
  uint64_t memory() const {
    return texts_.size() * sizeof(texts_[0]) + made_bytes_;
  }

 private:
  absl::string_view Make(StringId name) {
    std::string scratch;
    const absl::string_view plain = AsPlainText(strings_[name], &scratch);
    if (plain.empty()) return "";
    if (plain.data() != scratch.data() && plain.find(';') == plain.npos) {
      return plain;
    }
    std::string& made = made_.emplace_back(plain);
    std::replace(made.begin(), made.end(), ';', ':');
    made_bytes_ += made.size();
    return made;
  }

  const StringTable& strings_;
  std::vector<absl::string_view> texts_;  // by StringId; null: not made yet
  std::deque<std::string> made_;          // texts that differ from the names
  uint64_t made_bytes_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CALL_PATH_NAMES_H_
