// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/line_text.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "converter/base/text.h"

namespace perf2x {
namespace {

// Appends values until there are `most` bytes.
class LineWriter {
 public:
  LineWriter(size_t most, std::string* line)
      : end_(line->size() + most), line_(*line) {}

  void AddMembers(const InfoValue::Object& object, absl::string_view before) {
    for (const auto& [key, value] : object) {
      if (!HasRoom()) return;
      absl::StrAppend(&line_, before, PlainText(key), "=");
      Add(value);
      before = " ";
    }
  }

 private:
  // What does not fit is left out, which is said once.
  bool HasRoom() {
    if (!is_cut_ && line_.size() >= end_) {
      is_cut_ = true;
      absl::StrAppend(&line_, " …");
    }
    return !is_cut_;
  }

  void Add(const InfoValue& value) {
    std::visit(
        [&](const auto& v) {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, bool>) {
            absl::StrAppend(&line_, v ? "yes" : "no");
          } else if constexpr (std::is_same_v<T, std::string>) {
            AddString(v);
          } else if constexpr (std::is_same_v<T, InfoValue::List>) {
            AddList(v);
          } else if constexpr (std::is_same_v<T, InfoValue::Object>) {
            line_ += '{';
            AddMembers(v, "");
            line_ += '}';
          } else {
            absl::StrAppend(&line_, v);
          }
        },
        value.variant());
  }

  void AddString(absl::string_view text) {
    const size_t room = end_ - std::min(end_, line_.size());
    absl::StrAppend(&line_, QuotedText(text.substr(0, room)));
    if (text.size() > room) (void)HasRoom();
  }

  void AddList(const InfoValue::List& list) {
    line_ += '[';
    for (const InfoValue& element : list) {
      if (!HasRoom()) break;
      if (&element != &list.front()) line_ += ' ';
      Add(element);
    }
    line_ += ']';
  }

  const size_t end_;
  std::string& line_;
  bool is_cut_ = false;
};

}  // namespace

std::string QuotedText(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
  return PlainText(out);
}

void AppendMembers(const InfoValue::Object& object, size_t most,
                   std::string* line) {
  LineWriter(most, line).AddMembers(object, " ");
}

}  // namespace perf2x
