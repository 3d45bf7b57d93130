// SPDX-License-Identifier: Apache-2.0
#include "converter/base/zstd_output.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/out_of_memory.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Level 1 gives half of the size of gzip's output, at more than its speed. With
// these parameters in place of the level's own, a window of 512 KB and matches
// from 7 bytes on, traces and tables take a tenth less, in the same time.
constexpr int kLevel = 1, kWindowLog = 21, kHashLog = 15, kMinMatch = 6;

}  // namespace

// A frame that is being compressed.
class ZstdOutput::Stream {
 public:
  Stream() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) HandleOutOfMemory();
    Set(ZSTD_c_compressionLevel, kLevel);
    Set(ZSTD_c_windowLog, kWindowLog);
    Set(ZSTD_c_hashLog, kHashLog);
    Set(ZSTD_c_minMatch, kMinMatch);
    Set(ZSTD_c_checksumFlag, 1);
  }
  ~Stream() { ZSTD_freeCCtx(context_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Appends what the next bytes of the frame are compressed to.
  absl::Status Compress(absl::string_view bytes, bool is_last, ByteBuffer* to) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    for (bool more = true; more;) {
      const size_t room = ZSTD_CStreamOutSize();
      char* const end = to->Reserve(room);
      ZSTD_outBuffer out = {end, room, 0};
      const size_t left = ZSTD_compressStream2(
          context_, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) {
        HandleOutOfMemory();
      }
      if (ZSTD_isError(left) != 0) {
        return absl::InternalError(absl::StrCat("cannot compress the output: ",
                                                ZSTD_getErrorName(left)));
      }
      to->SetEnd(end + out.pos);
      more = is_last ? left != 0 : in.pos < in.size;
    }
    return absl::OkStatus();
  }

 private:
  void Set(ZSTD_cParameter parameter, int value) {
    ZSTD_CCtx_setParameter(context_, parameter, value);
  }

  ZSTD_CCtx* const context_;
};

void ZstdOutput::Piece::Work() {
  status = stream->Compress(bytes.view(), is_last, &compressed);
}

void ZstdOutput::Piece::Clear() {
  bytes.Clear(kMaxKept);
  compressed.Clear(kMaxKept);
}

ZstdOutput::ZstdOutput(std::unique_ptr<Output> to, HelperPool* helpers)
    : to_(std::move(to)),
      stream_(std::make_unique<Stream>()),
      pieces_(
          helpers,
          [this](Piece& piece) {
            RETURN_IF_ERROR(piece.status);
            return to_->Write(piece.compressed.view());
          },
          Piece(stream_.get()), decltype(pieces_)::Order::kOneByOne) {}

ZstdOutput::~ZstdOutput() = default;

absl::Status ZstdOutput::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    ByteBuffer& piece = pieces_.chunk().bytes;
    const absl::string_view part = bytes.substr(0, kPiece - piece.size());
    piece.Append(part);
    bytes.remove_prefix(part.size());
    if (piece.size() == kPiece) RETURN_IF_ERROR(pieces_.Push());
  }
  return absl::OkStatus();
}

absl::Status ZstdOutput::WriteBuffer(ByteBuffer& buffer) {
  if (buffer.size() < kLeast) return Write(buffer.view());
  if (pieces_.chunk().bytes.size() > 0) RETURN_IF_ERROR(pieces_.Push());
  pieces_.chunk().bytes.Swap(buffer);
  return pieces_.Push();
}

absl::Status ZstdOutput::Close() {
  pieces_.chunk().is_last = true;
  RETURN_IF_ERROR(pieces_.Push());
  RETURN_IF_ERROR(pieces_.Finish());
  return to_->Close();
}

}  // namespace perf2x
