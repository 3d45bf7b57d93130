// SPDX-License-Identifier: Apache-2.0
#include "converter/base/proto_writer.h"

namespace perf2x {

void ProtoWriter::Close(size_t begin) {
  uint64_t size = bytes_.size() - begin;
  if (size >= 0x80) {
    size_t more = 0;  // bytes of the length beyond the one that Open left
    for (uint64_t rest = size >> 7; rest != 0; rest >>= 7) ++more;
    bytes_.insert(begin, more, '\0');
  }
  size_t at = begin - 1;
  for (; size >= 0x80; size >>= 7) {
    bytes_[at++] = static_cast<char>(size | 0x80);
  }
  bytes_[at] = static_cast<char>(size);
}

}  // namespace perf2x
