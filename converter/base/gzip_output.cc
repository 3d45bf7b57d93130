// SPDX-License-Identifier: Apache-2.0
#include "converter/base/gzip_output.h"

#include <isa-l/crc.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// The compressed bytes depend on where chunks end, so chunks must not depend on
// the sizes of the caller's writes.
constexpr size_t kDeflateChunk = 256 << 10;
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

std::unique_ptr<Deflater> GzipOutput::Deflaters::Get() {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    return std::make_unique<Deflater>(Deflater::Format::kBlocks);
  }
  std::unique_ptr<Deflater> deflater = std::move(free_.back());
  free_.pop_back();
  return deflater;
}

void GzipOutput::Deflaters::Return(std::unique_ptr<Deflater> deflater) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(deflater));
}

void GzipOutput::Chunk::Work() {
  std::unique_ptr<Deflater> deflater = deflaters->Get();
  status = deflater->Compress(bytes, &packed);
  deflaters->Return(std::move(deflater));
  crc = crc32_gzip_refl(0, reinterpret_cast<const uint8_t*>(bytes.data()),
                        bytes.size());
}

GzipOutput::GzipOutput(std::unique_ptr<Output> to, HelperPool* helpers)
    : to_(std::move(to)),
      chunks_(
          helpers, [this](Chunk& chunk) { return Consume(chunk); },
          [this] {
            Chunk empty;
            empty.deflaters = &deflaters_;
            return empty;
          }()) {}

GzipOutput::~GzipOutput() = default;

absl::Status GzipOutput::WriteHead() {
  if (std::exchange(begun_, true)) return absl::OkStatus();
  return to_->Write(kHead);
}

absl::Status GzipOutput::Consume(Chunk& chunk) {
  RETURN_IF_ERROR(chunk.status);
  crc_ = static_cast<uint32_t>(
      crc32_combine(crc_, chunk.crc, static_cast<z_off_t>(chunk.bytes.size())));
  size_ += chunk.bytes.size();
  RETURN_IF_ERROR(WriteHead());
  return to_->Write(chunk.packed);
}

absl::Status GzipOutput::Write(absl::string_view bytes) {
  while (status_.ok() && !bytes.empty()) {
    std::string& chunk = chunks_.chunk().bytes;
    if (chunk.capacity() < kDeflateChunk) chunk.reserve(kDeflateChunk);
    const size_t n = std::min(bytes.size(), kDeflateChunk - chunk.size());
    chunk.append(bytes.data(), n);
    bytes.remove_prefix(n);
    if (chunk.size() == kDeflateChunk) status_ = chunks_.Push();
  }
  return status_;
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
