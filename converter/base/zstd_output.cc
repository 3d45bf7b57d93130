// SPDX-License-Identifier: Apache-2.0
#include "converter/base/zstd_output.h"

#include <zstd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Half of the size of gzip's output, at more than its speed.
constexpr int kZstdLevel = 1;

}  // namespace

class ZstdOutput::Context {
 public:
  explicit Context(size_t helpers) : stream(ZSTD_createCCtx()) {
    if (stream == nullptr) return;
    ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1);
    // Without a worker the bytes would be others. A library without threads
    // refuses this, and compresses on the caller's.
    ZSTD_CCtx_setParameter(stream, ZSTD_c_nbWorkers,
                           static_cast<int>(std::clamp<size_t>(helpers, 1, 4)));
  }
  ~Context() { ZSTD_freeCCtx(stream); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ZSTD_CCtx* const stream;  // null: there was no memory
};

ZstdOutput::ZstdOutput(std::unique_ptr<Output> to, size_t helpers)
    : to_(std::move(to)),
      context_(std::make_unique<Context>(helpers)),
      room_(ZSTD_CStreamOutSize(), '\0') {
  if (context_->stream == nullptr) {
    status_ = absl::ResourceExhaustedError("no memory to compress the output");
  }
}

ZstdOutput::~ZstdOutput() = default;

absl::Status ZstdOutput::Compress(absl::string_view bytes, bool end) {
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  for (bool more = true; more && status_.ok();) {
    ZSTD_outBuffer out = {room_.data(), room_.size(), 0};
    const size_t left = ZSTD_compressStream2(
        context_->stream, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) {
      status_ = absl::InternalError(absl::StrCat("cannot compress the output: ",
                                                 ZSTD_getErrorName(left)));
    } else if (out.pos > 0) {
      status_ = to_->Write({room_.data(), out.pos});
    }
    more = end ? left != 0 : in.pos < in.size;
  }
  return status_;
}

absl::Status ZstdOutput::Write(absl::string_view bytes) {
  return Compress(bytes, /*end=*/false);
}

absl::Status ZstdOutput::Close() {
  absl::Status status = Compress("", /*end=*/true);
  return status.ok() ? to_->Close() : status;
}

}  // namespace perf2x
