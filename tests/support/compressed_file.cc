// SPDX-License-Identifier: Apache-2.0
#include "tests/support/compressed_file.h"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace perf2x {

ByteVector Gzipped(const ByteVector& bytes) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  ByteVector out(deflateBound(&z, bytes.size()));
  z.next_in = const_cast<uint8_t*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

ByteVector Bzip2ed(const ByteVector& bytes) {
  // libbz2's own bound: a hundredth and 600 bytes.
  ByteVector out(bytes.size() + bytes.size() / 100 + 600);
  auto size = static_cast<unsigned>(out.size());
  ByteVector in = bytes;  // libbz2 takes no constant input
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                                     reinterpret_cast<char*>(in.data()),
                                     static_cast<unsigned>(in.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

ByteVector Xzed(const ByteVector& bytes) {
  ByteVector out(lzma_stream_buffer_bound(bytes.size()));
  size_t size = 0;
  EXPECT_EQ(
      lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, bytes.data(),
                              bytes.size(), out.data(), &size, out.size()),
      LZMA_OK);
  out.resize(size);
  return out;
}

ByteVector Zstded(const ByteVector& bytes) {
  ByteVector out(ZSTD_compressBound(bytes.size()));
  out.resize(
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

}  // namespace perf2x
