// SPDX-License-Identifier: Apache-2.0
#include "converter/base/proto_writer.h"

#include <algorithm>
#include <utility>

namespace perf2x {

void ProtoWriter::Grow(size_t more) {
  constexpr size_t kFirst = 64;
  const size_t capacity = std::max({kFirst, 2 * capacity_, size_ + more});
  // Not make_unique, which would zero the bytes.
  std::unique_ptr<char[]> bytes(new char[capacity]);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void ProtoWriter::CloseLong(size_t begin) {
  const size_t size = size_ - begin;
  size_t more = 0;  // bytes of the length beyond the one that Open left
  for (uint64_t rest = size >> 7; rest != 0; rest >>= 7) ++more;
  Room(more);
  std::memmove(&bytes_[begin + more], &bytes_[begin], size);
  size_ += more;
  Put(size, &bytes_[begin - 1]);
}

}  // namespace perf2x
