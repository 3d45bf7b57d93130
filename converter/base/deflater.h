// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DEFLATER_H_
#define PERF2X_BASE_DEFLATER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"

struct isal_zstream;

namespace perf2x {

// Compresses one stream after another, each chunk by chunk. The same chunks
// give the same bytes. Not thread-safe.
class Deflater {
 public:
  enum class Format {
    kGzip,  // RFC 1952
    kZlib,  // RFC 1950
  };

  explicit Deflater(Format format);
  ~Deflater();

  // Compresses the next chunk of a stream and writes what is complete to `to`.
  // After the `last` chunk of a stream, the next one begins another stream.
  absl::Status Compress(absl::string_view chunk, bool last, Output& to);

 private:
  void BeginStream();
  absl::Status Deflate(absl::string_view bytes, uint16_t flush, Output& to);

  const Format format_;
  std::vector<uint8_t> level_buffer_;
  std::vector<uint8_t> out_;
  const std::unique_ptr<isal_zstream> stream_;  // some 80 kB
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DEFLATER_H_
