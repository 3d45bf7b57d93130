// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DEFLATER_H_
#define PERF2X_BASE_DEFLATER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

struct isal_zstream;

namespace perf2x {

// Compresses inputs independently of each other. The same input gives the same
// bytes. Not thread-safe.
class Deflater {
 public:
  // The form of the compressed data.
  enum class Format {
    kZlib,    // RFC 1950
    kBlocks,  // RFC 1951, without a final block. Ends at a whole byte, so that
              // results can be joined.
  };

  explicit Deflater(Format format);
  ~Deflater();

  // Compresses `bytes`, fewer than 2^32, and appends the result to `*packed`.
  // Fails with Internal if the library fails. `*packed` may then end with
  // incomplete data.
  absl::Status Compress(absl::string_view bytes, std::string* packed);

 private:
  absl::Status Deflate(absl::string_view bytes, uint16_t flush,
                       std::string* packed);

  const Format format_;
  // For the library, which sets what it reads, and its output. Not initialized:
  // a small input needs few of these 410 kB, and the others no memory then.
  const std::unique_ptr<uint8_t[]> level_buffer_, out_;
  const std::unique_ptr<isal_zstream> stream_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DEFLATER_H_
