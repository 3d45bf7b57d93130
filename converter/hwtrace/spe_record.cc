// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_record.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "converter/base/byte_order.h"

namespace perf2x {
namespace {

using Kind = SpePacket::Kind;

constexpr uint64_t kTopByte = uint64_t{0xff} << 56;

// Bits [63:56] of the address of an instruction are its state; those of an
// address of the kernel are ones.
uint64_t CodeAddress(uint64_t payload) {
  const uint8_t level = SpeExceptionLevel(payload);
  const bool kernel = SpeNonSecure(payload) && (level == 1 || level == 2);
  return (payload & kSpeAddressBits) | (kernel ? kTopByte : 0);
}

// Bits [63:56] of the address of data are a tag. Bits [55:52] tell the kernel's
// addresses from others (Documentation/arch/arm64/memory.rst).
uint64_t DataAddress(uint64_t payload) {
  const bool kernel = (payload >> 52 & 0xf) == 0xf;
  return (payload & kSpeAddressBits) | (kernel ? kTopByte : 0);
}

void SetAddress(const SpePacket& packet, SpeRecord* record) {
  const uint64_t payload = packet.payload;
  switch (packet.index) {
    case kSpePc:
      record->pc = CodeAddress(payload);
      record->has_pc = true;
      record->exception_level = SpeExceptionLevel(payload);
      break;
    case kSpeBranchTarget:
      record->branch_target = CodeAddress(payload);
      break;
    case kSpePreviousTarget:
      record->previous_target = CodeAddress(payload);
      break;
    case kSpeVirtual:
      record->virtual_address = DataAddress(payload);
      break;
    case kSpePhysical:
      record->physical_address = payload & kSpeAddressBits;
      break;
    default:
      break;
  }
}

void SetCounter(const SpePacket& packet, SpeRecord* record) {
  const auto cycles = static_cast<uint16_t>(packet.payload);
  if (packet.index == kSpeTotalLatency) record->latency = cycles;
  if (packet.index == kSpeIssueLatency) record->issue_latency = cycles;
  if (packet.index == kSpeTranslationLatency) {
    record->translation_latency = cycles;
  }
}

void SetOperation(const SpePacket& packet, SpeRecord* record) {
  if (packet.index == kSpeLoadStore) {
    record->operation |=
        (packet.payload & 1) != 0 ? SpeRecord::kStore : SpeRecord::kLoad;
  } else if (packet.index == kSpeBranch) {
    record->operation |= SpeRecord::kBranch;
    record->branch = static_cast<uint8_t>(packet.payload);
  }
}

}  // namespace

void SpeDecoder::Bad(size_t at) {
  if (bad_bytes_++ == 0) first_bad_ = at;
}

void SpeDecoder::Continue(absl::Span<const uint8_t> trace) {
  trace_ = trace;
  at_ = 0;
  bad_bytes_ = 0;
  first_bad_ = 0;
}

// Returns true if the trace ends within a packet at offset `at`, which is none
// for now: with more bytes, it would be one.
bool SpeDecoder::IsCut(size_t at) const {
  std::array<uint8_t, kMaxPacket> longer{};
  const auto rest = trace_.subspan(at);
  if (rest.size() >= longer.size()) return false;
  if (rest.size() == 1 && (rest[0] & 0xfc) == 0x20) return true;
  std::copy(rest.begin(), rest.end(), longer.begin());
  const Kind kind = ReadSpePacket(longer, 0).kind;
  return kind != Kind::kBad && kind != Kind::kPad;
}

// Skips padding, which may be a large part of a trace: records begin at
// multiples of up to 2,048 bytes.
inline void SpeDecoder::SkipPadding() {
  while (trace_.size() - at_ >= sizeof(uint64_t)) {
    const auto bytes = Load<uint64_t>(&trace_[at_], ByteOrder::kLittle);
    if (bytes != 0) {
      at_ += static_cast<size_t>(std::countr_zero(bytes)) / 8;
      return;
    }
    at_ += sizeof(bytes);
  }
}

// Reads the next packet. Returns false at the end of the trace.
inline bool SpeDecoder::ReadPacket(SpePacket* packet) {
  if (cut_size_ > 0 || trace_.size() - at_ < kMaxPacket) {
    return ReadPacketAtAnEnd(packet);
  }
  *packet = ReadSpePacket(trace_, at_);
  at_ += packet->size;
  return true;
}

// Reads a packet that may have begun in the buffer before, or go on in the
// next one.
bool SpeDecoder::ReadPacketAtAnEnd(SpePacket* packet) {
  if (cut_size_ > 0) {
    std::array<uint8_t, kMaxPacket> joined = cut_;
    const auto rest = trace_.subspan(0, joined.size() - cut_size_);
    std::copy(rest.begin(), rest.end(), joined.begin() + cut_size_);
    const auto whole =
        absl::MakeConstSpan(joined).subspan(0, cut_size_ + rest.size());
    *packet = ReadSpePacket(whole, 0);
    if (packet->kind == Kind::kBad && whole.size() < joined.size()) {
      const SpeDecoder again(whole);
      if (again.IsCut(0)) {
        cut_ = joined;
        cut_size_ = whole.size();
        at_ = trace_.size();
        return false;
      }
    }
    // A packet is longer than what was cut.
    at_ = std::max<size_t>(packet->size, cut_size_) - cut_size_;
    cut_size_ = 0;
    return true;
  }
  if (at_ == trace_.size()) return false;
  *packet = ReadSpePacket(trace_, at_);
  if (packet->kind == Kind::kBad && trace_.size() - at_ < kMaxPacket &&
      IsCut(at_)) {
    const auto rest = trace_.subspan(at_);
    std::copy(rest.begin(), rest.end(), cut_.begin());
    cut_size_ = rest.size();
    at_ = trace_.size();
    return false;
  }
  at_ += packet->size;
  return true;
}

bool SpeDecoder::Next(SpeRecord* record) {
  SpePacket packet;
  for (;;) {
    if (cut_size_ == 0) SkipPadding();
    const size_t at = at_;
    if (!ReadPacket(&packet)) return false;
    unfinished_bytes_ += packet.size;
    switch (packet.kind) {
      case Kind::kBad:
        Bad(at);
        // What was read may belong to another record than what follows.
        record_ = SpeRecord();
        unfinished_bytes_ = 0;
        break;
      case Kind::kPad:
        unfinished_bytes_ -= packet.size;
        break;
      case Kind::kTimestamp:
        record_.timestamp = packet.payload;
        [[fallthrough]];
      case Kind::kEnd:
        *record = std::exchange(record_, SpeRecord());
        unfinished_bytes_ = 0;
        return true;
      case Kind::kAddress:
        SetAddress(packet, &record_);
        break;
      case Kind::kCounter:
        SetCounter(packet, &record_);
        break;
      case Kind::kContext:
        record_.context = static_cast<uint32_t>(packet.payload);
        break;
      case Kind::kOperation:
        SetOperation(packet, &record_);
        break;
      case Kind::kEvents:
        record_.events |= packet.payload;
        break;
      case Kind::kDataSource:
        record_.source = static_cast<uint16_t>(packet.payload);
        record_.has_source = true;
        break;
    }
  }
}

}  // namespace perf2x
