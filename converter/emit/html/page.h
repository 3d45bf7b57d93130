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

// Returns the block as the page has it: gzip in base64. With `on_thread`,
// compresses on a thread of its own.
absl::StatusOr<std::string> EncodeBlock(const ColumnBlock& block,
                                        bool on_thread);

// Writes a page that holds the viewer and data, and may load nothing else. Its
// Content-Security-Policy allows only the viewer's script and style, by their
// hashes. Not thread-safe.
class Page {
 public:
  explicit Page(Output& out) : out_(out) {}

  // Calls must come in this order: Begin, data that the viewer's script needs
  // at once, Script, more data, End.
  absl::Status Begin(absl::string_view title);
  // Writes an encoded block as the element `id`.
  absl::Status Data(absl::string_view id, absl::string_view block);
  absl::Status Script();
  absl::Status End();

 private:
  Output& out_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PAGE_H_
