// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CSV_PATH_TEXTS_H_
#define PERF2X_EMIT_CSV_PATH_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/base/stable_array.h"
#include "converter/emit/call_path_names.h"
#include "converter/emit/path_numbers.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The cells of call paths in CSV: the names of a path from the root to the
// leaf, separated by ";" (see CallPathNames), in quotes if a name requires them
// (see csv_text.h). The text of a name is made once. A path whose names take
// more than 4 MiB has no outermost names, but always its leaf.
//
// One thread calls all functions but Write. Charges memory to the budget.
class PathTexts {
 public:
  // What the text of a path consists of.
  struct Text {
    const uint32_t* sites;  // leaf first, see PathNumbers::SitesOf
    uint32_t count : 29;    // of sites
    uint32_t quoted : 1;
    uint32_t formula : 1;  // begins with an apostrophe, see csv_text.h
    uint32_t cut : 1;      // without its outermost names
    uint32_t size;         // of the whole text, in bytes
  };

  // All must outlive this.
  PathTexts(const TraceTables& tables, const PathNumbers& numbers,
            Budget& budget)
      : tables_(tables),
        numbers_(numbers),
        names_(tables.strings),
        memory_(budget) {}

  // Returns the text of a path, which is below PathNumbers::size(). Valid as
  // long as `numbers`.
  Text TextOf(uint32_t path) {
    if (path >= texts_.size()) AddTexts(path);
    cut_ += texts_[path].cut;
    return texts_[path];
  }
  // Hints that TextOf(path) comes soon.
  void PrefetchText(uint32_t path) const {
    if (path < texts_.size()) Prefetch(&texts_[path]);
  }
  // Writes the Text::size bytes of a text that TextOf has returned. Returns
  // their end. Any thread may call it, while another calls TextOf.
  char* Write(const Text& text, char* to) const;
  // Adds the number of texts from TextOf without outermost names to
  // `diagnostics`, which may be null. To be called once.
  void Report(Diagnostics* diagnostics) const;

 private:
  // The name of a call site, with each '"' twice.
  struct Name {
    const char* data;
    uint32_t size;
    bool quoted;  // requires quotes around the cell
  };

  void AddTexts(uint32_t path);
  void AddNames(absl::Span<const uint32_t> sites);
  Text Make(absl::Span<const uint32_t> sites) const;
  Name NameOf(StringId name);
  void Account();

  const TraceTables& tables_;
  const PathNumbers& numbers_;
  CallPathNames names_;
  Budget::Share memory_;
  StableArray<Name> names_of_sites_;
  std::vector<Name> names_by_id_;    // without data: not made yet
  std::deque<std::string> doubled_;  // names with '"'
  size_t doubled_bytes_ = 0;
  std::vector<Text, HugePageAllocator<Text>> texts_;  // by path
  size_t accounted_ = 0;  // texts and names of sites at the last Account
  uint64_t cut_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CSV_PATH_TEXTS_H_
