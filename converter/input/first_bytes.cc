// SPDX-License-Identifier: Apache-2.0
#include "converter/input/first_bytes.h"

#include <algorithm>
#include <utility>

namespace perf2x {

std::vector<uint8_t> FirstBytes(Input* input, size_t size) {
  if (input->mapped) {
    const absl::Span<const uint8_t> first =
        input->mapped->bytes().subspan(0, size);
    return {first.begin(), first.end()};
  }
  if (input->stream == nullptr) return {};
  std::vector<uint8_t> bytes(size);
  bytes.resize(ReadFully(*input->stream, absl::MakeSpan(bytes)).value_or(0));
  input->stream = Prepend(bytes, std::move(input->stream));
  return bytes;
}

}  // namespace perf2x
