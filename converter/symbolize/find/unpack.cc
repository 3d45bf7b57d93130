#include "converter/symbolize/find/unpack.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/compression_ratio.h"
#include "converter/base/fail_allocation.h"

namespace perf2x {
namespace {

constexpr uint64_t kLargest = uint64_t{4} << 30;
constexpr size_t kChunk = 1 << 20;
constexpr uint64_t kLzmaMemory = 256 << 20;

absl::Status Damaged() { return absl::DataLossError("damaged packed data"); }
absl::Status TooLarge() {
  return absl::ResourceExhaustedError(
      "packed data of more than 4 GiB, or of too much for its size");
}
bool TooMuch(absl::Span<const uint8_t> in, const std::string& out) {
  return out.size() > kLargest || IsDecompressionBomb(in.size(), out.size());
}

absl::StatusOr<std::string> UnpackXz(absl::Span<const uint8_t> in) {
  lzma_stream z = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&z, kLzmaMemory, LZMA_CONCATENATED) != LZMA_OK) {
    return absl::InternalError("liblzma does not start");
  }
  std::string out;
  z.next_in = in.data();
  z.avail_in = in.size();
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && !TooMuch(in, out)) {
    const size_t had = out.size();
    out.resize(had + kChunk);
    z.next_out = reinterpret_cast<uint8_t*>(&out[had]);
    z.avail_out = kChunk;
    result = lzma_code(&z, LZMA_FINISH);
    out.resize(had + kChunk - z.avail_out);
  }
  lzma_end(&z);
  if (TooMuch(in, out)) return TooLarge();
  if (result == LZMA_MEM_ERROR) FailAllocation();
  if (result != LZMA_STREAM_END) return Damaged();
  return out;
}

absl::StatusOr<std::string> UnpackZstd(absl::Span<const uint8_t> in) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> z(ZSTD_createDCtx(),
                                                       ZSTD_freeDCtx);
  std::string out;
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  for (size_t left = 1; left != 0 || from.pos < from.size;) {
    const size_t had = out.size();
    if (TooMuch(in, out)) return TooLarge();
    out.resize(had + kChunk);
    ZSTD_outBuffer to{&out[had], kChunk, 0};
    left = ZSTD_decompressStream(z.get(), &to, &from);
    out.resize(had + to.pos);
    if (ZSTD_isError(left)) {
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) {
        FailAllocation();
      }
      return Damaged();
    }
    if (left != 0 && from.pos == from.size && to.pos < kChunk) return Damaged();
  }
  return out;
}

absl::StatusOr<std::string> UnpackGzip(absl::Span<const uint8_t> in) {
  z_stream z{};
  if (inflateInit2(&z, 15 + 16) != Z_OK) {
    return absl::InternalError("zlib does not start");
  }
  std::string out;
  size_t at = 0;
  int result = Z_OK;
  while (result == Z_OK && !TooMuch(in, out)) {
    const size_t had = out.size();
    out.resize(had + kChunk);
    z.next_in = const_cast<Bytef*>(in.data() + at);
    z.avail_in = static_cast<uInt>(std::min<size_t>(in.size() - at, 1 << 30));
    const uInt before = z.avail_in;
    z.next_out = reinterpret_cast<Bytef*>(&out[had]);
    z.avail_out = kChunk;
    result = inflate(&z, Z_NO_FLUSH);
    at += before - z.avail_in;
    out.resize(had + kChunk - z.avail_out);
    if (before == z.avail_in && out.size() == had) break;
  }
  inflateEnd(&z);
  if (TooMuch(in, out)) return TooLarge();
  if (result == Z_MEM_ERROR) FailAllocation();
  if (result != Z_STREAM_END) return Damaged();
  return out;
}

absl::StatusOr<std::string> UnpackBzip2(absl::Span<const uint8_t> in) {
  bz_stream z{};
  if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK) {
    return absl::InternalError("libbz2 does not start");
  }
  std::string out;
  size_t at = 0;
  int result = BZ_OK;
  while (result == BZ_OK && !TooMuch(in, out)) {
    const size_t had = out.size();
    out.resize(had + kChunk);
    z.next_in = const_cast<char*>(reinterpret_cast<const char*>(&in[0]) + at);
    z.avail_in = static_cast<unsigned>(
        std::min<size_t>(in.size() - at, size_t{1} << 30));
    const unsigned before = z.avail_in;
    z.next_out = &out[had];
    z.avail_out = kChunk;
    result = BZ2_bzDecompress(&z);
    at += before - z.avail_in;
    out.resize(had + kChunk - z.avail_out);
    if (before == z.avail_in && out.size() == had) break;
  }
  BZ2_bzDecompressEnd(&z);
  if (TooMuch(in, out)) return TooLarge();
  if (result != BZ_STREAM_END) return Damaged();
  return out;
}

struct Format {
  absl::string_view magic;
  absl::StatusOr<std::string> (*unpack)(absl::Span<const uint8_t>);
};
constexpr absl::string_view kXzMagic(
    "\xfd"
    "7zXZ\0",
    6);
constexpr Format kFormats[] = {{kXzMagic, UnpackXz},
                               {"\x28\xb5\x2f\xfd", UnpackZstd},
                               {"\x1f\x8b", UnpackGzip},
                               {"BZh", UnpackBzip2}};

const Format* FormatOf(absl::Span<const uint8_t> bytes) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                               bytes.size());
  for (const Format& f : kFormats) {
    if (absl::StartsWith(text, f.magic)) return &f;
  }
  return nullptr;
}

}  // namespace

bool IsPacked(absl::Span<const uint8_t> bytes) {
  return FormatOf(bytes) != nullptr;
}

absl::StatusOr<std::string> Unpack(absl::Span<const uint8_t> packed) {
  const Format* format = FormatOf(packed);
  if (format == nullptr) return absl::InvalidArgumentError("not packed");
  return format->unpack(packed);
}

absl::StatusOr<std::shared_ptr<const SafeFile>> UnpackIfPacked(
    std::shared_ptr<const SafeFile> file) {
  if (!IsPacked(file->bytes())) return file;
  absl::StatusOr<std::string> bytes = Unpack(file->bytes());
  if (!bytes.ok()) {
    return absl::DataLossError(
        absl::StrCat(file->path(), ": ", bytes.status().message()));
  }
  return SafeFile::FromMemory(file->path(), *std::move(bytes),
                              file->bytes().size());
}

}  // namespace perf2x
