// SPDX-License-Identifier: Apache-2.0
#include "converter/base/gzip_output.h"

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// The compressed bytes depend on where chunks end, so chunks must not depend on
// the sizes of the caller's writes.
constexpr size_t kDeflateChunk = 256 << 10;
// Neither side should wait for the other at every chunk.
constexpr size_t kMaxWaiting = 4;

}  // namespace

GzipOutput::GzipOutput(std::unique_ptr<Output> to, bool on_thread)
    : to_(std::move(to)),
      chunks_("perf2x-gzip", on_thread, kMaxWaiting,
              [this](std::string& chunk) {
                absl::Status status =
                    deflater_.Compress(chunk, /*last=*/false, *to_);
                chunk.clear();
                return status;
              }) {}

GzipOutput::~GzipOutput() = default;

absl::Status GzipOutput::Write(absl::string_view bytes) {
  while (status_.ok() && !bytes.empty()) {
    std::string& chunk = chunks_.item();
    if (chunk.capacity() < kDeflateChunk) chunk.reserve(kDeflateChunk);
    const size_t n = std::min(bytes.size(), kDeflateChunk - chunk.size());
    chunk.append(bytes.data(), n);
    bytes.remove_prefix(n);
    if (chunk.size() == kDeflateChunk) status_ = chunks_.Push();
  }
  return status_;
}

absl::Status GzipOutput::Close() {
  RETURN_IF_ERROR(chunks_.Finish());
  RETURN_IF_ERROR(deflater_.Compress(chunks_.item(), /*last=*/true, *to_));
  return to_->Close();
}

}  // namespace perf2x
