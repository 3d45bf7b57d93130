// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/comparison_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "converter/base/text.h"
#include "converter/emit/json_writer.h"

namespace perf2x {
namespace {

// `name` makes text of an event's name.
template <class Name>
std::string NormalizationText(const ComparedRuns& runs, Name name) {
  switch (runs.normalization) {
    case Normalization::kShare:
      return absl::StrCat("as shares of each recording's ", name(runs.event));
    case Normalization::kNone:
      return "as they are, not normalized";
    case Normalization::kWall:
      return "by second of each recording";
    case Normalization::kEvent:
      return absl::StrCat("by ", name(runs.normalized_by),
                          " of each recording");
  }
  return "";
}

// "12.3 ms", or a number of what is counted.
std::string AmountText(double value, const std::string& unit) {
  if (unit != "nanoseconds") return absl::StrFormat("%.3g", value);
  if (value >= 1e9) return absl::StrFormat("%.2f s", value / 1e9);
  if (value >= 1e6) return absl::StrFormat("%.1f ms", value / 1e6);
  return absl::StrFormat("%.1f us", value / 1e3);
}

// "+2.1 % ±0.4 *"
std::string ChangeText(const Change& change) {
  const double relative = RelativeChange(change);
  if (std::isinf(relative)) {
    return absl::StrCat("new", IsBeyondNoise(change) ? " *" : "");
  }
  if (change.now == 0 && change.base > 0) {
    return absl::StrCat("gone", IsBeyondNoise(change) ? " *" : "");
  }
  std::string text = absl::StrFormat("%+.1f %%", 100 * relative);
  if (change.low.has_value() && change.base > 0) {
    absl::StrAppendFormat(&text, " ±%.1f",
                          50 * (*change.high - *change.low) / change.base);
  }
  if (IsBeyondNoise(change)) text += " *";
  return text;
}

// A column's text has the width of its characters, not of its bytes: "±" is the
// only one that has two.
std::string Padded(const std::string& text, size_t width) {
  const size_t shown =
      text.size() - std::count(text.begin(), text.end(), '\xc2');
  return absl::StrCat(std::string(width - std::min(width, shown), ' '), text);
}

const std::vector<std::string>& Headings() {
  static const auto& headings = *new std::vector<std::string>{
      "self before", "after",  "change",    "total before",
      "after",       "change", "self time", "function"};
  return headings;
}

std::string ShareText(double value, const ComparedRuns& runs) {
  return runs.normalization == Normalization::kShare
             ? absl::StrFormat("%.2f %%", 100 * value)
             : AmountText(value, runs.normalization == Normalization::kEvent
                                     ? "count"
                                     : runs.unit);
}

std::vector<std::string> CellsOf(const ComparedFunction& function,
                                 const ComparedRuns& runs) {
  return {
      ShareText(function.self.base, runs),
      ShareText(function.self.now, runs),
      ChangeText(function.self),
      ShareText(function.total.base, runs),
      ShareText(function.total.now, runs),
      ChangeText(function.total),
      absl::StrCat(function.now_self >= function.base_self ? "+" : "-",
                   AmountText(std::abs(function.now_self - function.base_self),
                              runs.unit)),
      PlainText(absl::StrCat(function.name, function.file.empty() ? "" : "  ",
                             function.file))};
}

// Returns a text as code in Markdown, in which no markup, link, mention or
// reference is looked for; GitHub and GitLab take a pipe for the end of a cell
// even there. A text of more than kMaxCode bytes is cut: tables are for
// reading.
std::string Code(std::string text, bool in_cell) {
  constexpr size_t kMaxCode = 1000;
  if (text.size() > kMaxCode) {
    text = absl::StrCat(PlainText(text.substr(0, kMaxCode)), "...");
  }
  // GitHub knows no longer marks around code than 80.
  if (absl::StrContains(text, std::string(64, '`'))) {
    absl::StrReplaceAll({{"`", "'"}}, &text);
  }
  std::string escaped, fence = "`";
  bool after_backslashes = false;  // an odd number of them
  size_t backticks = 0;
  for (const char c : text) {
    if (c == '|' && in_cell) escaped += after_backslashes ? "\\\\" : "\\";
    after_backslashes = c == '\\' && !after_backslashes;
    backticks = c == '`' ? backticks + 1 : 0;
    if (backticks >= fence.size()) fence.append(1, '`');
    escaped += c;
  }
  const absl::string_view room = fence.size() > 1 ? " " : "";
  return absl::StrCat(fence, room, escaped, room, fence);
}

// What was compared, and the sums, a line each. For `name` see above.
template <class Name>
std::vector<std::string> Introduction(const Comparison& comparison, Name name) {
  const ComparedRuns& runs = comparison.runs;
  const size_t now = runs.names.size() - runs.base;
  return {
      absl::StrCat(runs.base, runs.base == 1 ? " recording" : " recordings",
                   " before, ", now, " after; ", name(runs.event), ", ",
                   NormalizationText(runs, name)),
      absl::StrCat(
          "whole program: ", AmountText(comparison.all.base_self, runs.unit),
          " before, ", AmountText(comparison.all.now_self, runs.unit),
          " after (", ChangeText(comparison.all.self), ")")};
}

// What the marks mean, and what cannot be known, a line each.
std::vector<std::string> Explanation(const Comparison& comparison) {
  const ComparedRuns& runs = comparison.runs;
  const size_t fewest = std::min(runs.base, runs.names.size() - runs.base);
  if (runs.in_blocks) {
    return {
        "One recording a side: whether a run would differ from the next "
        "without "
        "any change cannot be known. The intervals (95 %, for all values "
        "together) cover only what varies within these two. Record at least "
        "4 runs of each, alternating."};
  }
  if (fewest < kMinRuns) {
    return {absl::StrCat(
        "With ", fewest,
        " recordings a side no change can be told from noise "
        "at a level of 5 %: record at least 4 of each, alternating.")};
  }
  const size_t beyond = static_cast<size_t>(
      std::count_if(comparison.functions.begin(), comparison.functions.end(),
                    [](const ComparedFunction& f) {
                      return IsBeyondNoise(f.self) || IsBeyondNoise(f.total);
                    }));
  return {absl::StrCat(
      beyond == 0 ? "No function changed beyond the noise"
                  : absl::StrCat("* beyond the noise: ", beyond,
                                 beyond == 1 ? " function" : " functions"),
      " (5 % for all ", comparison.tests,
      " values together, as are the intervals; docs/diff.md)")};
}

template <class Row>
void ForEachRow(const Comparison& comparison, size_t rows, Row row) {
  for (size_t i = 0; i < std::min(rows, comparison.functions.size()); ++i) {
    row(CellsOf(comparison.functions[i], comparison.runs));
  }
}

void WriteChange(const char* key, const Change& change, double base_mean,
                 double now_mean, bool normalizes, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  const auto number = [&json](const char* name, double value) {
    json.Key(name);
    std::isfinite(value) ? json.Double(value) : json.Null();
  };
  number("base", base_mean);
  number("new", now_mean);
  if (normalizes) {
    number("base_normalized", change.base);
    number("new_normalized", change.now);
  }
  number("change", RelativeChange(change));
  const auto bound = [&](const char* name, const std::optional<double>& edge) {
    json.Key(name);
    edge.has_value() && change.base > 0 ? json.Double(*edge / change.base)
                                        : json.Null();
  };
  bound("low", change.low);
  bound("high", change.high);
  json.Key("p");
  change.p.has_value() ? json.Double(*change.p) : json.Null();
  json.Key("beyond_noise");
  json.Bool(IsBeyondNoise(change));
  json.EndObject();
}

void WriteRuns(const Comparison& comparison, JsonWriter& json) {
  const ComparedRuns& runs = comparison.runs;
  const auto text = [&json](const char* key, const std::string& value) {
    json.Key(key);
    json.String(value);
  };
  text("event", runs.event);
  text("unit", runs.unit);
  text("normalization",
       NormalizationText(runs, [](const std::string& name) { return name; }));
  text("method", runs.in_blocks
                     ? "block bootstrap over time"
                     : "permutation of recordings, largest weighted |t|");
  json.Key("tests");
  json.Uint(comparison.tests);
  json.Key("level");
  json.Double(kSignificanceLevel);
  json.Key("recordings");
  json.BeginArray();
  for (size_t i = 0; i < runs.names.size(); ++i) {
    json.BeginObject();
    text("name", runs.names[i]);
    text("side", i < runs.base ? "base" : "new");
    json.Key("sum");
    json.Double(runs.sums[i]);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ComparisonTable(const Comparison& comparison, size_t rows) {
  std::vector<std::vector<std::string>> table = {Headings()};
  ForEachRow(comparison, rows, [&](std::vector<std::string> cells) {
    table.push_back(std::move(cells));
  });
  std::string out;
  for (const std::string& line : Introduction(comparison, PlainText)) {
    absl::StrAppend(&out, line, "\n");
  }
  out += "\n";
  constexpr size_t kWidths[] = {11, 9, 16, 12, 9, 16, 11};
  for (const auto& cells : table) {
    for (size_t i = 0; i + 1 < cells.size(); ++i) {
      absl::StrAppend(&out, Padded(cells[i], kWidths[i]), "  ");
    }
    absl::StrAppend(&out, cells.back(), "\n");
  }
  if (rows < comparison.functions.size()) {
    absl::StrAppend(&out, comparison.functions.size() - rows,
                    " more functions; --rows or --json shows them\n");
  }
  out += "\n";
  for (const std::string& line : Explanation(comparison)) {
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

std::string ComparisonMarkdown(const Comparison& comparison, size_t rows) {
  // Of units and marks. Names are code.
  const auto plain = [](const std::string& text) {
    return absl::StrReplaceAll(text, {{"|", "\\|"},
                                      {"<", "&lt;"},
                                      {"*", "\\*"},
                                      {"`", "\\`"},
                                      {"_", "\\_"},
                                      {"@", "&#64;"},
                                      {"[", "\\["}});
  };
  const std::vector<std::string> introduction =
      Introduction(comparison, [](const std::string& name) {
        return Code(PlainText(name), /*in_cell=*/false);
      });
  std::string out =
      absl::StrCat(introduction[0], "\n\n", plain(introduction[1]), "\n\n");
  std::string rule;
  for (const std::string& heading : Headings()) {
    absl::StrAppend(&out, "| ", heading, " ");
    rule += heading == "function" ? "| --- " : "| ---: ";
  }
  absl::StrAppend(&out, "|\n", rule, "|\n");
  ForEachRow(comparison, rows, [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i + 1 < cells.size(); ++i) {
      absl::StrAppend(&out, "| ", plain(cells[i]), " ");
    }
    absl::StrAppend(&out, "| ", Code(cells.back(), /*in_cell=*/true), " |\n");
  });
  out += "\n";
  for (const std::string& line : Explanation(comparison)) {
    absl::StrAppend(&out, plain(line), "\n");
  }
  return out;
}

std::string ComparisonJson(const Comparison& comparison) {
  const bool normalizes = comparison.runs.normalization != Normalization::kNone;
  std::string out = JsonText([&](JsonWriter& json) {
    json.BeginObject();
    WriteRuns(comparison, json);
    WriteChange("all", comparison.all.self, comparison.all.base_self,
                comparison.all.now_self, false, json);
    json.Key("functions");
    json.BeginArray();
    for (const ComparedFunction& function : comparison.functions) {
      json.BeginObject();
      json.Key("name");
      json.String(function.name);
      json.Key("file");
      json.String(function.file);
      json.Key("tested");
      json.Bool(function.tested);
      WriteChange("self", function.self, function.base_self, function.now_self,
                  normalizes, json);
      WriteChange("total", function.total, function.base_total,
                  function.now_total, normalizes, json);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  });
  out += "\n";
  return out;
}

}  // namespace perf2x
