#include "converter/base/text.h"

#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace perf2x {
namespace {

// Bytes of the UTF-8 character that starts `s`; 0 when none does.
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
  if (c < 0xc2) return 0;  // a tail, or an overlong form
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

// Whether the character that starts `s`, which is UTF-8, is a control
// character.
bool StartsWithControl(absl::string_view s) {
  const auto c = static_cast<uint8_t>(s[0]);
  return c < 0x20 || c == 0x7f ||
         (c == 0xc2 && s.size() > 1 && static_cast<uint8_t>(s[1]) < 0xa0);
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

bool HasControls(absl::string_view utf8) {
  for (size_t i = 0; i < utf8.size(); ++i) {
    if (StartsWithControl(utf8.substr(i))) return true;
  }
  return false;
}

std::string Printable(absl::string_view text, bool quoted) {
  std::string out;
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    if (size == 0 || StartsWithControl(text)) {
      for (const char c : text.substr(0, size == 0 ? 1 : size)) {
        absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
      }
    } else {
      if (quoted && (text[0] == '"' || text[0] == '\\')) out += '\\';
      out.append(text.data(), size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

std::string JsonEscaped(absl::string_view text) {
  constexpr absl::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr absl::string_view kLetters = "\"\\bfnrt";
  std::string scratch, out;
  for (text = AsUtf8(text, &scratch); !text.empty();) {
    const size_t size = CharacterSize(text);
    if (const size_t at = kShort.find(text[0]); at != kShort.npos) {
      out += '\\';
      out += kLetters[at];
    } else if (StartsWithControl(text)) {
      // U+0080 to U+009F are C2 80 to C2 9F.
      absl::StrAppendFormat(&out, "\\u%04X",
                            static_cast<unsigned char>(text[size - 1]));
    } else {
      out.append(text.data(), size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace perf2x
