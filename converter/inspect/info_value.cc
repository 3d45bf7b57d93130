// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/info_value.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "converter/base/json_allocator.h"
#include "converter/base/text.h"

namespace perf2x {
namespace {

// Escapes all characters but ASCII, as in "\u202e", so that no terminal obeys
// them.
using JsonBuffer =
    rapidjson::GenericStringBuffer<rapidjson::UTF8<>, JsonAllocator>;
using JsonWriter = rapidjson::PrettyWriter<JsonBuffer, rapidjson::UTF8<>,
                                           rapidjson::ASCII<>, JsonAllocator>;

void WriteString(absl::string_view bytes, JsonWriter* json) {
  std::string scratch;
  const absl::string_view text = AsUtf8(bytes, &scratch);
  json->String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteKey(absl::string_view bytes, JsonWriter* json) {
  std::string scratch;
  const absl::string_view text = AsUtf8(bytes, &scratch);
  json->Key(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteJson(const InfoValue& value, JsonWriter* json) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          json->Bool(v);
        } else if constexpr (std::is_same_v<T, uint64_t>) {
          json->Uint64(v);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          json->Int64(v);
        } else if constexpr (std::is_same_v<T, double>) {
          // JSON has no infinities and no NaN. Written as by the JsonWriter of
          // emit/.
          if (!std::isfinite(v)) {
            json->String(std::isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
          } else {
            json->Double(v);
          }
        } else if constexpr (std::is_same_v<T, std::string>) {
          WriteString(v, json);
        } else if constexpr (std::is_same_v<T, InfoValue::List>) {
          json->StartArray();
          for (const InfoValue& e : v) WriteJson(e, json);
          json->EndArray();
        } else {
          json->StartObject();
          for (const auto& [key, e] : v) {
            WriteKey(key, json);
            WriteJson(e, json);
          }
          json->EndObject();
        }
      },
      value.variant());
}

// Returns a value on one line.
std::string Inline(const InfoValue& value) {
  return std::visit(
      [&](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          return v ? "yes" : "no";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return PlainText(v);
        } else if constexpr (std::is_same_v<T, InfoValue::List>) {
          return absl::StrJoin(v, ", ", [](std::string* out, const auto& e) {
            out->append(e.object() != nullptr
                            ? absl::StrCat("{", Inline(e), "}")
                            : Inline(e));
          });
        } else if constexpr (std::is_same_v<T, InfoValue::Object>) {
          return absl::StrJoin(v, ", ", [](std::string* out, const auto& m) {
            absl::StrAppend(out, PlainText(m.first), "=", Inline(m.second));
          });
        } else {
          return absl::StrCat(v);
        }
      },
      value.variant());
}

std::string Label(absl::string_view key) {
  return PlainText(absl::StrReplaceAll(key, {{"_", " "}}));
}

// A longer cell shifts its row instead of widening the whole column.
constexpr size_t kMaxWidth = 80;

// Writes objects as a table with a column for each key, in order of first
// appearance.
void WriteTable(const InfoValue::List& rows, const std::string& indent,
                std::string* out) {
  std::vector<std::string> keys;
  for (const InfoValue& row : rows) {
    for (const auto& [key, unused] : *row.object()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  std::vector<std::vector<std::string>> cells;
  cells.emplace_back();
  for (const std::string& key : keys) cells[0].push_back(Label(key));
  for (const InfoValue& row : rows) {
    std::vector<std::string>& line = cells.emplace_back(keys.size());
    for (const auto& [key, value] : *row.object()) {
      line[std::find(keys.begin(), keys.end(), key) - keys.begin()] =
          Inline(value);
    }
  }
  std::vector<size_t> widths(keys.size());
  for (const auto& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i].size() <= kMaxWidth) {
        widths[i] = std::max(widths[i], line[i].size());
      }
    }
  }
  for (const auto& line : cells) {
    std::string text = indent;
    for (size_t i = 0; i < line.size(); ++i) {
      const size_t pad = widths[i] - std::min(widths[i], line[i].size());
      absl::StrAppend(&text, line[i], std::string(pad + 2, ' '));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    absl::StrAppend(out, text, "\n");
  }
}

bool IsTable(const InfoValue& value) {
  const InfoValue::List* list = value.list();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(),
                     [](const InfoValue& e) { return e.object() != nullptr; });
}

void WriteSection(const InfoValue::Object& object, const std::string& indent,
                  std::string* out) {
  size_t width = 0;
  for (const auto& [key, value] : object) {
    if (value.object() == nullptr && !IsTable(value) &&
        key.size() <= kMaxWidth) {
      width = std::max(width, key.size());
    }
  }
  for (const auto& [key, value] : object) {
    if (IsTable(value)) {
      absl::StrAppend(out, indent, Label(key), "\n");
      WriteTable(*value.list(), indent + "  ", out);
    } else if (value.object() != nullptr) {
      absl::StrAppend(out, indent, Label(key), "\n");
      WriteSection(*value.object(), indent + "  ", out);
    } else {
      const std::string label = Label(key);
      const size_t pad = width - std::min(width, key.size());
      absl::StrAppend(out, indent, label, std::string(pad + 2, ' '),
                      Inline(value), "\n");
    }
  }
}

}  // namespace

InfoValue ObjectOf(
    const std::vector<std::pair<std::string, std::string>>& members) {
  InfoValue::Object object;
  absl::flat_hash_map<absl::string_view, size_t> indexes;
  for (const auto& [name, value] : members) {
    const auto [it, inserted] = indexes.try_emplace(name, object.size());
    if (inserted) {
      object.emplace_back(name, value);
    } else {
      object[it->second].second = value;
    }
  }
  return object;
}

std::string ToJson(const InfoValue& value) {
  JsonBuffer buffer;
  JsonWriter json(buffer);
  json.SetIndent(' ', 1);
  WriteJson(value, &json);
  // RapidJSON escapes all of Unicode here, but not DEL, which a terminal obeys.
  return absl::StrReplaceAll(
      absl::StrCat(absl::string_view(buffer.GetString(), buffer.GetSize()),
                   "\n"),
      {{"\x7f", "\\u007f"}});
}

std::string ToText(const InfoValue& value) {
  std::string out;
  WriteSection(*value.object(), "", &out);
  return out;
}

}  // namespace perf2x
