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

// A recording that a page shows. Owns nothing; no pointer is null.
struct ShownRecording {
  const HtmlRecording* recording;
  const EntryTable* entries;  // the recording's samples, after EntryTable::Fit
  absl::Span<const Advice> advice;  // on this recording
};

// Returns the title of the page: the recorded command or, if it is not known,
// the input's name. The text is plain (AsPlainText), and cut at 100 bytes with
// "…" appended. Does not escape for HTML.
std::string PageTitle(const TraceInfo& info);

// Returns the JSON that describes a page (docs/html.md). `shown` is the page's
// recording and, in a comparison, its base; at least one.
std::string PageMeta(const PageEvents& events, const PrunedTree& tree,
                     const std::vector<ShownRecording>& shown);

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_META_H_
