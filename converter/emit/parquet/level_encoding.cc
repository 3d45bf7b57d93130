// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/level_encoding.h"

#include <algorithm>
#include <array>

#include "converter/base/byte_order.h"

namespace perf2x {
namespace {

constexpr size_t kGroup = 8;  // numbers whose packed bits are whole bytes

void AppendVarint(uint64_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7) {
    out->push_back(static_cast<char>(number | 0x80));
  }
  out->push_back(static_cast<char>(number));
}

void AppendZigZag(uint64_t number, std::string* out) {
  const uint64_t sign =
      static_cast<uint64_t>(static_cast<int64_t>(number) >> 63);
  AppendVarint(number << 1 ^ sign, out);
}

// Appends numbers of `width` bits each, lowest bit first. Fills the last byte
// with zeros. `width` is from 0 to 64. Numbers must be less than 2^width.
template <class T>
void AppendBits(absl::Span<const T> numbers, int width, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + (numbers.size() * static_cast<size_t>(width) + 7) / 8);
  auto* to = reinterpret_cast<uint8_t*>(out->data()) + begin;
  uint64_t bits = 0;
  int filled = 0;
  for (const uint64_t number : numbers) {
    bits |= number << filled;
    filled += width;
    if (filled < 64) continue;
    Store(bits, to, ByteOrder::kLittle);
    to += sizeof(bits);
    filled -= 64;
    bits = filled == 0 ? 0 : number >> (width - filled);
  }
  for (; filled > 0; filled -= 8, bits >>= 8) {
    *to++ = static_cast<uint8_t>(bits);
  }
}

// Appends numbers as groups of packed bits. Fills the last group with zeros.
template <class T>
void AppendLiterals(absl::Span<const T> numbers, int width, std::string* out) {
  if (numbers.empty()) return;
  const size_t groups = (numbers.size() + kGroup - 1) / kGroup;
  AppendVarint(groups << 1 | 1, out);
  const size_t end = out->size() + groups * static_cast<size_t>(width);
  AppendBits(numbers, width, out);
  out->resize(end);
}

void AppendRun(uint32_t number, size_t count, int width, std::string* out) {
  AppendVarint(uint64_t{count} << 1, out);
  for (int bit = 0; bit < width; bit += 8) {
    out->push_back(static_cast<char>(number >> bit));
  }
}

// A run may begin only where the literals before it are whole groups.
template <class T>
void AppendRunsAndLiterals(absl::Span<const T> numbers, int width,
                           std::string* out) {
  size_t begin = 0;  // of the literals that are not appended yet
  for (size_t at = 0; at < numbers.size();) {
    size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[at]) ++end;
    if (end - at < kGroup) {
      at += kGroup;
      continue;
    }
    AppendLiterals(numbers.subspan(begin, at - begin), width, out);
    AppendRun(numbers[at], end - at, width, out);
    begin = at = end;
  }
  AppendLiterals(numbers.subspan(begin), width, out);
}

}  // namespace

void AppendUint32(uint32_t number, std::string* out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<char>(number >> shift));
  }
}

void AppendPlain(absl::Span<const uint64_t> numbers, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + numbers.size() * sizeof(uint64_t));
  auto* to = reinterpret_cast<uint8_t*>(out->data()) + begin;
  for (const uint64_t number : numbers) {
    Store(number, to, ByteOrder::kLittle);
    to += sizeof(number);
  }
}

void AppendHybrid(absl::Span<const uint32_t> numbers, int width,
                  std::string* out) {
  AppendRunsAndLiterals(numbers, width, out);
}

void Levels::AddOther(uint8_t level, size_t count) {
  if (levels_.empty()) levels_.assign(size_, first_);
  if (count == 1) {
    levels_.push_back(level);
  } else {
    levels_.insert(levels_.end(), count, level);
  }
}

void Levels::AppendTo(std::string* out) const {
  std::string encoded;
  if (!levels_.empty()) {
    AppendRunsAndLiterals(absl::MakeConstSpan(levels_), 1, &encoded);
  } else if (size_ > 0) {
    AppendRun(first_, size_, 1, &encoded);
  }
  AppendUint32(static_cast<uint32_t>(encoded.size()), out);
  out->append(encoded);
}

void AppendDeltas(absl::Span<const uint64_t> numbers, std::string* out) {
  constexpr size_t kBlock = 128, kMiniBlocks = 4;
  constexpr size_t kMiniBlock = kBlock / kMiniBlocks;
  AppendVarint(kBlock, out);
  AppendVarint(kMiniBlocks, out);
  AppendVarint(numbers.size(), out);
  AppendZigZag(numbers.empty() ? 0 : numbers[0], out);
  for (size_t at = 1; at < numbers.size(); at += kBlock) {
    const size_t count = std::min(kBlock, numbers.size() - at);
    std::array<uint64_t, kBlock> deltas{};
    int64_t least = 0;
    for (size_t i = 0; i < count; ++i) {
      deltas[i] = numbers[at + i] - numbers[at + i - 1];
      const auto delta = static_cast<int64_t>(deltas[i]);
      least = i == 0 ? delta : std::min(least, delta);
    }
    for (size_t i = 0; i < count; ++i)
      deltas[i] -= static_cast<uint64_t>(least);
    AppendZigZag(static_cast<uint64_t>(least), out);
    std::array<int, kMiniBlocks> widths;
    for (size_t m = 0; m < kMiniBlocks; ++m) {
      uint64_t all = 0;
      for (size_t i = 0; i < kMiniBlock; ++i) all |= deltas[m * kMiniBlock + i];
      widths[m] = BitWidthOf(all);
      out->push_back(static_cast<char>(widths[m]));
    }
    for (size_t m = 0; m * kMiniBlock < count; ++m) {
      AppendBits(absl::MakeConstSpan(&deltas[m * kMiniBlock], kMiniBlock),
                 widths[m], out);
    }
  }
}

}  // namespace perf2x
