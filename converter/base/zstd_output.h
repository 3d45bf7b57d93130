// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ZSTD_OUTPUT_H_
#define PERF2X_BASE_ZSTD_OUTPUT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {

// Compresses what is written and writes it to `to` as one frame of zstd, with a
// checksum. The library compresses on threads of its own. The same input bytes
// give the same output bytes, whatever their number.
class ZstdOutput final : public Output {
 public:
  // With `helpers`, on as many threads; at least one and at most four: four
  // compress faster than anything is written here.
  ZstdOutput(std::unique_ptr<Output> to, size_t helpers);
  ~ZstdOutput() override;

  absl::Status Write(absl::string_view bytes) override;
  absl::Status Close() override;

 private:
  class Context;
  absl::Status Compress(absl::string_view bytes, bool end);

  const std::unique_ptr<Output> to_;
  const std::unique_ptr<Context> context_;
  absl::Status status_;
  std::string room_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ZSTD_OUTPUT_H_
