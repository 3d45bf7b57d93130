// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_packet_lines.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "converter/hwtrace/spe_packet.h"

namespace perf2x {
namespace {

constexpr size_t kBytesOfLine = 16;

// Reads the packets of one line.
SpePacket ReadLine(absl::Span<const uint8_t> trace, size_t at) {
  SpePacket packet = ReadSpePacket(trace, at);
  if (packet.kind != SpePacket::Kind::kPad) return packet;
  const size_t end = std::min(trace.size(), at + kBytesOfLine);
  size_t next = at + packet.size;
  while (next < end && trace[next] == 0) ++next;
  packet.size = static_cast<uint16_t>(next - at);
  return packet;
}

// Two digits for each byte.
constexpr std::array<std::array<char, 2>, 256> kHex = [] {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> hex{};
  for (size_t i = 0; i < hex.size(); ++i) {
    hex[i] = {kDigits[i >> 4], kDigits[i & 15]};
  }
  return hex;
}();

// Appends ".  0000001c:  b0 00 …" and the spaces up to the meaning.
void AppendBytes(absl::Span<const uint8_t> bytes, size_t at,
                 std::string* text) {
  constexpr size_t kPlace = 3, kFirstByte = 14, kByte = 3;
  std::array<char, kFirstByte + kByte * kBytesOfLine> line;
  line.fill(' ');
  line[0] = '.';
  for (size_t i = 0; i < 4; ++i) {
    const size_t byte = at >> (24 - 8 * i) & 0xff;
    std::memcpy(&line[kPlace + 2 * i], kHex[byte].data(), 2);
  }
  line[kPlace + 8] = ':';
  for (size_t i = 0; i < std::min(bytes.size(), kBytesOfLine); ++i) {
    std::memcpy(&line[kFirstByte + kByte * i], kHex[bytes[i]].data(), 2);
  }
  text->append(line.data(), line.size());
}

}  // namespace

size_t EndOfSpePackets(absl::Span<const uint8_t> trace, size_t at,
                       size_t size) {
  if (trace.size() - at <= size) return trace.size();
  const size_t until = at + size;
  while (at < until) at += ReadLine(trace, at).size;
  return at;
}

void AppendSpePacketLines(absl::Span<const uint8_t> trace, size_t begin,
                          size_t end, std::string* text) {
  for (size_t at = begin; at < end;) {
    const SpePacket packet = ReadLine(trace, at);
    AppendBytes(trace.subspan(at, packet.size), at, text);
    AppendSpePacket(packet, text);
    *text += '\n';
    at += packet.size;
  }
}

}  // namespace perf2x
