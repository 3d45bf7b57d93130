// SPDX-License-Identifier: Apache-2.0
#include "converter/base/gzip_output.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// The compressed bytes depend on where chunks end, so chunks must not depend on
// the sizes of the caller's writes.
constexpr size_t kDeflateChunk = 256 << 10;
constexpr uint32_t kLevel = 1;
// Bytes that are compressed alone, at the start of a chunk. For the first byte
// of a larger input, ISA-L 2.30 hashes the address of its stream instead of the
// next bytes (isal_deflate_icf_body_hash_hist), so that the compressed bytes
// would depend on where memory is allocated.
constexpr size_t kStart = 16;
// RFC 1952: the method is deflate, no flags, no time, no extra flags, unknown
// system.
constexpr absl::string_view kHead("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
// RFC 1951: a last block with fixed codes that contains nothing.
constexpr absl::string_view kLastBlock("\x03\0", 2);

void AppendLittleEndian(uint32_t value, std::string* to) {
  for (int shift = 0; shift < 32; shift += 8) {
    to->push_back(static_cast<char>(value >> shift & 0xff));
  }
}

}  // namespace

// Compresses one chunk at a time.
class GzipOutput::Compressor {
 public:
  Compressor() : level_buffer_(ISAL_DEF_LVL1_DEFAULT) {}

  // Sets `*packed` to blocks of deflate that end with a whole byte, none of
  // them the last one of a stream. Returns false if that fails.
  bool Compress(absl::string_view bytes, std::string* packed) {
    isal_deflate_init(&stream_);
    stream_.gzip_flag = IGZIP_DEFLATE;
    stream_.level = kLevel;
    stream_.level_buf = level_buffer_.data();
    stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
    stream_.flush = SYNC_FLUSH;
    packed->clear();
    return Deflate(bytes.substr(0, kStart), packed) &&
           (bytes.size() <= kStart || Deflate(bytes.substr(kStart), packed));
  }

 private:
  bool Deflate(absl::string_view bytes, std::string* packed) {
    // The library does not write to its input.
    stream_.next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uint32_t>(bytes.size());
    do {
      stream_.next_out = room_.data();
      stream_.avail_out = static_cast<uint32_t>(room_.size());
      if (isal_deflate(&stream_) != COMP_OK) return false;
      packed->append(reinterpret_cast<const char*>(room_.data()),
                     room_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return true;
  }

  std::vector<uint8_t> level_buffer_;
  std::array<uint8_t, 16 << 10> room_;
  isal_zstream stream_;
};

GzipOutput::Compressors::Compressors() = default;
GzipOutput::Compressors::~Compressors() = default;

std::unique_ptr<GzipOutput::Compressor> GzipOutput::Compressors::Get() {
  std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<Compressor>();
  std::unique_ptr<Compressor> compressor = std::move(free_.back());
  free_.pop_back();
  return compressor;
}

void GzipOutput::Compressors::Return(std::unique_ptr<Compressor> compressor) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(compressor));
}

void GzipOutput::Chunk::Work() {
  std::unique_ptr<Compressor> compressor = compressors->Get();
  ok = compressor->Compress(bytes, &packed);
  compressors->Return(std::move(compressor));
  crc = crc32_gzip_refl(0, reinterpret_cast<const uint8_t*>(bytes.data()),
                        bytes.size());
}

GzipOutput::GzipOutput(std::unique_ptr<Output> to, size_t helpers)
    : to_(std::move(to)),
      chunks_(
          "perf2x-gzip", helpers, [this](Chunk& chunk) { return Take(chunk); },
          [this] {
            Chunk empty;
            empty.compressors = &compressors_;
            return empty;
          }()) {}

GzipOutput::~GzipOutput() = default;

absl::Status GzipOutput::WriteHead() {
  if (std::exchange(begun_, true)) return absl::OkStatus();
  return to_->Write(kHead);
}

absl::Status GzipOutput::Take(Chunk& chunk) {
  if (!chunk.ok) return absl::InternalError("cannot compress the output");
  crc_ = static_cast<uint32_t>(
      crc32_combine(crc_, chunk.crc, static_cast<z_off_t>(chunk.bytes.size())));
  size_ += chunk.bytes.size();
  RETURN_IF_ERROR(WriteHead());
  return to_->Write(chunk.packed);
}

absl::Status GzipOutput::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    std::string& chunk = chunks_.chunk().bytes;
    if (chunk.capacity() < kDeflateChunk) chunk.reserve(kDeflateChunk);
    const size_t n = std::min(bytes.size(), kDeflateChunk - chunk.size());
    chunk.append(bytes.data(), n);
    bytes.remove_prefix(n);
    if (chunk.size() == kDeflateChunk) RETURN_IF_ERROR(chunks_.Push());
  }
  return absl::OkStatus();
}

absl::Status GzipOutput::Close() {
  if (!chunks_.chunk().bytes.empty()) RETURN_IF_ERROR(chunks_.Push());
  RETURN_IF_ERROR(chunks_.Finish());
  RETURN_IF_ERROR(WriteHead());
  std::string end(kLastBlock);
  AppendLittleEndian(crc_, &end);
  AppendLittleEndian(static_cast<uint32_t>(size_), &end);
  RETURN_IF_ERROR(to_->Write(end));
  return to_->Close();
}

}  // namespace perf2x
