// SPDX-License-Identifier: Apache-2.0
#include "converter/base/deflater.h"

#include <isa-l/igzip_lib.h>

#include <cassert>
#include <limits>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

constexpr uint32_t kLevel = 1;
constexpr uint32_t kOutSize = 64 << 10;
// Bytes that are compressed alone, at the start of an input. For the first byte
// of a larger input, ISA-L 2.30 hashes the address of its stream instead of the
// next bytes (isal_deflate_icf_body_hash_hist), so that the compressed bytes
// would depend on where memory is allocated.
constexpr size_t kStart = 16;

}  // namespace

Deflater::Deflater(Format format)
    : format_(format),
      level_buffer_(
          std::make_unique_for_overwrite<uint8_t[]>(ISAL_DEF_LVL1_DEFAULT)),
      out_(std::make_unique_for_overwrite<uint8_t[]>(kOutSize)),
      stream_(std::make_unique_for_overwrite<isal_zstream>()) {}

Deflater::~Deflater() = default;

absl::Status Deflater::Compress(absl::string_view bytes, std::string* packed) {
  const bool is_whole = format_ == Format::kZlib;
  isal_deflate_init(stream_.get());
  stream_->gzip_flag = is_whole ? IGZIP_ZLIB : IGZIP_DEFLATE;
  stream_->level = kLevel;
  stream_->level_buf = level_buffer_.get();
  stream_->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  if (bytes.size() > kStart) {
    RETURN_IF_ERROR(Deflate(bytes.substr(0, kStart), SYNC_FLUSH, packed));
    bytes.remove_prefix(kStart);
  }
  stream_->end_of_stream = is_whole;
  return Deflate(bytes, is_whole ? NO_FLUSH : SYNC_FLUSH, packed);
}

absl::Status Deflater::Deflate(absl::string_view bytes, uint16_t flush,
                               std::string* packed) {
  assert(bytes.size() <= std::numeric_limits<uint32_t>::max());
  // The library does not write to its input.
  stream_->next_in =
      reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  stream_->avail_in = static_cast<uint32_t>(bytes.size());
  stream_->flush = flush;
  do {
    stream_->next_out = out_.get();
    stream_->avail_out = kOutSize;
    if (isal_deflate(stream_.get()) != COMP_OK) {
      return absl::InternalError("cannot compress the output");
    }
    packed->append(reinterpret_cast<const char*>(out_.get()),
                   kOutSize - stream_->avail_out);
  } while (stream_->avail_out == 0);
  return absl::OkStatus();
}

}  // namespace perf2x
