// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_record.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "converter/base/byte_order.h"
#include "converter/base/prefetch.h"

namespace perf2x {
namespace {

using Kind = SpePacket::Kind;

// The bytes of most records, with their padding.
constexpr size_t kTypicalRecord = 128;

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

// Returns the field that a packet sets; of a load or store, kSpeFieldLoad.
constexpr SpeField FieldOf(Kind kind, uint8_t index) {
  constexpr SpeField kAddresses[] = {kSpeFieldPc, kSpeFieldBranchTarget,
                                     kSpeFieldVirtual, kSpeFieldPhysical,
                                     kSpeFieldPreviousTarget};
  constexpr SpeField kCounters[] = {kSpeFieldLatency, kSpeFieldIssueLatency,
                                    kSpeFieldTranslationLatency};
  constexpr SpeField kOperations[] = {kSpeUnused, kSpeFieldLoad,
                                      kSpeFieldBranch};
  const auto of = [index](const auto& fields) {
    return index < std::size(fields) ? fields[index] : kSpeUnused;
  };
  switch (kind) {
    case Kind::kAddress:
      return of(kAddresses);
    case Kind::kCounter:
      return of(kCounters);
    case Kind::kOperation:
      return of(kOperations);
    case Kind::kContext:
      return kSpeFieldContext;
    case Kind::kEvents:
      return kSpeFieldEvents;
    case Kind::kDataSource:
      return kSpeFieldSource;
    case Kind::kTimestamp:
      return kSpeFieldTimestamp;
    default:
      return kSpeUnused;
  }
}

// What to do with a packet with this header.
struct Plan {
  bool sets_field = false;
  uint8_t field = kSpeUnused;
  uint8_t odd = 0;   // added to `field` if the payload is odd
  uint8_t keep = 0;  // 1: bits of an earlier packet stay
};
constexpr std::array<Plan, 256> kPlans = [] {
  std::array<Plan, 256> plans{};
  for (size_t byte = 0; byte < plans.size(); ++byte) {
    const spe_internal::Header& header = spe_internal::kHeaders[byte];
    const SpeField field = FieldOf(header.kind, header.index);
    // A timestamp ends the record.
    plans[byte] = {header.payload > 0 && header.kind != Kind::kTimestamp, field,
                   static_cast<uint8_t>(field == kSpeFieldLoad ? 1 : 0),
                   static_cast<uint8_t>(field == kSpeFieldEvents ? 1 : 0)};
  }
  return plans;
}();

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

// Reads packets up to one that sets no field, or to the last bytes of the
// trace. Has no branch on the kind of a packet, which the processor would guess
// wrong.
inline void SpeDecoder::ReadFields() {
  if (trace_.size() < kMaxPacket) return;
  const uint8_t* const bytes = trace_.data();
  const size_t end = trace_.size() - kMaxPacket;
  size_t at = at_;
  uint32_t present = fields_.present;
  while (at < end) {
    const uint8_t header = bytes[at];
    const Plan plan = kPlans[header];
    if (!plan.sets_field) break;
    // The next packet's place comes faster from the header than from a table.
    const size_t size = spe_internal::PayloadOf(header);
    const uint64_t payload =
        Load<uint64_t>(bytes + at + 1, ByteOrder::kLittle) &
        (~uint64_t{0} >> (64 - 8 * size));
    const uint64_t field = plan.field + (payload & plan.odd);
    uint64_t& value = fields_.values[field];
    value = payload | (value & (0 - uint64_t{plan.keep}));
    present |= uint32_t{1} << field;
    at += 1 + size;
  }
  fields_.present = present;
  unfinished_bytes_ += at - at_;
  at_ = at;
}

// Does what ReadFields does for a packet.
void SpeDecoder::SetField(const SpePacket& packet) {
  uint8_t field = FieldOf(packet.kind, packet.index);
  if (field == kSpeFieldLoad) field += packet.payload & 1;
  uint64_t& value = fields_.values[field];
  value = packet.payload | (field == kSpeFieldEvents ? value : 0);
  fields_.present |= uint32_t{1} << field;
}

// Sets the record to the fields, which it resets.
inline void SpeDecoder::Finish(SpeRecord* record) {
  const auto& values = fields_.values;
  const auto has = [this](SpeField field) {
    return (fields_.present >> field & 1) != 0;
  };
  record->pc = CodeAddress(values[kSpeFieldPc]);
  record->has_pc = has(kSpeFieldPc);
  record->exception_level = SpeExceptionLevel(values[kSpeFieldPc]);
  record->branch_target = CodeAddress(values[kSpeFieldBranchTarget]);
  record->previous_target = CodeAddress(values[kSpeFieldPreviousTarget]);
  record->virtual_address = DataAddress(values[kSpeFieldVirtual]);
  record->physical_address = values[kSpeFieldPhysical] & kSpeAddressBits;
  record->events = values[kSpeFieldEvents];
  record->timestamp.reset();
  if (has(kSpeFieldTimestamp)) record->timestamp = values[kSpeFieldTimestamp];
  record->context.reset();
  if (has(kSpeFieldContext)) {
    record->context = static_cast<uint32_t>(values[kSpeFieldContext]);
  }
  const auto cycles = [&](SpeField field) {
    return static_cast<uint16_t>(values[field]);
  };
  record->latency = cycles(kSpeFieldLatency);
  record->issue_latency = cycles(kSpeFieldIssueLatency);
  record->translation_latency = cycles(kSpeFieldTranslationLatency);
  record->source = static_cast<uint16_t>(values[kSpeFieldSource]);
  record->has_source = has(kSpeFieldSource);
  record->operation = fields_.present >> kSpeFieldLoad & 7;
  record->branch = static_cast<uint8_t>(values[kSpeFieldBranch]);
  fields_ = Fields();
  unfinished_bytes_ = 0;
  // Other buffers may be read before the next record, which is small.
  if (trace_.size() - at_ > kTypicalRecord) {
    PrefetchAll(trace_.data() + at_, kTypicalRecord);
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
    if (cut_size_ == 0) {
      ReadFields();
      SkipPadding();
    }
    const size_t at = at_;
    if (!ReadPacket(&packet)) return false;
    switch (packet.kind) {
      case Kind::kBad:
        Bad(at);
        // What was read may belong to another record than what follows.
        fields_ = Fields();
        unfinished_bytes_ = 0;
        break;
      case Kind::kPad:
        break;
      case Kind::kTimestamp:
        SetField(packet);
        [[fallthrough]];
      case Kind::kEnd:
        Finish(record);
        return true;
      default:
        unfinished_bytes_ += packet.size;
        SetField(packet);
        break;
    }
  }
}

}  // namespace perf2x
