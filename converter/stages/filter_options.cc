// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/filter_options.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

constexpr absl::string_view kFilePrefix = "file://";

// Splits a list of events at its commas, except at those within the slashes or
// braces of an event. Slashes of file names are not an event's.
std::vector<std::string> SplitEvents(absl::string_view text) {
  std::vector<std::string> out(1);
  bool in_slashes = false;
  int braces = 0;
  for (const char c : text) {
    if (absl::StartsWith(out.back(), kFilePrefix)) in_slashes = false;
    if (c == '/') in_slashes = !in_slashes;
    if (c == '{') ++braces;
    if (c == '}') --braces;
    if (c == ',' && !in_slashes && braces <= 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

absl::Status AppendLines(const std::string& path,
                         std::vector<std::string>* out) {
  // A device, or a recording by mistake, may have no end and no lines.
  constexpr size_t kMaxSize = 16 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxSize + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return absl::InvalidArgumentError("cannot read " + path);
  }
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxSize) {
    return absl::InvalidArgumentError(path + " is larger than a list: 16 MB");
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty() && line[0] != '#') out->emplace_back(line);
  }
  return absl::OkStatus();
}

absl::Status CheckNumber(FilterKey key, absl::string_view item) {
  int32_t number = 0;
  std::pair<int32_t, int32_t> range;
  if (key == FilterKey::kPid || key == FilterKey::kTid) {
    if (absl::SimpleAtoi(item, &number)) return absl::OkStatus();
  } else if (key == FilterKey::kCpu) {
    if (ParseCpuRange(item, &range)) return absl::OkStatus();
  } else {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", item, "\" is not a number",
                   key == FilterKey::kCpu ? " or a range of numbers" : ""));
}

// Converts seconds with up to nine decimals to ns.
bool ParseSeconds(absl::string_view text, uint64_t* ns) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('.', 1));
  uint64_t seconds = 0, rest = 0;
  if (!absl::SimpleAtoi(parts[0], &seconds) ||
      seconds > UINT64_MAX / 1'000'000'000 - 1) {
    return false;
  }
  if (parts.size() == 2) {
    std::string digits(parts[1]);
    if (digits.empty() || digits.size() > 9 ||
        !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit)) {
      return false;
    }
    digits.resize(9, '0');
    if (!absl::SimpleAtoi(digits, &rest)) return false;
  }
  *ns = seconds * 1'000'000'000 + rest;
  return true;
}

std::optional<double> ParsePercent(absl::string_view text) {
  double percent = 0;
  if (!absl::ConsumeSuffix(&text, "%") || !absl::SimpleAtod(text, &percent)) {
    return std::nullopt;
  }
  return percent / 100;
}

// Parses "10%/2", "0%-10%" or "10%".
std::optional<std::pair<double, double>> ParseShare(absl::string_view text) {
  std::pair<double, double> share;
  if (const size_t slash = text.find('/'); slash != text.npos) {
    const auto part = ParsePercent(text.substr(0, slash));
    int32_t place = 0;
    if (!part || !absl::SimpleAtoi(text.substr(slash + 1), &place)) {
      return std::nullopt;
    }
    share = {*part * (place - 1), *part * place};
  } else if (const size_t dash = text.find('-'); dash != text.npos) {
    const auto from = ParsePercent(text.substr(0, dash));
    const auto to = ParsePercent(text.substr(dash + 1));
    if (!from || !to) return std::nullopt;
    share = {*from, *to};
  } else {
    const auto part = ParsePercent(text);
    if (!part) return std::nullopt;
    share = {0, *part};
  }
  const bool within = share.first >= 0 && share.second <= 1;
  return within && share.first < share.second ? std::optional(share)
                                              : std::nullopt;
}

}  // namespace

bool ParseCpuRange(absl::string_view text, std::pair<int32_t, int32_t>* range) {
  const std::vector<absl::string_view> ends =
      absl::StrSplit(text, absl::MaxSplits('-', 1));
  return absl::SimpleAtoi(ends.front(), &range->first) &&
         absl::SimpleAtoi(ends.back(), &range->second) && range->first >= 0 &&
         range->first <= range->second;
}

absl::Status AddToFilter(FilterKey key, absl::string_view text,
                         FilterOptions* options) {
  std::vector<std::string> items;
  std::vector<std::string> parts = absl::StrSplit(text, ',');
  if (key == FilterKey::kEvent) parts = SplitEvents(text);
  for (const std::string& part : parts) {
    absl::string_view path = part;
    if (absl::ConsumePrefix(&path, kFilePrefix)) {
      RETURN_IF_ERROR(AppendLines(std::string(path), &items));
      options->files.emplace_back(path);
    } else if (!part.empty()) {
      items.push_back(part);
    }
  }
  if (items.empty()) {
    return absl::InvalidArgumentError("the list has nothing in it");
  }
  for (std::string& item : items) {
    RETURN_IF_ERROR(CheckNumber(key, item));
    options->list(key).push_back(std::move(item));
  }
  return absl::OkStatus();
}

absl::StatusOr<TimeFilter> ParseTimeFilter(absl::string_view text) {
  const auto wrong = [](absl::string_view part) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", part,
        "\" is no time: it is START,STOP in seconds, 10%/2 or 0%-10%"));
  };
  TimeFilter filter;
  if (absl::StrContains(text, "%")) {
    for (absl::string_view part : absl::StrSplit(text, ',')) {
      const auto share = ParseShare(absl::StripAsciiWhitespace(part));
      if (!share) return wrong(part);
      filter.shares.push_back(*share);
    }
    return filter;
  }
  for (absl::string_view part :
       absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    const size_t comma = part.find(',');
    TimeFilter::Span span{0, UINT64_MAX};
    const absl::string_view start = part.substr(0, comma);
    const absl::string_view stop =
        comma == part.npos ? "" : part.substr(comma + 1);
    if (start.empty() && stop.empty()) return wrong(part);
    if ((!start.empty() && !ParseSeconds(start, &span.first)) ||
        (!stop.empty() && !ParseSeconds(stop, &span.second)) ||
        span.first > span.second) {
      return wrong(part);
    }
    filter.spans.push_back(span);
  }
  if (filter.spans.empty()) return wrong(text);
  return filter;
}

// As set_percent_time() in tools/perf/util/time-utils.c: adjacent spans do not
// overlap.
std::vector<TimeFilter::Span> SpansOf(const TimeFilter& filter, uint64_t first,
                                      uint64_t last) {
  std::vector<TimeFilter::Span> spans = filter.spans;
  const auto length = static_cast<double>(last - first);
  // A length near 2^64 has no exact double.
  const auto time_at = [&](double share) {
    const double time = std::round(share * length);
    return time >= length ? last - first : static_cast<uint64_t>(time);
  };
  for (const auto& [from, to] : filter.shares) {
    const uint64_t start = time_at(from);
    uint64_t stop = time_at(to);
    if (stop > start && first + stop != last) --stop;
    spans.emplace_back(first + start, first + stop);
  }
  return spans;
}

}  // namespace perf2x
