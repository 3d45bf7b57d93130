// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_COMPRESSED_FILE_H_
#define PERF2X_TESTS_SUPPORT_COMPRESSED_FILE_H_

#include "tests/support/perf_data_builder.h"

namespace perf2x {

// Return `bytes` as a compressed file.
ByteVector Gzipped(const ByteVector& bytes);
ByteVector Bzip2ed(const ByteVector& bytes);
ByteVector Xzed(const ByteVector& bytes);
ByteVector Zstded(const ByteVector& bytes);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_COMPRESSED_FILE_H_
