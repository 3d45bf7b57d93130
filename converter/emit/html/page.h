// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_PAGE_H_
#define PERF2X_EMIT_HTML_PAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"
#include "converter/emit/html/columns.h"

namespace perf2x {

// Returns the block as a page contains it: compressed with gzip, in base64.
// Threads of `helpers` compress, if it is not null; the result is the same.
absl::StatusOr<std::string> EncodeBlock(const ColumnBlock& block,
                                        HelperPool* helpers);

// Writes a page that contains the viewer and the data, and may load nothing
// else. Its Content-Security-Policy allows only the viewer's script and style,
// by their hashes. All calls return the errors of the output, and leave it
// open. Not thread-safe.
class Page {
 public:
  // `out` must outlive this.
  explicit Page(Output& out) : out_(out) {}

  // The order of calls is: Begin; Data for blocks that the viewer needs at
  // once; Script; Data for all other blocks; End.

  // Writes the start of the page. `title` is plain text; this escapes it.
  absl::Status Begin(absl::string_view title);
  // Writes `block`, a result of EncodeBlock, as an element with this id. `id`
  // is not escaped.
  absl::Status Data(absl::string_view id, absl::string_view block);
  absl::Status Script();
  absl::Status End();

 private:
  Output& out_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_H_
