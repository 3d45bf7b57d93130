// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_PAGE_META_H_
#define PERF2X_EMIT_HTML_PAGE_META_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/emit/html/entry_table.h"
#include "converter/emit/html/page_events.h"
#include "converter/emit/html/pruned_tree.h"
#include "converter/emit/html/recording.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A recording and its samples as the page has them.
struct ShownRecording {
  const HtmlRecording* recording;
  const EntryTable* entries;
  absl::Span<const Advice> advice;
};

// Returns the title of the page, as plain text.
std::string PageTitle(const TraceInfo& info);

// Returns the JSON that describes a page of a recording and, if there are two,
// its base.
std::string PageMeta(const PageEvents& events, const PrunedTree& tree,
                     const std::vector<ShownRecording>& shown);

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_META_H_
