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

// The strings of a CallTree that a page uses, numbered from 0 in order of first
// use. Number 0 is the empty string. Not thread-safe.
class PageNames {
 public:
  // `strings` must outlive this. NumberOf must not be called for strings that
  // are added to `strings` later.
  explicit PageNames(const StringTable& strings)
      : strings_(strings), numbers_(strings.size(), kNoId) {
    NumberOf(0);
  }
  // Returns the number of a string of the table. A new string gets the next
  // number.
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

// The following append columns to `*block`; docs/html.md describes them. Names
// in the columns are numbers of `*names`.

// Appends the columns of the nodes in `pruned`, and of their functions and
// DSOs. `pruned` must be made of `tree`.
void AddTreeColumns(const CallTree& tree, const PrunedTree& pruned,
                    PageNames* names, ColumnBlock* block);
// Appends the columns of `sums`, which Renumber must have ordered. The columns'
// names begin with `prefix`: "self." or "base.".
void AddSelfColumns(absl::string_view prefix, const std::vector<SelfSum>& sums,
                    ColumnBlock* block);
// Appends the columns of processes and threads, except for the threads' times.
void AddThreadColumns(const HtmlRecording& recording, PageNames* names,
                      ColumnBlock* block);
// Appends the columns of the times at which threads started and ended. `start`
// is EntryTable::start(); earlier times count as `start`.
void AddThreadTimes(const HtmlRecording& recording, uint64_t start,
                    ColumnBlock* block);
// Appends the columns of the strings. To be called after all functions that
// change `names`.
void AddStrings(const PageNames& names, ColumnBlock* block);

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_COLUMNS_H_
