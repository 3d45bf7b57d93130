// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_FIRST_BYTES_H_
#define PERF2X_INPUT_FIRST_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/input/input.h"

namespace perf2x {

// Returns the first bytes of an input, at most `size`. If the input is a
// stream, reads them, which may block. Then replaces `input->stream` by a
// stream that begins with them. A read error counts as the end of the stream.
std::vector<uint8_t> FirstBytes(Input* input, size_t size);

}  // namespace perf2x

#endif  // PERF2X_INPUT_FIRST_BYTES_H_
