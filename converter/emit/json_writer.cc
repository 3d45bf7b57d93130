// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "converter/base/text.h"

namespace perf2x {
namespace {

// Returns true if a JSON string may hold `s` as it is: ASCII without control
// characters (DEL is one), quotes and backslashes.
bool IsPlain(absl::string_view s) {
  constexpr uint64_t kOnes = 0x0101010101010101u, kHighs = kOnes * 0x80;
  // Sets the high bit of each zero byte; the borrow may also set those of bytes
  // above a zero byte.
  const auto zeros = [](uint64_t w) { return (w - kOnes) & ~w & kHighs; };
  const auto is_plain = [&zeros](uint64_t w) {
    return ((w | (w - kOnes * 0x20) | (w + kOnes) | zeros(w ^ kOnes * '"') |
             zeros(w ^ kOnes * '\\')) &
            kHighs) == 0;
  };
  for (; s.size() >= 8; s.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, s.data(), 8);
    if (!is_plain(word)) return false;
  }
  uint64_t rest = kOnes * ' ';
  if (!s.empty()) std::memcpy(&rest, s.data(), s.size());
  return is_plain(rest);
}

constexpr size_t kIntSize = 20;  // characters of a 64-bit number
static_assert(kMicrosSize == kIntSize + 4);
static_assert(kMillisSize == kIntSize + 7);

}  // namespace

char* PutMicros(uint64_t ns, char* text) {
  char* end = std::to_chars(text, text + kIntSize, ns / 1000).ptr;
  const unsigned rest = ns % 1000;
  *end++ = '.';
  *end++ = static_cast<char>('0' + rest / 100);
  *end++ = static_cast<char>('0' + rest / 10 % 10);
  *end++ = static_cast<char>('0' + rest % 10);
  return end;
}

char* PutMillis(uint64_t ns, char* text) {
  char* end = std::to_chars(text, text + kIntSize, ns / 1'000'000).ptr;
  uint64_t rest = ns % 1'000'000;
  if (rest == 0) return end;
  *end++ = '.';
  for (uint64_t digit = 100'000; rest != 0; digit /= 10) {
    *end++ = static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  return end;
}

void JsonWriter::Writer::PlainString(absl::string_view text) {
  Prefix(rapidjson::kStringType);
  char* to = os_->Push(text.size() + 2);
  *to++ = '"';
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  to[text.size()] = '"';
}

void JsonWriter::Text(absl::string_view text) {
  if (IsPlain(text)) return writer_.PlainString(text);
  scratch_.clear();
  AppendJsonText(text, &scratch_);
  writer_.PlainString(scratch_);
}

void JsonWriter::Uint(uint64_t value) {
  if (value > uint64_t{std::numeric_limits<int64_t>::max()}) {
    Hex(value);
  } else {
    writer_.Uint64(value);
  }
}

void JsonWriter::Double(double value) {
  if (std::isfinite(value)) {
    writer_.Double(value);
  } else {
    String(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  }
}

void JsonWriter::Hex(uint64_t value) {
  char text[2 + 16] = {'0', 'x'};
  const char* end = std::to_chars(text + 2, std::end(text), value, 16).ptr;
  writer_.String(text, static_cast<rapidjson::SizeType>(end - text));
}

void JsonWriter::Micros(uint64_t ns) {
  char text[kMicrosSize];
  const char* end = PutMicros(ns, text);
  writer_.RawValue(text, end - text, rapidjson::kNumberType);
}

void JsonWriter::Millis(uint64_t ns) {
  char text[kMillisSize];
  const char* end = PutMillis(ns, text);
  writer_.RawValue(text, end - text, rapidjson::kNumberType);
}

void JsonWriter::RawMicros(uint64_t ns) {
  char* text = buffer_.Push(kMicrosSize);
  buffer_.Pop(text + kMicrosSize - PutMicros(ns, text));
}

void JsonWriter::RawInt(int64_t value) {
  char* text = buffer_.Push(kIntSize);
  const char* end = std::to_chars(text, text + kIntSize, value).ptr;
  buffer_.Pop(text + kIntSize - end);
}

absl::Status JsonWriter::Flush() {
  absl::Status status =
      out_.Write(absl::string_view(buffer_.GetString(), buffer_.GetSize()));
  buffer_.Clear();
  return status;
}

std::string JsonText(absl::FunctionRef<void(JsonWriter&)> write) {
  std::string text;
  const std::unique_ptr<Output> out = MakeStringOutput(&text);
  JsonWriter json(*out);
  write(json);
  json.Flush().IgnoreError();  // writing to a string cannot fail
  return text;
}

}  // namespace perf2x
