// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/field_stream.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

constexpr size_t kBuffer = 256 << 10;
constexpr uint64_t kMaxField = 16 << 20;
constexpr size_t kMaxHead = 20;  // a tag and a length, or a tag and a number

}  // namespace

FieldStream::FieldStream(ByteSource& source)
    : source_(source), buffer_(kBuffer) {}

absl::Status FieldStream::CutShort() const {
  return absl::DataLossError(
      absl::StrCat("the profile is damaged or cut short at byte ", offset_));
}

absl::StatusOr<bool> FieldStream::Next() {
  RETURN_IF_ERROR(Fill(kMaxHead));
  if (there() == 0) return false;
  const uint8_t* at = buffer_.data() + at_;
  uint64_t tag = 0, size = 0;
  if (!ReadVarint(&at, buffer_.data() + end_, &tag)) return CutShort();
  if ((tag & 7) == 2) {
    if (!ReadVarint(&at, buffer_.data() + end_, &size)) return CutShort();
    const auto head = static_cast<uint64_t>(at - buffer_.data()) - at_;
    if (size > kMaxField) {
      return absl::DataLossError(absl::StrCat(
          "damaged profile: a field of ", size, " bytes at byte ", offset_));
    }
    size += head;
    RETURN_IF_ERROR(Fill(size));
    if (there() < size) return CutShort();
  } else {
    size = std::min<uint64_t>(there(), kMaxHead);
  }
  const uint8_t* const begin = buffer_.data() + at_;
  one_ = ProtoReader({begin, static_cast<size_t>(size)});
  if (!one_.Next()) return CutShort();
  const size_t used = static_cast<size_t>(one_.position() - begin);
  at_ += used;
  offset_ += used;
  return true;
}

absl::Status FieldStream::Fill(uint64_t size) {
  while (there() < size && !ended_) {
    if (at_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + at_, there());
      end_ -= at_;
      at_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    ASSIGN_OR_RETURN(const size_t n,
                     source_.Read(absl::MakeSpan(buffer_).subspan(end_)));
    end_ += n;
    ended_ = n == 0;
  }
  return absl::OkStatus();
}

}  // namespace perf2x
