// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/dataset_path.h"

#include <array>
#include <ctime>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "converter/base/hash.h"

namespace perf2x {
namespace {

// A name of a folder has at most 255 bytes, and a byte may become three.
constexpr size_t kMaxValue = 64;
// The name by which Hive and its readers know a value that is absent.
constexpr absl::string_view kAbsent = "__HIVE_DEFAULT_PARTITION__";

bool IsName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxValue || !absl::ascii_isalpha(name[0]))
    return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

// Returns `value` or, if it is longer than a folder's name can be, its
// beginning and a hash, which keep different values apart.
std::string Shortened(absl::string_view value) {
  if (value.size() <= kMaxValue) return std::string(value);
  const std::string hash =
      absl::StrFormat("-%016x", XXH3_64bits(value.data(), value.size()));
  return absl::StrCat(value.substr(0, kMaxValue - hash.size()), hash);
}

std::string Escaped(absl::string_view value) {
  std::string out;
  for (const char c : Shortened(value)) {
    if (absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.') {
      out.push_back(c);
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string DateOf(int64_t wall_ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  const time_t seconds = wall_ns / kSecond - (wall_ns % kSecond < 0 ? 1 : 0);
  tm utc = {};
  std::array<char, 32> text{};
  if (gmtime_r(&seconds, &utc) == nullptr) return "";
  return {text.data(), strftime(text.data(), text.size(), "%Y-%m-%d", &utc)};
}

std::string ValueOf(absl::string_view name, const TraceInfo& info) {
  if (name == "host") return info.hostname;
  return info.recorded_at.has_value() ? DateOf(*info.recorded_at) : "";
}

}  // namespace

absl::StatusOr<DatasetPath> DatasetPath::Parse(absl::string_view list) {
  DatasetPath path;
  if (list.empty()) return path;
  for (const absl::string_view word : absl::StrSplit(list, ',')) {
    const std::pair<absl::string_view, absl::string_view> part =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    const bool is_known = word == "host" || word == "date";
    if (!is_known && (part.second.empty() || !IsName(part.first))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--partition takes host, date and NAME=VALUE, not \"", word, "\""));
    }
    if (part.second.size() > kMaxValue) {
      return absl::InvalidArgumentError(
          absl::StrCat("--partition: the value of ", part.first,
                       " has more than ", kMaxValue, " bytes"));
    }
    for (const auto& [name, value] : path.parts_) {
      // Readers ignore the case of column names.
      if (!absl::EqualsIgnoreCase(name, part.first)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--partition names ", name, " twice"));
    }
    path.parts_.emplace_back(part.first, part.second);
  }
  return path;
}

absl::Status DatasetPath::CheckColumn(absl::string_view column) const {
  for (const auto& [name, value] : parts_) {
    if (!absl::EqualsIgnoreCase(name, column)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--partition: a table has a column ", column,
                     " already; give the folder another name than ", name));
  }
  return absl::OkStatus();
}

std::string DatasetPath::FileOf(absl::string_view table,
                                const TraceInfo& info) const {
  std::string out(table);
  for (const auto& [name, given] : parts_) {
    const std::string value =
        Escaped(given.empty() ? ValueOf(name, info) : given);
    absl::StrAppend(&out, "/", name, "=",
                    value.empty() ? kAbsent : absl::string_view(value));
  }
  return absl::StrCat(out, "/", info.recording_id, ".parquet");
}

}  // namespace perf2x
