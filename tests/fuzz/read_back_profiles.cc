// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/read_back_profiles.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "converter/base/byte_reader.h"

namespace perf2x {
namespace {

using Words = std::vector<absl::string_view>;

bool IsHex(absl::string_view word) {
  return !word.empty() && word.size() <= 16 &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
         });
}

bool IsCount(absl::string_view word) {
  uint64_t count = 0;
  return absl::SimpleAtoi(word, &count);
}

// The lines of a text whose last one ends.
std::vector<absl::string_view> LinesOf(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::string Wrong(absl::string_view line) {
  return absl::StrCat("not a line of the format: ", line);
}

bool IsBoltLine(const Words& words) {
  const absl::string_view type = words[0];
  const size_t addresses = type == "B" || type == "F" || type == "f" ? 2
                           : type == "T"                             ? 3
                           : type == "S"                             ? 1
                                                                     : 0;
  const size_t counts = type == "B" ? 2 : 1;
  if (type == "E") return words.size() >= 2;
  if (addresses == 0 || words.size() != 1 + addresses + counts) return false;
  const auto end = words.begin() + 1 + static_cast<ptrdiff_t>(addresses);
  return std::all_of(words.begin() + 1, end, IsHex) &&
         std::all_of(end, words.end(), IsCount);
}

// "number\n" and that many "from SEPARATOR to:count", ascending.
std::string CheckCounts(absl::string_view separator, bool forwards,
                        const std::vector<absl::string_view>& lines,
                        size_t* at) {
  size_t count = 0;
  if (*at >= lines.size() || !absl::SimpleAtoi(lines[*at], &count)) {
    return "no number of counters";
  }
  std::pair<uint64_t, uint64_t> last;
  for (++*at; count > 0; --count, ++*at) {
    if (*at >= lines.size()) return "fewer counters than there should be";
    const absl::string_view line = lines[*at];
    const Words sides = absl::StrSplit(line, ':');
    const Words ends = absl::StrSplit(sides[0], separator);
    std::pair<uint64_t, uint64_t> now;
    if (sides.size() != 2 || !IsCount(sides[1]) || ends.size() != 2 ||
        !absl::SimpleHexAtoi(ends[0], &now.first) ||
        !absl::SimpleHexAtoi(ends[1], &now.second)) {
      return Wrong(line);
    }
    if (forwards && now.first > now.second) return "a range goes backwards";
    if (forwards && now < last) return "ranges are not in order";
    last = now;
  }
  return "";
}

bool IsPlace(absl::string_view word) {
  const Words parts = absl::StrSplit(word, '.');
  return parts.size() <= 2 && std::all_of(parts.begin(), parts.end(), IsCount);
}

// Reads the binary profile that GCC reads.
class GccProfileReader {
 public:
  explicit GccProfileReader(absl::string_view bytes)
      : in_({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
            ByteOrder::kLittle) {}

  std::string Check() {
    constexpr uint32_t kMagic = 0x67636461, kNames = 0xaa000000,
                       kFunctions = 0xac000000, kModules = 0xae000000;
    if (in_.U32() != kMagic || in_.U32() != 2) return "not of version 2";
    in_.U32();
    names_ = Section(kNames);
    for (uint32_t i = 0; i < names_ && in_.ok(); ++i) {
      const auto name = in_.Bytes(in_.U32());
      if (name.empty() || name.back() != 0) return "a name without its end";
    }
    for (uint32_t left = Section(kFunctions); left > 0 && in_.ok(); --left) {
      in_.U64();
      Function();
    }
    if (Section(kModules) != 0) return "modules";
    return in_.ok() && in_.left() == 0 && good_ ? "" : "wrong sections";
  }

 private:
  uint32_t Section(uint32_t tag) {
    good_ = good_ && in_.U32() == tag;
    in_.U32();
    return in_.U32();
  }
  void Name(uint64_t index) { good_ = good_ && index > 0 && index < names_; }
  void Function() {
    Name(in_.U32());
    const uint32_t lines = in_.U32(), callees = in_.U32();
    for (uint32_t i = 0; i < lines && in_.ok(); ++i) {
      in_.U32();
      const uint32_t calls = in_.U32();
      in_.U64();
      for (uint32_t call = 0; call < calls && in_.ok(); ++call) {
        in_.U32();
        Name(in_.U64());
        in_.U64();
      }
    }
    for (uint32_t i = 0; i < callees && in_.ok(); ++i) {
      in_.U32();
      Function();
    }
  }

  ByteReader in_;
  uint32_t names_ = 0;
  bool good_ = true;
};

// Returns true for "name:count", where the name may have colons.
bool IsNamedCount(absl::string_view word) {
  const size_t colon = word.rfind(':');
  return colon != word.npos && colon > 0 && IsCount(word.substr(colon + 1));
}

}  // namespace

std::string CheckBolt(absl::string_view text) {
  const auto lines = LinesOf(text);
  const bool no_lbr = absl::StartsWith(text, "no_lbr");
  for (size_t i = no_lbr ? 1 : 0; i < lines.size(); ++i) {
    const Words words = absl::StrSplit(lines[i], ' ');
    const bool good = no_lbr ? words.size() >= 4 && words[0] == "1" &&
                                   IsHex(words[words.size() - 2]) &&
                                   IsCount(words.back())
                             : IsBoltLine(words);
    if (!good) return Wrong(lines[i]);
  }
  return "";
}

std::string CheckProfgen(absl::string_view text) {
  const auto lines = LinesOf(text);
  size_t at = 0;
  std::string wrong;
  const bool has_contexts = absl::StartsWith(text, "[");
  do {
    if (has_contexts) {
      if (!absl::StartsWith(lines[at], "[") ||
          !absl::EndsWith(lines[at], "]")) {
        return Wrong(lines[at]);
      }
      ++at;
    }
    wrong = CheckCounts("-", true, lines, &at);
    if (wrong.empty()) wrong = CheckCounts("->", false, lines, &at);
  } while (wrong.empty() && has_contexts && at < lines.size());
  if (wrong.empty() && at != lines.size()) wrong = "lines after the end";
  return wrong;
}

std::string CheckSampleProfile(absl::string_view text) {
  if (absl::StartsWith(text, "adcg")) return GccProfileReader(text).Check();
  size_t depth = 0;  // of the line before, where a function begins
  bool begun = false;
  for (const absl::string_view line : LinesOf(text)) {
    if (absl::StartsWith(line, "#")) continue;
    const size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) return Wrong(line);
    if (indent == 0) {
      const size_t colon = line.rfind(':');
      if (colon == line.npos || !IsCount(line.substr(colon + 1)) ||
          !IsNamedCount(line.substr(0, colon))) {
        return Wrong(line);
      }
      begun = true;
      depth = 1;
      continue;
    }
    if (!begun || indent > depth) return "a line of no function";
    depth = indent;
    const Words words = absl::StrSplit(line.substr(indent), ' ');
    if (words.size() < 2 || !absl::EndsWith(words[0], ":") ||
        !IsPlace(absl::StripSuffix(words[0], ":"))) {
      return Wrong(line);
    }
    const bool is_line = IsCount(words[1]);
    if (!is_line && (words.size() != 2 || !IsNamedCount(words[1]))) {
      return Wrong(line);
    }
    if (!std::all_of(words.begin() + 2, words.end(), IsNamedCount)) {
      return Wrong(line);
    }
    if (!is_line) ++depth;
  }
  return "";
}

}  // namespace perf2x
