// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HASH_TEXT_H_
#define PERF2X_BASE_HASH_TEXT_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/base/hash.h"

namespace perf2x {

// Returns HashBytes of a text. For keys of tables whose texts lie in mapped
// files: the key stays the same when the file changes, and with it the text.
inline Hash128 HashText(absl::string_view text) {
  return HashBytes(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace perf2x

#endif  // PERF2X_BASE_HASH_TEXT_H_
