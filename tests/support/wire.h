// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_WIRE_H_
#define PERF2X_TESTS_SUPPORT_WIRE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// Bytes written out by hand, field by field, for either byte order. Blanks
// separate fields; each is one of
//   000004d2   a number, most significant digit first, of as many bytes as it
//              has pairs of digits: "d2 04 00 00" in little-endian
//   "bash"     text, with its NUL
//   'cpu'      text without a NUL
//   =0011ff    bytes, as they are in both orders
//   0*6        six bytes of zero
std::vector<uint8_t> Wire(ByteOrder order, absl::string_view fields);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_WIRE_H_
