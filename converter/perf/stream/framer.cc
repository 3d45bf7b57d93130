// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/framer.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "converter/perf/header/file_header.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// The largest size of records whose size has 32 bits. simpleperf's largest
// records hold tracing data or the symbols of one file; records of perf that
// overflow 16 bits are much shorter.
constexpr uint64_t kMaxRecord = 16 << 20;

}  // namespace

bool Framer::Refill(uint64_t n) {
  while (static_cast<uint64_t>(end_ - at_) < n) {
    if (feed_ended_) return false;
    auto next = feed_->Next({at_, static_cast<size_t>(end_ - at_)});
    if (!next.ok() || !*next) {
      feed_ended_ = !open_ended_;
      if (!next.ok() && status_.ok()) status_ = next.status();
      return false;
    }
    block_ = *std::move(next);
    at_ = block_->bytes().data();
    end_ = at_ + block_->bytes().size();
  }
  return true;
}

void Framer::RanOut(absl::string_view message) {
  if (!open_ended_) Damage(message);
}

void Framer::Damage(absl::string_view message) {
  feed_ended_ = true;
  if (status_.ok()) status_ = absl::DataLossError(message);
}

bool Framer::NextOther(RawRecord* record) {
  if (!status_.ok()) return false;
  if (!Ensure(kHeaderSize)) {
    if (at_ != end_) {
      RanOut(absl::StrCat("input ends inside a record header, after ",
                          end_ - at_, " of 8 bytes"));
    }
    return false;
  }
  const uint32_t type = Load<uint32_t>(at_, order_);
  uint64_t size = Load<uint16_t>(at_ + 6, order_);
  if (type >= kRecordSimpleperfFirst) {
    // simpleperf's own records use misc as the upper half of a 32-bit size.
    size |= uint64_t{Load<uint16_t>(at_ + 4, order_)} << 16;
  } else if (type == kRecordCompressed2 && Ensure(kHeaderSize + 8)) {
    // The writer rounds the record's size up to 8 in 16 bits, which may
    // overflow; data_size does not. A record whose size overflowed has no
    // padding.
    const uint64_t data_size = Load<uint64_t>(at_ + kHeaderSize, order_);
    constexpr uint64_t kMax = uint64_t{1} << 32;
    if (data_size < kMax && (kHeaderSize + 8 + data_size + 7) / 8 * 8 > size) {
      size = kHeaderSize + 8 + data_size;
    }
  }
  if (size < uint64_t{kHeaderSize}) {
    Damage(absl::StrCat("record of type ", type, " claims a size of ", size,
                        " bytes, expected at least 8"));
    return false;
  }
  if (size > kMaxRecord) {
    if (CheckMagic({at_, kHeaderSize}).ok()) {
      Damage(kAnotherRecordingFollows);
      return false;
    }
    // "[ perf record: Woken up 1 times to write data ]"
    if (std::memcmp(at_, "[ perf record", kHeaderSize) == 0) {
      Damage("messages of perf record are in the recording, as by 2>&1");
      return false;
    }
    Damage(absl::StrCat("record of type ", type, " claims a size of ", size,
                        " bytes, more than any writer makes"));
    return false;
  }
  if (!Ensure(size)) {
    cut_ = !open_ended_;
    RanOut(absl::StrCat("record of type ", type, " and ", size,
                        " bytes runs past the end, ", end_ - at_,
                        " bytes left"));
    return false;
  }
  Take(type, size, record);
  return true;
}

std::optional<uint32_t> Framer::cut_record_type() const {
  if (!cut_) return std::nullopt;
  return Load<uint32_t>(at_, order_);
}

bool Framer::TakeCutRecord(RawRecord* record) {
  if (!cut_ || unread() <= kHeaderSize) return false;
  cut_ = false;
  record->type = Load<uint32_t>(at_, order_);
  record->misc = Load<uint16_t>(at_ + 4, order_);
  record->order = order_;
  record->body = {at_ + kHeaderSize,
                  static_cast<size_t>(unread() - kHeaderSize)};
  record->offset = offset_;
  record->block = &block_;
  at_ = end_;
  return true;
}

absl::Span<const uint8_t> Framer::TakePayload(uint64_t n) {
  if (!Ensure(n)) n = static_cast<uint64_t>(end_ - at_);
  absl::Span<const uint8_t> out(at_, static_cast<size_t>(n));
  at_ += n;
  offset_ += n;
  return out;
}

void Framer::CopyPayload(uint64_t n, std::vector<uint8_t>* to) {
  while (n > 0) {
    if (at_ == end_ && !Refill(1)) break;
    const uint64_t step = std::min(n, static_cast<uint64_t>(end_ - at_));
    to->insert(to->end(), at_, at_ + step);
    at_ += step;
    offset_ += step;
    n -= step;
  }
}

uint64_t Framer::SkipPayload(uint64_t n) {
  uint64_t skipped = 0;
  while (skipped < n) {
    if (at_ == end_ && !Refill(1)) break;
    const uint64_t step =
        std::min(n - skipped, static_cast<uint64_t>(end_ - at_));
    at_ += step;
    skipped += step;
  }
  offset_ += skipped;
  return skipped;
}

}  // namespace perf2x
