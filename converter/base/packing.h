// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PACKING_H_
#define PERF2X_BASE_PACKING_H_

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {

// How an output is compressed, as the end of its name says.
enum class Packing {
  kNone,
  kGzip,  // ".gz"
  kZstd,  // ".zst"
};

// Returns how an output is compressed if `path` is its name.
Packing PackingOf(absl::string_view path);
// Returns ".gz", ".zst" or nothing.
absl::string_view SuffixOf(Packing packing);
// Removes ".gz" or ".zst" from the end of `*path`, if one is there.
void ConsumePackingSuffix(absl::string_view* path);
// Returns an output that compresses all bytes and writes them to `output`; with
// kNone, returns `output` itself. For `helpers`, see GzipOutput and ZstdOutput.
std::unique_ptr<Output> MakePackedOutput(Packing packing,
                                         std::unique_ptr<Output> output,
                                         size_t helpers);

}  // namespace perf2x

#endif  // PERF2X_BASE_PACKING_H_
