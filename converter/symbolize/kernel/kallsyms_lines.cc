// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms_lines.h"

#include <elf.h>

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace perf2x {
namespace {

// Longer than any line of the kernel's: names have 512 bytes at most.
constexpr size_t kLongestLine = 1 << 10;
// The most bytes of lines that are no symbols, and of symbols at one address,
// that are read around an address.
constexpr size_t kWidestPart = 64 << 10;
// A larger gap between two symbols may be a place for modules.
constexpr uint64_t kLargestGap = 1 << 20;

constexpr std::array<uint8_t, 256> HexDigits() {
  std::array<uint8_t, 256> digits{};
  for (uint8_t& digit : digits) digit = 16;
  for (uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (uint8_t i = 0; i < 6; ++i) {
    digits['a' + i] = digits['A' + i] = static_cast<uint8_t>(10 + i);
  }
  return digits;
}
constexpr std::array<uint8_t, 256> kHexDigits = HexDigits();

// Finds addresses in a table whose lines are in order up to the modules', and
// reads no others.
class TableSearch {
 public:
  TableSearch(absl::string_view table, SymbolIndex* index)
      : table_(table), index_(*index) {}

  // Finds where the lines of modules begin, which are not in order. To be
  // called first. Like AddAround, returns false to give up.
  bool FindModules() {
    const auto begin =
        FirstLine(table_.size(), [](const KallsymsLine& line) -> Answer {
          return absl::EndsWith(line.name, "]") ? kYes : kNo;
        });
    if (begin.has_value()) end_ = *begin;
    return begin.has_value();
  }

  // Adds the symbols around an address, at least the last one's of before.
  bool AddAround(uint64_t address) {
    if (done_ > 0 && address < last_) return true;
    uint64_t low = 0, high = ~uint64_t{0};
    const auto after = FirstLine(end_, [&](const KallsymsLine& line) -> Answer {
      if (line.address < low || line.address > high) return kNotInOrder;
      const bool is_after = line.address > address;
      (is_after ? high : low) = line.address;
      return is_after ? kYes : kNo;
    });
    if (!after.has_value()) return false;
    for (size_t width = 256; width <= kWidestPart; width *= 4) {
      size_t begin = 0;
      if (*after > width) {
        const auto start = StartOfLine(*after - width);
        if (!start.has_value()) return false;
        begin = *start;
      }
      begin = std::max(begin, done_);
      const Part part = Read(begin, address);
      if (!part.in_order) return false;
      if (!part.is_whole && begin > 0) continue;
      if (!part.is_whole || part.last - part.nearest > kLargestGap) {
        return false;
      }
      Add(begin, part);
      return true;
    }
    return false;
  }

 private:
  enum Answer { kNo, kYes, kNotInOrder };
  // Lines from one before the symbols at `nearest`, the start of the symbol
  // that has an address, to the next symbol after it, at `last`.
  struct Part {
    size_t end = 0;
    uint64_t nearest = 0, last = 0;
    bool is_whole = false, in_order = true;
  };

  // The start of the line with the byte at `at`, and the line from `start` on.
  // Nothing if the line is too long or no line of such a table.
  std::optional<size_t> StartOfLine(size_t at) const {
    const size_t from = at - std::min(at, kLongestLine);
    const size_t found = table_.substr(from, at - from).rfind('\n');
    if (found != absl::string_view::npos) return from + found + 1;
    return from == 0 ? std::optional<size_t>(0) : std::nullopt;
  }
  std::optional<KallsymsLine> LineAt(size_t start, size_t* next) const {
    const absl::string_view rest = table_.substr(start, kLongestLine);
    const size_t size = std::min(rest.find('\n'), rest.size());
    if (size == kLongestLine) return std::nullopt;
    *next = std::min(start + size + 1, table_.size());
    return ParseKallsymsLine(rest.substr(0, size));
  }

  // Returns the start of the first line before `high` for which `is_after` is
  // kYes, as for all after it; `high` if there is none.
  template <class IsAfter>
  std::optional<size_t> FirstLine(size_t high, IsAfter is_after) const {
    size_t low = 0, next = 0;
    while (low < high) {
      const auto start = StartOfLine(low + (high - low) / 2);
      if (!start.has_value()) return std::nullopt;
      const auto line = LineAt(*start, &next);
      const Answer answer =
          line.has_value() ? is_after(*line) : Answer{kNotInOrder};
      if (answer == kNotInOrder) return std::nullopt;
      (answer == kYes ? high : low) = answer == kYes ? *start : next;
    }
    return low;
  }

  // Reads lines from `begin` on, to the first symbol after `address`.
  Part Read(size_t begin, uint64_t address) const {
    Part part;
    // What was added before goes on here.
    const bool goes_on = begin == done_ && done_ > 0;
    bool has_nearest = goes_on, has_lower = goes_on || begin == 0;
    part.nearest = goes_on ? last_ : 0;
    uint64_t before = part.nearest;
    size_t next = 0;
    for (size_t at = begin; at < end_ && at - begin <= 2 * kWidestPart;
         at = next) {
      const auto line = LineAt(at, &next);
      part.in_order = line.has_value() && line->address >= before;
      if (!part.in_order) return part;
      before = line->address;
      if (!line->is_symbol()) continue;
      if (line->address > address) {
        part.last = line->address;
        part.end = next;
        part.is_whole = has_nearest && has_lower;
        return part;
      }
      has_lower |= has_nearest && line->address > part.nearest;
      has_nearest = true;
      part.nearest = line->address;
    }
    return part;
  }
  void Add(size_t begin, const Part& part) {
    ForEachLine(table_.substr(begin, part.end - begin),
                [this](absl::string_view text) {
                  const auto line = ParseKallsymsLine(text);
                  if (line.has_value() && line->is_symbol()) {
                    line->AddTo(&index_);
                  }
                  return true;
                });
    done_ = part.end;
    last_ = part.last;
  }

  const absl::string_view table_;
  SymbolIndex& index_;
  size_t end_ = 0;     // of the lines in order
  size_t done_ = 0;    // end of the lines that were added last
  uint64_t last_ = 0;  // address of the last of these that is a symbol
};

}  // namespace

bool KallsymsLine::is_symbol() const {
  const char upper = absl::ascii_toupper(static_cast<unsigned char>(type));
  return (upper == 'T' || upper == 'W' || upper == 'D' || upper == 'B') &&
         name[0] != '$';
}

void KallsymsLine::AddTo(SymbolIndex* index) const {
  const char upper = absl::ascii_toupper(static_cast<unsigned char>(type));
  index->Add(address, 0, name,
             upper == 'T' || upper == 'W' ? STT_FUNC : STT_OBJECT,
             upper == 'W'    ? STB_WEAK
             : type == upper ? STB_GLOBAL
                             : STB_LOCAL);
}

std::optional<KallsymsLine> ParseKallsymsLine(absl::string_view line) {
  KallsymsLine out;
  size_t i = 0;
  for (const size_t most = std::min<size_t>(line.size(), 16); i < most; ++i) {
    const uint8_t digit = kHexDigits[static_cast<unsigned char>(line[i])];
    if (digit > 15) break;
    out.address = out.address << 4 | digit;
  }
  if (i == 0 || line.size() < i + 4 || line[i] != ' ' || line[i + 2] != ' ') {
    return std::nullopt;
  }
  out.type = line[i + 1];
  out.name = line.substr(i + 3);
  return out;
}

bool AddSymbolsAround(absl::string_view table,
                      absl::Span<const uint64_t> addresses,
                      SymbolIndex* index) {
  TableSearch search(table, index);
  return search.FindModules() &&
         std::all_of(addresses.begin(), addresses.end(), [&](uint64_t address) {
           return search.AddAround(address);
         });
}

}  // namespace perf2x
