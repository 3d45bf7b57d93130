// SPDX-License-Identifier: Apache-2.0
#include "converter/base/packing.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "converter/base/gzip_output.h"
#include "converter/base/zstd_output.h"

namespace perf2x {

absl::string_view SuffixOf(Packing packing) {
  switch (packing) {
    case Packing::kGzip:
      return ".gz";
    case Packing::kZstd:
      return ".zst";
    case Packing::kNone:
      break;
  }
  return "";
}

Packing PackingOf(absl::string_view path) {
  for (const Packing packing : {Packing::kGzip, Packing::kZstd}) {
    if (absl::EndsWith(path, SuffixOf(packing))) return packing;
  }
  return Packing::kNone;
}

void ConsumePackingSuffix(absl::string_view* path) {
  absl::ConsumeSuffix(path, SuffixOf(PackingOf(*path)));
}

std::unique_ptr<Output> MakePackedOutput(Packing packing,
                                         std::unique_ptr<Output> output,
                                         size_t helpers) {
  switch (packing) {
    case Packing::kGzip:
      return std::make_unique<GzipOutput>(std::move(output), helpers);
    case Packing::kZstd:
      return std::make_unique<ZstdOutput>(std::move(output), helpers);
    case Packing::kNone:
      break;
  }
  return output;
}

}  // namespace perf2x
