// SPDX-License-Identifier: Apache-2.0
#include "converter/base/text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_format.h"

namespace perf2x {
namespace {

// Returns the size of the UTF-8 character that starts `s`; 0 if none does.
size_t CharacterSize(absl::string_view s) {
  const auto at = [s](size_t i) { return static_cast<uint8_t>(s[i]); };
  const auto tail = [&](size_t n) {
    if (s.size() <= n) return false;
    for (size_t i = 1; i <= n; ++i) {
      if ((at(i) & 0xc0) != 0x80) return false;
    }
    return true;
  };
  const uint8_t c = at(0);
  if (c < 0x80) return 1;
  if (c < 0xc2) return 0;  // a continuation byte, or an overlong form
  if (c < 0xe0) return tail(1) ? 2 : 0;
  if (c < 0xf0) {
    if (!tail(2) || (c == 0xe0 && at(1) < 0xa0)) return 0;
    return c == 0xed && at(1) >= 0xa0 ? 0 : 3;  // surrogates are no characters
  }
  if (c > 0xf4 || !tail(3)) return 0;
  if ((c == 0xf0 && at(1) < 0x90) || (c == 0xf4 && at(1) >= 0x90)) return 0;
  return 4;
}

size_t AsciiPrefix(absl::string_view s) {
  size_t i = 0;
  for (; s.size() - i >= 8; i += 8) {
    uint64_t word;
    std::memcpy(&word, s.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < s.size() && static_cast<uint8_t>(s[i]) < 0x80) ++i;
  return i;
}

// Decodes the character that starts `s`, of `size` bytes as CharacterSize()
// returns it. Returns 0 unless `size` is 2 or 3: no character of four bytes
// matters here.
uint32_t WideCharacter(absl::string_view s, size_t size) {
  const auto at = [s](size_t i) { return static_cast<uint8_t>(s[i]); };
  if (size == 2) return (at(0) & 0x1fu) << 6 | (at(1) & 0x3fu);
  if (size != 3) return 0;
  return (at(0) & 0x0fu) << 12 | (at(1) & 0x3fu) << 6 | (at(2) & 0x3fu);
}

// Returns true for characters that can make text look different from what it
// is: controls, and what Unicode calls Bidi_Control, line and paragraph
// separators.
bool IsUnsafe(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e ||
         c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Returns true if the eight bytes are all printable ASCII. Subtracting 0x20
// borrows from bytes below 0x20, and adding 1 turns 0x7f into 0x80: either sets
// the top bit. A borrow or carry into the next byte comes only from a byte
// whose own top bit is set.
bool ArePrintable(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  return ((bytes | (bytes - kOnes * 0x20) | (bytes + kOnes)) & kOnes * 0x80) ==
         0;
}

size_t PrintablePrefix(absl::string_view s) {
  size_t i = 0;
  for (; s.size() - i >= 8; i += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, s.data() + i, 8);
    if (!ArePrintable(bytes)) break;
  }
  while (i < s.size() && s[i] >= 0x20 && s[i] < 0x7f) ++i;
  return i;
}

// Returns the number of bytes at the start of `s`, valid UTF-8, that need no
// escape. `also` lists further ASCII characters that need one.
size_t SafePrefix(absl::string_view s, absl::string_view also = {}) {
  size_t i = 0;
  while (i < s.size()) {
    const auto c = static_cast<uint8_t>(s[i]);
    if (c < 0x80) {
      if (IsUnsafe(c) || also.find(s[i]) != also.npos) break;
      ++i;
      continue;
    }
    const size_t size = CharacterSize(s.substr(i));
    if (size < 4 && IsUnsafe(WideCharacter(s.substr(i), size))) break;
    i += size;
  }
  return i;
}

}  // namespace

absl::string_view AsUtf8(absl::string_view text, std::string* scratch) {
  size_t good = AsciiPrefix(text);
  while (good < text.size()) {
    const size_t size = CharacterSize(text.substr(good));
    if (size == 0) break;
    good += size;
  }
  if (good == text.size()) return text;
  scratch->assign(text.data(), good);
  for (absl::string_view rest = text.substr(good); !rest.empty();) {
    const size_t size = CharacterSize(rest);
    if (size == 0) {
      scratch->append("\xef\xbf\xbd");
    } else {
      scratch->append(rest.data(), size);
    }
    rest.remove_prefix(size == 0 ? 1 : size);
  }
  return *scratch;
}

bool HasControlCharacters(absl::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c >= 0 && c < ' '; });
}

absl::string_view AsPlainText(absl::string_view text, std::string* scratch) {
  if (PrintablePrefix(text) == text.size()) return text;
  const absl::string_view valid = AsUtf8(text, scratch);
  size_t safe = SafePrefix(valid);
  if (safe == valid.size()) return valid;
  std::string plain;
  for (absl::string_view rest = valid;; safe = SafePrefix(rest)) {
    plain.append(rest.data(), safe);
    rest.remove_prefix(safe);
    if (rest.empty()) break;
    const size_t size = CharacterSize(rest);
    const uint32_t c =
        size == 1 ? static_cast<uint8_t>(rest[0]) : WideCharacter(rest, size);
    if (c < 0x100) {
      absl::StrAppendFormat(&plain, "\\x%02x", c);
    } else {
      absl::StrAppendFormat(&plain, "\\u%04x", c);
    }
    rest.remove_prefix(size);
  }
  *scratch = std::move(plain);
  return *scratch;
}

void AppendJsonText(absl::string_view text, std::string* out) {
  std::string scratch;
  for (absl::string_view rest = AsUtf8(text, &scratch); !rest.empty();) {
    const size_t safe = SafePrefix(rest, "\"\\");
    out->append(rest.data(), safe);
    rest.remove_prefix(safe);
    if (rest.empty()) return;
    const size_t size = CharacterSize(rest);
    if (rest[0] == '"' || rest[0] == '\\') {
      out->push_back('\\');
      out->push_back(rest[0]);
    } else if (rest[0] == '\n') {
      out->append("\\n");
    } else if (rest[0] == '\t') {
      out->append("\\t");
    } else {
      const uint32_t c =
          size == 1 ? static_cast<uint8_t>(rest[0]) : WideCharacter(rest, size);
      absl::StrAppendFormat(out, "\\u%04x", c);
    }
    rest.remove_prefix(size);
  }
}

std::string PlainText(absl::string_view text) {
  std::string scratch;
  return std::string(AsPlainText(text, &scratch));
}

}  // namespace perf2x
