// SPDX-License-Identifier: Apache-2.0
#include "converter/base/output_compression.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "converter/base/gzip_output.h"
#include "converter/base/zstd_output.h"

namespace perf2x {

absl::string_view SuffixOf(OutputCompression compression) {
  switch (compression) {
    case OutputCompression::kGzip:
      return ".gz";
    case OutputCompression::kZstd:
      return ".zst";
    case OutputCompression::kNone:
      break;
  }
  return "";
}

OutputCompression OutputCompressionOf(absl::string_view path) {
  for (const OutputCompression compression :
       {OutputCompression::kGzip, OutputCompression::kZstd}) {
    if (absl::EndsWith(path, SuffixOf(compression))) return compression;
  }
  return OutputCompression::kNone;
}

void ConsumeCompressionSuffix(absl::string_view* path) {
  absl::ConsumeSuffix(path, SuffixOf(OutputCompressionOf(*path)));
}

std::unique_ptr<Output> MakeCompressedOutput(OutputCompression compression,
                                             std::unique_ptr<Output> output) {
  switch (compression) {
    case OutputCompression::kGzip:
      return std::make_unique<GzipOutput>(std::move(output), nullptr);
    case OutputCompression::kZstd:
      return std::make_unique<ZstdOutput>(std::move(output), nullptr);
    case OutputCompression::kNone:
      break;
  }
  return output;
}

}  // namespace perf2x
