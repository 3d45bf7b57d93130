// SPDX-License-Identifier: Apache-2.0
#include "converter/base/proto_reader.h"

#include "converter/base/byte_order.h"

namespace perf2x {

bool ProtoReader::Next() {
  enum WireType {
    kVarint = 0,
    kFixed64 = 1,
    kLengthDelimited = 2,
    kFixed32 = 5
  };
  if (!ok_ || at_ == end_) return false;
  uint64_t tag = 0, size = 0;
  if (!ReadVarint(&at_, end_, &tag) || tag >> 3 == 0) return Fail();
  field_ = tag >> 3;
  number_ = 0;
  bytes_ = {};
  is_bytes_ = (tag & 7) == kLengthDelimited;
  const auto left = [this] { return static_cast<uint64_t>(end_ - at_); };
  switch (tag & 7) {
    case kVarint:
      return ReadVarint(&at_, end_, &number_) || Fail();
    case kFixed64:
      if (left() < 8) return Fail();
      number_ = Load<uint64_t>(at_, ByteOrder::kLittle);
      at_ += 8;
      return true;
    case kFixed32:
      if (left() < 4) return Fail();
      number_ = Load<uint32_t>(at_, ByteOrder::kLittle);
      at_ += 4;
      return true;
    case kLengthDelimited:
      if (!ReadVarint(&at_, end_, &size) || size > left()) return Fail();
      bytes_ = {at_, static_cast<size_t>(size)};
      at_ += size;
      return true;
    default:
      return Fail();
  }
}

}  // namespace perf2x
