// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_SPE_PACKET_H_
#define PERF2X_HWTRACE_SPE_PACKET_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"

// Packets of Arm's Statistical Profiling Extension, up to SPE v1.4 (Armv9.4):
// Arm Architecture Reference Manual, DDI 0487, chapter D18 "Statistical
// Profiling Extension Sample Record Specification".

namespace perf2x {

// A packet of a trace.
struct SpePacket {
  enum class Kind : uint8_t {
    kBad,  // no packet starts with this byte
    kPad,  // padding, and alignment packets
    kEnd,  // the record ends, without a timestamp
    kTimestamp,
    kAddress,
    kCounter,
    kContext,
    kOperation,
    kEvents,
    kDataSource,
  };
  Kind kind = Kind::kBad;
  // The kind of address, counter or operation: an SpeAddress, SpeCounter or
  // SpeOperation. Other values may occur. In a context packet: the exception
  // level less 1. In all other packets: 0.
  uint8_t index = 0;
  uint16_t size = 1;     // bytes in the trace, header included
  uint64_t payload = 0;  // zero-extended
};

// Values of SpePacket::index in a kAddress packet. kSpePc is the sampled
// instruction; kSpeVirtual and kSpePhysical are addresses of data.
enum SpeAddress : uint8_t {
  kSpePc = 0,
  kSpeBranchTarget = 1,
  kSpeVirtual = 2,
  kSpePhysical = 3,
  kSpePreviousTarget = 4,
};
// Values of SpePacket::index in a kCounter packet, which has cycles.
enum SpeCounter : uint8_t {
  kSpeTotalLatency = 0,
  kSpeIssueLatency = 1,
  kSpeTranslationLatency = 2,
};
// Values of SpePacket::index in a kOperation packet.
enum SpeOperation : uint8_t {
  kSpeOther = 0,
  kSpeLoadStore = 1,
  kSpeBranch = 2
};

// Bits of an events packet.
enum SpeEvent : uint64_t {
  kSpeExceptionGen = 1 << 0,
  kSpeRetired = 1 << 1,
  kSpeL1dAccess = 1 << 2,
  kSpeL1dRefill = 1 << 3,
  kSpeTlbAccess = 1 << 4,
  kSpeTlbWalk = 1 << 5,
  kSpeNotTaken = 1 << 6,
  kSpeMispredicted = 1 << 7,
  kSpeLlcAccess = 1 << 8,
  kSpeLlcMiss = 1 << 9,
  kSpeRemoteAccess = 1 << 10,
  kSpeAlignment = 1 << 11,
  kSpeTransactional = 1 << 16,
  kSpePartialPredicate = 1 << 17,
  kSpeEmptyPredicate = 1 << 18,
  kSpeL2dAccess = 1 << 19,
  kSpeL2dMiss = 1 << 20,
  kSpeDataModified = 1 << 21,
  kSpeRecentlyFetched = 1 << 22,
  kSpeDataSnooped = 1 << 23,
  kSpeStreamingSve = 1 << 24,
  kSpeSmcu = 1 << 25,
};

// The bits of an address packet's payload that are the address: [55:0].
inline constexpr uint64_t kSpeAddressBits = (uint64_t{1} << 56) - 1;
// Return the exception level and the NS bit. Require the payload of an address
// packet with a code address (PC or branch target).
inline uint8_t SpeExceptionLevel(uint64_t payload) { return payload >> 61 & 3; }
inline bool SpeNonSecure(uint64_t payload) { return payload >> 63 != 0; }

namespace spe_internal {

SpePacket ReadExtended(absl::Span<const uint8_t> trace, size_t at);

// What the first byte of a packet says.
struct Header {
  SpePacket::Kind kind = SpePacket::Kind::kBad;
  uint8_t index = 0;
  uint8_t payload = 0;  // bytes; 0: none, or of an extended header
  bool extended = false;
};
// Returns the size of the payload, if there is one: bits [5:4] of the header
// stand for 1, 2, 4 or 8 bytes.
constexpr uint8_t PayloadOf(uint8_t header) {
  return static_cast<uint8_t>(1 << (header >> 4 & 3));
}
constexpr Header HeaderOf(uint8_t byte) {
  using Kind = SpePacket::Kind;
  const uint8_t size = PayloadOf(byte);
  const auto with = [&](Kind kind, int mask) {
    return Header{kind, static_cast<uint8_t>(byte & mask), size, false};
  };
  if (byte == 0) return {Kind::kPad, 0, 0, false};
  if (byte == 1) return {Kind::kEnd, 0, 0, false};
  if ((byte & 0xfc) == 0x20) return {Kind::kBad, 0, 0, true};
  if (byte == 0x71) return with(Kind::kTimestamp, 0);
  if ((byte & 0xcf) == 0x42) return with(Kind::kEvents, 0);
  if ((byte & 0xcf) == 0x43) return with(Kind::kDataSource, 0);
  if ((byte & 0xfc) == 0x64) return with(Kind::kContext, 3);
  if ((byte & 0xfc) == 0x48) return with(Kind::kOperation, 3);
  if ((byte & 0xf8) == 0xb0) return with(Kind::kAddress, 7);
  if ((byte & 0xf8) == 0x98) return with(Kind::kCounter, 7);
  return {};
}
inline constexpr std::array<Header, 256> kHeaders = [] {
  std::array<Header, 256> headers{};
  for (size_t byte = 0; byte < headers.size(); ++byte) {
    headers[byte] = HeaderOf(static_cast<uint8_t>(byte));
  }
  return headers;
}();

}  // namespace spe_internal

// Reads the packet at offset `at`, which must be before the end of `trace`.
// Returns a kBad packet of one byte if the header is unknown, or if `trace`
// ends within the packet. An alignment packet to N bytes ends at the next
// multiple of N from the start of `trace`.
inline SpePacket ReadSpePacket(absl::Span<const uint8_t> trace, size_t at) {
  const spe_internal::Header header = spe_internal::kHeaders[trace[at]];
  if (header.extended) return spe_internal::ReadExtended(trace, at);
  SpePacket packet;
  if (header.payload == 0) {
    packet.kind = header.kind;
    return packet;
  }
  const size_t size = header.payload;
  if (trace.size() - at < 1 + size) return packet;
  uint64_t payload = 0;
  if (trace.size() - at >= 1 + 8) {
    // One load of eight bytes is faster than a branch on the size.
    payload = Load<uint64_t>(&trace[at + 1], ByteOrder::kLittle);
    payload &= ~uint64_t{0} >> (64 - 8 * size);
  } else {
    for (size_t i = size; i-- > 0;) payload = payload << 8 | trace[at + 1 + i];
  }
  packet.kind = header.kind;
  packet.index = header.index;
  packet.payload = payload;
  packet.size = static_cast<uint16_t>(1 + size);
  return packet;
}

// Appends the packet to `*out` as `perf report -D` shows it: "PC
// 0xff80001029d3f4 el1 ns=1", "LAT 11 ISSUE".
void AppendSpePacket(const SpePacket& packet, std::string* out);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_SPE_PACKET_H_
