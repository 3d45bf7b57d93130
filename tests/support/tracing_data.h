// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_TRACING_DATA_H_
#define PERF2X_TESTS_SUPPORT_TRACING_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// Returns the text of a tracepoint's format, with the fields that all have and
// with `fields`, lines as in "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n".
inline std::string TracepointFormatText(absl::string_view name, int id,
                                        absl::string_view fields) {
  constexpr absl::string_view kCommon =
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\t"
      "signed:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
  return absl::StrCat("name: ", name, "\nID: ", id, "\nformat:\n", kCommon,
                      fields, "\nprint fmt: \"x=%d\", REC->x\n");
}

// Returns the tracing data of a 64-bit machine with one system of tracepoints,
// whose formats are `texts`.
inline std::vector<uint8_t> TracingData(ByteOrder order,
                                        absl::string_view system,
                                        const std::vector<std::string>& texts) {
  using namespace std::string_literals;
  const auto number = [order](auto value) {
    std::string bytes(sizeof(value), '\0');
    Store(value, reinterpret_cast<uint8_t*>(bytes.data()), order);
    return bytes;
  };
  const auto sized = [&number](absl::string_view text) {
    return absl::StrCat(number(uint64_t{text.size()}), text);
  };
  std::string out = "\x17\x08\x44tracing0.6\0"s;
  out += order == ByteOrder::kBig ? '\1' : '\0';
  out += '\x08';
  out += number(uint32_t{4096});
  out += "header_page\0"s + sized("page");
  out += "header_event\0"s + sized("event");
  out += number(uint32_t{1}) + sized("an event of ftrace");
  out += number(uint32_t{1});
  absl::StrAppend(&out, system, absl::string_view("\0", 1));
  out += number(static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) out += sized(text);
  out += number(uint32_t{0}) + number(uint32_t{0});
  out += number(uint64_t{0});
  return {out.begin(), out.end()};
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_TRACING_DATA_H_
