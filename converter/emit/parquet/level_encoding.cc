// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/level_encoding.h"

#include <algorithm>
#include <array>

#include "converter/base/leb128.h"

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

}  // namespace

void AppendUint32(uint32_t number, std::string* out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<char>(number >> shift));
  }
}

void AppendBits(absl::Span<const uint64_t> numbers, int width,
                std::string* out) {
  unsigned __int128 bits = 0;
  int filled = 0;
  for (const uint64_t number : numbers) {
    bits |= static_cast<unsigned __int128>(number) << filled;
    filled += width;
    for (; filled >= 8; filled -= 8, bits >>= 8) {
      out->push_back(static_cast<char>(bits));
    }
  }
  if (filled > 0) out->push_back(static_cast<char>(bits));
}

// A run may begin only where the literals before it are whole groups.
void HybridEncoder::EndRun() {
  for (; run_ > 0 && literals_.size() % kGroup != 0; --run_) {
    literals_.push_back(value_);
  }
  if (run_ < kGroup) {
    literals_.insert(literals_.end(), run_, value_);
  } else {
    AppendLiterals();
    AppendVarint(uint64_t{run_} << 1, &out_);
    for (int bit = 0; bit < width_; bit += 8) {
      out_.push_back(static_cast<char>(value_ >> bit));
    }
  }
  run_ = 0;
}

void HybridEncoder::AppendLiterals() {
  if (literals_.empty()) return;
  AppendVarint(literals_.size() / kGroup << 1 | 1, &out_);
  AppendBits(literals_, width_, &out_);
  literals_.clear();
}

void HybridEncoder::Finish() {
  EndRun();
  while (literals_.size() % kGroup != 0) literals_.push_back(0);
  AppendLiterals();
}

void Levels::AppendTo(std::string* out, uint8_t max) const {
  std::string encoded;
  HybridEncoder encoder(BitWidthOf(max), &encoded);
  for (const Run& run : runs_) encoder.Put(run.level, run.count);
  encoder.Put(last_.level, last_.count);
  encoder.Finish();
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
      AppendBits({&deltas[m * kMiniBlock], kMiniBlock}, widths[m], out);
    }
  }
}

}  // namespace perf2x
