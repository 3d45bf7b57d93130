// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_VIEWER_BUNDLE_H_
#define PERF2X_EMIT_HTML_VIEWER_BUNDLE_H_

#include "absl/strings/string_view.h"

namespace perf2x {

// A file of viewer/dist, which cmake/viewer_bundle.cmake compiles in.
struct ViewerFile {
  absl::string_view text;  // static
  const char* sha256;      // of `text`, in hexadecimal
};

ViewerFile ViewerScript();  // bundle.js
ViewerFile ViewerStyle();   // bundle.css

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_VIEWER_BUNDLE_H_
