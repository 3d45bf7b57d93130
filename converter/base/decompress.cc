// SPDX-License-Identifier: Apache-2.0
#include "converter/base/decompress.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "converter/base/compression_ratio.h"
#include "converter/base/out_of_memory.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

constexpr size_t kInputChunk = 256 << 10;
// The decoder of an xz file may ask for any amount of memory; files of xz -9
// need 65 MB.
constexpr uint64_t kXzMemoryLimit = 128 << 20;

absl::Status Damaged(absl::string_view format, absl::string_view detail) {
  return absl::DataLossError(
      absl::StrCat("damaged ", format, " input: ", detail));
}

absl::Status NeedsTooMuch(absl::string_view format) {
  return absl::UnimplementedError(absl::StrCat(
      format, " input needs more than 128 MB to unpack; unpack it first"));
}

// The common part of all decompressors: reads more input when `in_` is empty.
class Decompressor : public ByteSource {
 public:
  explicit Decompressor(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), buffer_(kInputChunk) {}

  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) final {
    if (to.empty()) return 0;
    while (!ended_) {
      if (in_.empty() && !input_ended_) {
        ASSIGN_OR_RETURN(const size_t n,
                         source_->Read(absl::MakeSpan(buffer_)));
        in_ = absl::MakeConstSpan(buffer_).subspan(0, n);
        input_ended_ = n == 0;
      }
      const size_t before = in_.size();
      const size_t made = Step(to);
      made_ += made;
      if (made_ > kMaxUnpackedFromSmall &&
          IsDecompressionBomb(CompressedSizeUpTo(kSmallCompressed), made_)) {
        Fail(absl::DataLossError(
            "compressed input unpacks to too much for its size; unpack it "
            "first if that is right"));
        break;
      }
      // Bytes that were unpacked before an error are returned first.
      if (made > 0) return made;
      if (ended_) break;
      if (input_ended_ && in_.size() == before) {
        ended_ = true;
        if (!complete_) {
          Fail(absl::DataLossError("compressed input is cut short"));
        }
      }
    }
    RETURN_IF_ERROR(error_);
    return 0;
  }
  uint64_t CompressedSizeUpTo(uint64_t limit) final {
    return source_->CompressedSizeUpTo(limit);
  }

 protected:
  // Unpacks from in_ into `to`. Returns the number of bytes unpacked, also when
  // it fails.
  virtual size_t Step(absl::Span<uint8_t> to) = 0;
  // Ends the output with `error`.
  void Fail(absl::Status error) {
    ended_ = true;
    error_ = std::move(error);
  }
  // Between two members: skips zeros, the padding that tar writes, and returns
  // true if another member follows, whose first byte is `magic`. Fails for
  // other bytes.
  bool HasMember(uint8_t magic, absl::string_view format) {
    while (!in_.empty() && in_[0] == 0) in_.remove_prefix(1);
    if (in_.empty()) return false;
    if (in_[0] == magic) return true;
    Fail(Damaged(format, "other bytes follow it"));
    return false;
  }
  // Input that is not unpacked yet.
  absl::Span<const uint8_t> in_;
  bool input_ended_ = false;
  bool ended_ = false;     // no more output
  bool complete_ = false;  // the input may end here

 private:
  absl::Status error_;
  std::unique_ptr<ByteSource> source_;
  std::vector<uint8_t> buffer_;
  uint64_t made_ = 0;
};

class GzipSource final : public Decompressor {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> source)
      : Decompressor(std::move(source)) {
    ready_ = inflateInit2(&z_, 15 + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (ready_) inflateEnd(&z_);
  }

 private:
  size_t Step(absl::Span<uint8_t> to) override {
    if (!ready_) HandleOutOfMemory();
    if (complete_) {
      if (!HasMember(0x1f, "gzip")) return 0;
      inflateReset(&z_);
      complete_ = false;
    }
    z_.next_in = const_cast<uint8_t*>(in_.data());
    z_.avail_in = static_cast<uInt>(in_.size());
    z_.next_out = to.data();
    z_.avail_out = static_cast<uInt>(to.size());
    const int result = inflate(&z_, Z_NO_FLUSH);
    in_.remove_prefix(in_.size() - z_.avail_in);
    if (result == Z_STREAM_END) {
      complete_ = true;
    } else if (result == Z_MEM_ERROR) {
      HandleOutOfMemory();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      Fail(Damaged("gzip", z_.msg != nullptr ? z_.msg : "bad data"));
    }
    return to.size() - z_.avail_out;
  }

  z_stream z_{};
  bool ready_;
};

class Bzip2Source final : public Decompressor {
 public:
  explicit Bzip2Source(std::unique_ptr<ByteSource> source)
      : Decompressor(std::move(source)) {
    Start();
  }
  ~Bzip2Source() override {
    if (ready_) BZ2_bzDecompressEnd(&z_);
  }

 private:
  void Start() { ready_ = BZ2_bzDecompressInit(&z_, 0, 0) == BZ_OK; }

  size_t Step(absl::Span<uint8_t> to) override {
    if (complete_) {
      if (!HasMember('B', "bzip2")) return 0;
      BZ2_bzDecompressEnd(&z_);
      Start();
      complete_ = false;
    }
    if (!ready_) HandleOutOfMemory();
    z_.next_in = reinterpret_cast<char*>(const_cast<uint8_t*>(in_.data()));
    z_.avail_in = static_cast<unsigned>(in_.size());
    z_.next_out = reinterpret_cast<char*>(to.data());
    z_.avail_out = static_cast<unsigned>(to.size());
    const int result = BZ2_bzDecompress(&z_);
    in_.remove_prefix(in_.size() - z_.avail_in);
    if (result == BZ_STREAM_END) {
      complete_ = true;
    } else if (result == BZ_MEM_ERROR) {
      HandleOutOfMemory();
    } else if (result != BZ_OK) {
      Fail(Damaged("bzip2", "bad data"));
    }
    return to.size() - z_.avail_out;
  }

  bz_stream z_{};
  bool ready_;
};

class XzSource final : public Decompressor {
 public:
  explicit XzSource(std::unique_ptr<ByteSource> source)
      : Decompressor(std::move(source)) {
    ready_ =
        lzma_stream_decoder(&z_, kXzMemoryLimit, LZMA_CONCATENATED) == LZMA_OK;
  }
  ~XzSource() override { lzma_end(&z_); }

 private:
  size_t Step(absl::Span<uint8_t> to) override {
    if (!ready_) HandleOutOfMemory();
    z_.next_in = in_.data();
    z_.avail_in = in_.size();
    z_.next_out = to.data();
    z_.avail_out = to.size();
    const lzma_ret result =
        lzma_code(&z_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
    in_.remove_prefix(in_.size() - z_.avail_in);
    if (result == LZMA_STREAM_END) {
      complete_ = ended_ = true;
    } else if (result == LZMA_MEM_ERROR) {
      HandleOutOfMemory();
    } else if (result == LZMA_MEMLIMIT_ERROR) {
      Fail(NeedsTooMuch("xz"));
    } else if (result != LZMA_OK && result != LZMA_BUF_ERROR) {
      Fail(Damaged("xz", "bad data"));
    }
    return to.size() - z_.avail_out;
  }

  lzma_stream z_ = LZMA_STREAM_INIT;
  bool ready_;
};

class ZstdSource final : public Decompressor {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> source)
      : Decompressor(std::move(source)), z_(ZSTD_createDStream()) {
    // Accepts the windows that the zstd tool unpacks without an option, which
    // are those of --long=27 at most.
    if (z_ != nullptr) ZSTD_DCtx_setParameter(z_, ZSTD_d_windowLogMax, 27);
  }
  ~ZstdSource() override { ZSTD_freeDStream(z_); }

 private:
  size_t Step(absl::Span<uint8_t> to) override {
    if (z_ == nullptr) HandleOutOfMemory();
    // Between frames: zstd would ask for another header.
    if (complete_ && in_.empty()) return 0;
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    do {
      // Passes no more input than up to the end of a block, and none while zstd
      // owes output: after an error, zstd does not say how many bytes the
      // blocks before it gave.
      const size_t size = owes_ ? 0 : std::min(in_.size(), next_size_);
      ZSTD_inBuffer in{in_.data(), size, 0};
      const size_t result = ZSTD_decompressStream(z_, &out, &in);
      in_.remove_prefix(in.pos);
      if (ZSTD_isError(result)) {
        if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
          HandleOutOfMemory();
        }
        if (ZSTD_getErrorCode(result) ==
            ZSTD_error_frameParameter_windowTooLarge) {
          Fail(NeedsTooMuch("zstd"));
        } else {
          Fail(Damaged("zstd", ZSTD_getErrorName(result)));
        }
        break;
      }
      complete_ = result == 0;
      next_size_ = complete_ ? kMaxFrameHeader : result;
      owes_ = !complete_ && out.pos == out.size;
    } while (out.pos < out.size && !in_.empty());
    return out.pos;
  }

  static constexpr size_t kMaxFrameHeader = 18;  // RFC 8878, 3.1.1.1
  ZSTD_DStream* z_;
  size_t next_size_ = kMaxFrameHeader;  // of input that zstd asks for next
  bool owes_ = false;                   // zstd may have output that had no room
};

}  // namespace

Compression DetectCompression(absl::Span<const uint8_t> b) {
  auto starts = [&](absl::string_view magic) {
    return b.size() >= magic.size() &&
           std::memcmp(b.data(), magic.data(), magic.size()) == 0;
  };
  if (starts("\x1f\x8b")) return Compression::kGzip;
  if (starts("BZh")) return Compression::kBzip2;
  if (starts(absl::string_view("\xfd"
                               "7zXZ\0",
                               6))) {
    return Compression::kXz;
  }
  if (starts("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  // A frame to be skipped, which pzstd writes first: 0x184D2A50 to …5F.
  if (b.size() >= 4 && (b[0] & 0xf0) == 0x50 && b[1] == 0x2a && b[2] == 0x4d &&
      b[3] == 0x18) {
    return Compression::kZstd;
  }
  return Compression::kNone;
}

std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       std::unique_ptr<ByteSource> source) {
  switch (compression) {
    case Compression::kNone:
      return source;
    case Compression::kGzip:
      return std::make_unique<GzipSource>(std::move(source));
    case Compression::kBzip2:
      return std::make_unique<Bzip2Source>(std::move(source));
    case Compression::kXz:
      return std::make_unique<XzSource>(std::move(source));
    case Compression::kZstd:
      return std::make_unique<ZstdSource>(std::move(source));
  }
  return source;
}

}  // namespace perf2x
