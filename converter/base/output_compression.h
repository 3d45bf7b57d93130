// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OUTPUT_COMPRESSION_H_
#define PERF2X_BASE_OUTPUT_COMPRESSION_H_

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {

// How an output is compressed.
enum class OutputCompression {
  kNone,
  kGzip,  // ".gz"
  kZstd,  // ".zst"
};

// Returns kGzip if `path` ends in ".gz", kZstd if it ends in ".zst", else
// kNone.
OutputCompression OutputCompressionOf(absl::string_view path);
// Returns ".gz", ".zst" or, for kNone, "".
absl::string_view SuffixOf(OutputCompression compression);
// Removes ".gz" or ".zst" from the end of `*path`, if one is there.
void ConsumeCompressionSuffix(absl::string_view* path);
// Returns an output that compresses all bytes and writes them to `output`, with
// the threads of UseHelpers. With kNone, returns `output` itself.
std::unique_ptr<Output> MakeCompressedOutput(OutputCompression compression,
                                             std::unique_ptr<Output> output);

}  // namespace perf2x

#endif  // PERF2X_BASE_OUTPUT_COMPRESSION_H_
