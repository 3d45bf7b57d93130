// SPDX-License-Identifier: Apache-2.0
#include "converter/tracepoint/parse_format.h"

#include <traceevent/event-parse.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/truncate_name.h"

namespace perf2x {
namespace {

// The most bytes of the fields, and of the print format. The longest of Linux
// 6.x are some KB.
constexpr size_t kMaxText = 64 << 10;

struct FreeTep {
  void operator()(tep_handle* tep) const { tep_free(tep); }
};

// Returns the text that libtraceevent parses: the fields and an empty print
// format. The real print format is a C expression that need not be evaluated;
// parsing it is most of libtraceevent's work, and the source of most of its
// bugs.
std::optional<std::string> WithoutPrintFormat(absl::string_view fields) {
  const bool plain =
      std::all_of(fields.begin(), fields.end(), [](unsigned char c) {
        return absl::ascii_isprint(c) || c == '\n' || c == '\t';
      });
  if (!plain || fields.size() > kMaxText) return std::nullopt;
  return absl::StrCat(fields, "\nprint fmt: \"\"\n");
}

bool IsNumberSize(uint32_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8;
}

// Returns the element size, in bytes, of an array of `type`, such as
// "__data_loc unsigned long[]"; 0 if the type is not known.
uint32_t ElementSizeOf(absl::string_view type, int long_size) {
  const auto has = [type](absl::string_view word) {
    return absl::StrContains(type, word);
  };
  if (has("64") || has("long long")) return 8;
  if (has("long") || has("size_t") || has("*")) return long_size;
  if (has("16") || has("short")) return 2;
  if (has("8") || has("char") || has("bool")) return 1;
  return has("32") || has("int") || has("unsigned") ? 4 : 0;
}

// Returns the element size of an array. libtraceevent does not say it of
// dynamic arrays, nor of those whose number of elements is not in brackets:
// probes have "u64 args[]".
uint32_t ElementSizeOf(const tep_format_field& field, bool dynamic,
                       int long_size) {
  if (dynamic) {
    const uint32_t size = ElementSizeOf(field.type, long_size);
    return size == 0 ? 4 : size;
  }
  uint32_t size = field.elementsize;
  if (size == 0 && !absl::StrContains(field.type, "struct")) {
    size = ElementSizeOf(field.type, long_size);
  }
  return IsNumberSize(size) && field.size % size == 0 ? size : 1;
}

std::optional<TracepointFieldLayout> LayoutOf(const tep_format_field& field,
                                              int long_size) {
  if (field.name == nullptr || field.type == nullptr || field.offset < 0 ||
      field.size < 0) {
    return std::nullopt;
  }
  const absl::string_view type = field.type;
  const auto has = [&field](unsigned long flag) {
    return (field.flags & flag) != 0;
  };
  using Kind = TracepointFieldLayout::Kind;
  TracepointFieldLayout out;
  out.name = field.name;
  out.offset = static_cast<uint32_t>(field.offset);
  out.size = static_cast<uint32_t>(field.size);
  out.is_signed = has(TEP_FIELD_IS_SIGNED);
  out.dynamic = has(TEP_FIELD_IS_DYNAMIC);
  out.relative = has(TEP_FIELD_IS_RELATIVE);
  if (out.dynamic && out.size != 4) return std::nullopt;

  if (has(TEP_FIELD_IS_ARRAY) || out.dynamic) {
    out.element_size = ElementSizeOf(field, out.dynamic, long_size);
    if (has(TEP_FIELD_IS_STRING)) {
      // libtraceevent also takes arrays of u8 and s8 for strings; they may be
      // raw bytes.
      const bool characters = absl::StrContains(type, "char") &&
                              !absl::StrContains(type, "unsigned char");
      out.kind = characters ? Kind::kString : Kind::kByteString;
    } else {
      out.kind = Kind::kArray;
    }
    // Arrays of 8-byte words are mostly addresses and arguments of system
    // calls.
    out.hex = out.element_size == 8 && !out.is_signed;
  } else if (IsNumberSize(out.size)) {
    // Probes store the addresses that they were hit at as __probe_ip and the
    // like.
    out.hex =
        has(TEP_FIELD_IS_POINTER) || absl::StartsWith(out.name, "__probe_");
  } else {
    out.kind = Kind::kArray;  // a structure
  }
  return out;
}

}  // namespace

std::optional<ParsedFormat> ParseFormat(absl::string_view system,
                                        absl::string_view text, ByteOrder order,
                                        int long_size) {
  // Both names are those of folders (of tracefs).
  if (system.size() > kMaxFileNameSize) return std::nullopt;
  constexpr absl::string_view kPrint = "\nprint fmt:";
  const size_t end = std::min(text.find(kPrint), text.size());
  const absl::string_view print =
      absl::ClippedSubstr(text, end + kPrint.size());
  const std::optional<std::string> fields =
      WithoutPrintFormat(text.substr(0, end));
  if (!fields.has_value() || print.size() > kMaxText) return std::nullopt;

  // libtraceevent has global state. Two threads may read the formats of one
  // recording.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  // One handle per text: one event, no clash of ids, freed as a whole.
  tep_set_loglevel(TEP_LOG_NONE);
  std::unique_ptr<tep_handle, FreeTep> tep(tep_alloc());
  if (tep == nullptr) return std::nullopt;
  tep_set_long_size(tep.get(), long_size);
  tep_parse_event(tep.get(), fields->data(), fields->size(),
                  std::string(system).c_str());
  const tep_event* event = tep_get_first_event(tep.get());
  if (event == nullptr || event->name == nullptr || event->id < 0 ||
      absl::string_view(event->name).size() > kMaxFileNameSize) {
    return std::nullopt;
  }
  std::vector<TracepointFieldLayout> layouts;
  for (const tep_format_field* f = event->format.fields; f; f = f->next) {
    if (auto layout = LayoutOf(*f, long_size))
      layouts.push_back(*std::move(layout));
  }
  return ParsedFormat{
      static_cast<uint64_t>(event->id),
      TracepointFormat(std::string(system), event->name, order,
                       std::move(layouts),
                       std::string(absl::StripAsciiWhitespace(print)))};
}

}  // namespace perf2x
