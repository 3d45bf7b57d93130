// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_PAGE_COLUMNS_H_
#define PERF2X_EMIT_HTML_PAGE_COLUMNS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"
#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/columns.h"
#include "converter/emit/html/pruned_tree.h"
#include "converter/emit/html/recording.h"

namespace perf2x {

// Numbers the strings of a tree that a page uses. Not thread-safe.
class PageNames {
 public:
  explicit PageNames(const StringTable& strings)
      : strings_(strings), numbers_(strings.size(), kNoId) {
    NumberOf(0);
  }
  // Returns the number of a string on the page; 0 for the empty string.
  uint32_t NumberOf(StringId id) {
    uint32_t& number = numbers_[id];
    if (number == kNoId) {
      number = static_cast<uint32_t>(texts_.size());
      texts_.push_back(strings_[id]);
    }
    return number;
  }
  // By number.
  const std::vector<absl::string_view>& texts() const { return texts_; }

 private:
  const StringTable& strings_;
  std::vector<uint32_t> numbers_;
  std::vector<absl::string_view> texts_;
};

// Adds the columns of nodes, and of the functions and DSOs that they use.
// docs/html.md describes the columns of this function and those below.
void AddTreeColumns(const CallTree& tree, const PrunedTree& cut,
                    PageNames* names, ColumnBlock* block);
// Adds the columns of the sums of each node. Their names begin with `prefix`.
void AddSelfColumns(absl::string_view prefix, const std::vector<SelfSum>& sums,
                    ColumnBlock* block);
// Adds the columns of processes and threads.
void AddThreadColumns(const HtmlRecording& recording, PageNames* names,
                      ColumnBlock* block);
// Adds the times at which threads started and ended. `start` is the time of the
// first bin.
void AddThreadTimes(const HtmlRecording& recording, uint64_t start,
                    ColumnBlock* block);
// Adds the names that the other columns use. Call this last.
void AddStrings(const PageNames& names, ColumnBlock* block);

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_COLUMNS_H_
