// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_packet.h"

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

using Kind = SpePacket::Kind;

// A property that a packet has if payload & mask == value.
struct Word {
  uint64_t mask, value;
  const char* text;
};
constexpr Word Bit(uint64_t bit, const char* text) { return {bit, bit, text}; }

constexpr Word kEvents[] = {
    Bit(kSpeExceptionGen, " EXCEPTION-GEN"),
    Bit(kSpeRetired, " RETIRED"),
    Bit(kSpeL1dAccess, " L1D-ACCESS"),
    Bit(kSpeL1dRefill, " L1D-REFILL"),
    Bit(kSpeTlbAccess, " TLB-ACCESS"),
    Bit(kSpeTlbWalk, " TLB-REFILL"),
    Bit(kSpeNotTaken, " NOT-TAKEN"),
    Bit(kSpeMispredicted, " MISPRED"),
    Bit(kSpeLlcAccess, " LLC-ACCESS"),
    Bit(kSpeLlcMiss, " LLC-REFILL"),
    Bit(kSpeRemoteAccess, " REMOTE-ACCESS"),
    Bit(kSpeAlignment, " ALIGNMENT"),
    Bit(kSpeTransactional, " TXN"),
    Bit(kSpePartialPredicate, " SVE-PARTIAL-PRED"),
    Bit(kSpeEmptyPredicate, " SVE-EMPTY-PRED"),
    Bit(kSpeL2dAccess, " L2D-ACCESS"),
    Bit(kSpeL2dMiss, " L2D-MISS"),
    Bit(kSpeDataModified, " HITM"),
    Bit(kSpeRecentlyFetched, " LFB"),
    Bit(kSpeDataSnooped, " SNOOPED"),
    Bit(kSpeStreamingSve, " STREAMING-SVE"),
    Bit(kSpeSmcu, " SMCU"),
};

// Subclasses of loads and stores, the first that matches.
constexpr Word kLoadStore[] = {
    {0xe2, 0x02, ""},  // atomic, exclusive, acquire or release: see below
    {0xfe, 0x04, " SIMD-FP"},
    {0xfe, 0x00, " GP-REG"},
    {0xfe, 0x10, " UNSPEC-REG"},
    {0xfe, 0x30, " NV-SYSREG"},
    {0xfe, 0x14, " MTE-TAG"},
    {0xfe, 0x20, " MEMCPY"},
    {0xff, 0x25, " MEMSET"},
    {0x0a, 0x08, " SVE-SME-REG"},
    {0xfa, 0x40, " GCS"},
};

void AppendEach(absl::Span<const Word> words, uint64_t payload,
                std::string* out) {
  for (const Word& word : words) {
    if ((payload & word.mask) == word.value) absl::StrAppend(out, word.text);
  }
}

const Word* FirstOf(absl::Span<const Word> words, uint64_t payload) {
  for (const Word& word : words) {
    if ((payload & word.mask) == word.value) return &word;
  }
  return nullptr;
}

void AppendEvents(uint64_t payload, std::string* out) {
  absl::StrAppend(out, "EV");
  AppendEach(kEvents, payload, out);
  for (const Word& word : kEvents) payload &= ~word.mask;
  // What the processor's designer defines.
  const char* separator = " IMPDEF:";
  for (; payload != 0; payload &= payload - 1) {
    absl::StrAppend(out, separator, std::countr_zero(payload));
    separator = ",";
  }
}

// Bits [6:4] are the binary logarithm of the vector length in 32 bits.
void AppendVectorLength(uint64_t payload, std::string* out) {
  absl::StrAppend(out, " EVLEN ", 32 << (payload >> 4 & 7));
}

// Returns false if the subclass is not known.
bool AppendOther(uint64_t payload, std::string* out) {
  if ((payload & 0x89) == 0x08) {
    absl::StrAppend(out, "SVE-OTHER");
    AppendVectorLength(payload, out);
    AppendEach({{Bit(2, " FP"), Bit(4, " PRED")}}, payload, out);
  } else if ((payload & 0x89) == 0x88) {
    // The tile size has one more bit than a vector length.
    absl::StrAppend(out, "SME-OTHER ETS ",
                    128 << ((payload >> 4 & 7) << 1 | (payload >> 2 & 1)));
    AppendEach({{Bit(2, " FP")}}, payload, out);
  } else if ((payload & 0xf8) == 0) {
    absl::StrAppend(out, "OTHER");
    AppendEach({{Bit(4, " ASE"), Bit(2, " FP")}}, payload, out);
    absl::StrAppend(out, (payload & 1) != 0 ? " COND-SELECT" : " INSN-OTHER");
  } else {
    return false;
  }
  return true;
}

void AppendLoadStore(uint64_t payload, std::string* out) {
  absl::StrAppend(out, (payload & 1) != 0 ? "ST" : "LD");
  const Word* const subclass = FirstOf(kLoadStore, payload);
  if (subclass == nullptr) return;
  absl::StrAppend(out, subclass->text);
  switch (subclass->value) {
    case 0x02:
      AppendEach({{Bit(4, " AT"), Bit(8, " EXCL"), Bit(16, " AR")}}, payload,
                 out);
      break;
    case 0x08:
      AppendVectorLength(payload, out);
      AppendEach({{Bit(4, " PRED"), Bit(0x80, " SG")}}, payload, out);
      break;
    case 0x40:
      AppendEach({{Bit(4, " COMM")}}, payload, out);
      break;
    default:
      break;
  }
}

void AppendBranch(uint64_t payload, std::string* out) {
  absl::StrAppend(out, "B");
  AppendEach({{Bit(1, " COND"),
               Bit(2, " IND"),
               Bit(4, " GCS"),
               {0x18, 0x08, " CR-BL"},
               {0x18, 0x10, " CR-RET"},
               {0x18, 0x18, " CR-NON-BL-RET"}}},
             payload, out);
}

// Returns false if the index is not known.
bool AppendAddress(const SpePacket& packet, std::string* out) {
  constexpr const char* kNames[] = {"PC", "TGT", "VA", "PA", "PBT"};
  const uint64_t payload = packet.payload;
  if (packet.index >= std::size(kNames)) return false;
  const bool is_virtual = packet.index == kSpeVirtual;
  absl::StrAppend(out, kNames[packet.index], " 0x",
                  absl::Hex(is_virtual ? payload : payload & kSpeAddressBits));
  if (is_virtual) return true;
  const int ns = SpeNonSecure(payload) ? 1 : 0;
  if (packet.index == kSpePhysical) {
    absl::StrAppend(out, " ns=", ns, " ch=", payload >> 62 & 1,
                    " pat=", absl::Hex(payload >> 56 & 15));
  } else {
    absl::StrAppend(out, " el", SpeExceptionLevel(payload), " ns=", ns);
  }
  return true;
}

void AppendCounter(const SpePacket& packet, std::string* out) {
  constexpr const char* kNames[] = {"TOT", "ISSUE", "XLAT"};
  absl::StrAppend(out, "LAT ", packet.payload & 0xffff, " ",
                  packet.index < std::size(kNames) ? kNames[packet.index] : "");
}

bool AppendOperation(const SpePacket& packet, std::string* out) {
  switch (packet.index) {
    case kSpeOther:
      return AppendOther(packet.payload, out);
    case kSpeLoadStore:
      AppendLoadStore(packet.payload, out);
      return true;
    case kSpeBranch:
      AppendBranch(packet.payload, out);
      return true;
    default:
      return false;
  }
}

}  // namespace

SpePacket spe_internal::ReadExtended(absl::Span<const uint8_t> trace,
                                     size_t at) {
  SpePacket packet;
  const size_t left = trace.size() - at;
  if (left < 2) return packet;
  const uint8_t header = trace[at + 1];
  if (header == 0) {
    // 2 to 32 bytes
    const size_t alignment = size_t{2} << (trace[at] & 0xf);
    if (left < alignment) return packet;
    packet.kind = Kind::kPad;
    packet.size = static_cast<uint16_t>(alignment - (at & (alignment - 1)));
    return packet;
  }
  Kind kind;
  if ((header & 0xf8) == 0xb0) {
    kind = Kind::kAddress;
  } else if ((header & 0xf8) == 0x98) {
    kind = Kind::kCounter;
  } else {
    return packet;
  }
  const size_t size = size_t{1} << (header >> 4 & 3);
  if (left < 2 + size) return packet;
  packet.kind = kind;
  packet.index = static_cast<uint8_t>((trace[at] & 3) << 3 | (header & 7));
  for (size_t i = size; i-- > 0;) {
    packet.payload = packet.payload << 8 | trace[at + 2 + i];
  }
  packet.size = static_cast<uint16_t>(2 + size);
  return packet;
}

void AppendSpePacket(const SpePacket& packet, std::string* out) {
  const uint64_t payload = packet.payload;
  switch (packet.kind) {
    case Kind::kBad:
      return absl::StrAppend(out, "Bad packet!");
    case Kind::kPad:
      return absl::StrAppend(out, "PAD");
    case Kind::kEnd:
      return absl::StrAppend(out, "END");
    case Kind::kTimestamp:
      return absl::StrAppend(out, "TS ", static_cast<int64_t>(payload));
    case Kind::kDataSource:
      return absl::StrAppend(out, "DATA-SOURCE ",
                             static_cast<int64_t>(payload));
    case Kind::kContext:
      return absl::StrAppend(out, "CONTEXT 0x", absl::Hex(payload), " el",
                             packet.index + 1);
    case Kind::kCounter:
      return AppendCounter(packet, out);
    case Kind::kEvents:
      return AppendEvents(payload, out);
    case Kind::kAddress:
      if (AppendAddress(packet, out)) return;
      return absl::StrAppend(out, "ADDR 0x", absl::Hex(payload), " (",
                             packet.index, ")");
    case Kind::kOperation:
      if (AppendOperation(packet, out)) return;
      return absl::StrAppend(out, "OP-TYPE 0x", absl::Hex(payload), " (",
                             packet.index, ")");
  }
}

}  // namespace perf2x
