// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_record.h"

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

bool SpeDecoder::Next(SpeRecord* record) {
  *record = SpeRecord();
  while (at_ < trace_.size()) {
    const SpePacket packet = ReadSpePacket(trace_, at_);
    const size_t at = at_;
    at_ += packet.size;
    switch (packet.kind) {
      case Kind::kBad:
        Bad(at);
        // What was read may belong to another record than what follows.
        *record = SpeRecord();
        break;
      case Kind::kPad:
        break;
      case Kind::kTimestamp:
        record->timestamp = packet.payload;
        return true;
      case Kind::kEnd:
        return true;
      case Kind::kAddress:
        SetAddress(packet, record);
        break;
      case Kind::kCounter:
        SetCounter(packet, record);
        break;
      case Kind::kContext:
        record->context = static_cast<uint32_t>(packet.payload);
        break;
      case Kind::kOperation:
        SetOperation(packet, record);
        break;
      case Kind::kEvents:
        record->events |= packet.payload;
        break;
      case Kind::kDataSource:
        record->source = static_cast<uint16_t>(packet.payload);
        record->has_source = true;
        break;
    }
  }
  return false;
}

}  // namespace perf2x
