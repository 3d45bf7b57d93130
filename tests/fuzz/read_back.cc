// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/read_back.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"
#include "profile.pb.h"
#include "tests/fuzz/read_back_profiles.h"
#include "tests/support/html_page.h"
#include "tests/support/parquet_file.h"
#include "tests/support/perfetto_trace.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

bool Gunzip(absl::string_view bytes, std::string* out) {
  z_stream z{};
  if (inflateInit2(&z, 15 + 16) != Z_OK) return false;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  while (z.avail_in > 0 && (result == Z_OK || result == Z_STREAM_END)) {
    if (result == Z_STREAM_END) inflateReset(&z);  // another gzip member
    std::array<Bytef, 1 << 16> buffer;
    do {
      z.next_out = buffer.data();
      z.avail_out = buffer.size();
      result = inflate(&z, Z_NO_FLUSH);
      out->append(reinterpret_cast<char*>(buffer.data()),
                  buffer.size() - z.avail_out);
    } while (result == Z_OK && z.avail_out == 0);
  }
  inflateEnd(&z);
  return result == Z_STREAM_END;
}

template <class List>
bool HasUniqueIds(const List& list, std::unordered_set<uint64_t>* ids) {
  for (const auto& entry : list) {
    if (entry.id() == 0 || !ids->insert(entry.id()).second) return false;
  }
  return true;
}

std::string CheckStrings(const pb::Profile& profile) {
  const auto& table = profile.string_table();
  if (table.empty() || !table[0].empty()) return "no empty string first";
  const std::unordered_set<std::string> distinct(table.begin(), table.end());
  if (distinct.size() != static_cast<size_t>(table.size())) {
    return "a string is there twice";
  }
  bool good = true;
  const auto check = [&](int64_t index) {
    good = good && index >= 0 && index < table.size();
  };
  for (const auto& type : profile.sample_type()) {
    check(type.type());
    check(type.unit());
  }
  for (const auto& sample : profile.sample()) {
    for (const auto& label : sample.label()) {
      check(label.key());
      check(label.str());
      check(label.num_unit());
    }
  }
  for (const auto& mapping : profile.mapping()) {
    check(mapping.filename());
    check(mapping.build_id());
  }
  for (const auto& function : profile.function()) {
    check(function.name());
    check(function.system_name());
    check(function.filename());
  }
  for (const int64_t comment : profile.comment()) check(comment);
  check(profile.default_sample_type());
  check(profile.period_type().type());
  check(profile.period_type().unit());
  return good ? "" : "the index of a string is out of range";
}

std::string CheckIds(const pb::Profile& profile) {
  std::unordered_set<uint64_t> mappings, functions, locations;
  if (!HasUniqueIds(profile.mapping(), &mappings) ||
      !HasUniqueIds(profile.function(), &functions) ||
      !HasUniqueIds(profile.location(), &locations)) {
    return "an id is zero or there twice";
  }
  for (const auto& location : profile.location()) {
    if (location.mapping_id() != 0 &&
        mappings.count(location.mapping_id()) == 0) {
      return "a location without its mapping";
    }
    for (const auto& line : location.line()) {
      if (functions.count(line.function_id()) == 0) {
        return "a line without its function";
      }
    }
  }
  for (const auto& sample : profile.sample()) {
    if (sample.value_size() != profile.sample_type_size()) {
      return "a sample has another number of values than there are types";
    }
    for (const uint64_t id : sample.location_id()) {
      if (locations.count(id) == 0) return "a sample without its location";
    }
  }
  return "";
}

// Checks the events of a Chrome trace: the objects in the array "traceEvents"
// of the outermost object.
class TraceHandler
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TraceHandler> {
 public:
  std::string problem;

  bool Default() { return Value(kOther); }
  bool Int(int) { return Value(kNumber); }
  bool Uint(unsigned) { return Value(kNumber); }
  bool Int64(int64_t) { return Value(kNumber); }
  bool Uint64(uint64_t) { return Value(kNumber); }
  bool Double(double) { return Value(kNumber); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (in_event() && key_ == "ph") phase_ = std::string(text, size);
    return Value(kString);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_.assign(text, size);
    if (depth_ == 1) in_events_ = key_ == "traceEvents";
    return true;
  }
  bool StartObject() {
    Value(kOther);
    ++depth_;
    if (in_event()) {
      kinds_.clear();
      phase_.clear();
    }
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    const bool good = !in_event() || CheckEvent();
    --depth_;
    return good;
  }
  bool StartArray() {
    Value(kOther);
    if (depth_ == 1 && in_events_) has_events_ = true;
    ++depth_;
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    return true;
  }
  void Finish() {
    if (!has_events_) problem = "no traceEvents";
    if (phases_["b"] != phases_["e"]) problem = "a slice does not end";
    if (phases_["s"] != phases_["f"]) problem = "a flow does not end";
    if (phases_["B"] != phases_["E"]) problem = "a B without its E";
  }

 private:
  enum Kind { kString, kNumber, kOther };

  bool in_event() const { return depth_ == 3 && in_events_; }
  bool Value(Kind kind) {
    if (in_event() && !kinds_.emplace(key_, kind).second) {
      problem = absl::StrCat("an event has two members ", key_);
      return false;
    }
    return true;
  }
  bool Has(const std::string& key, Kind kind) const {
    const auto it = kinds_.find(key);
    return it != kinds_.end() && it->second == kind;
  }
  bool CheckEvent() {
    ++phases_[phase_];
    bool good =
        phase_.size() == 1 && Has("cat", kString) && Has("pid", kNumber);
    if (phase_ != "M") good = good && Has("ts", kNumber);
    if (phase_ == "X") good = good && Has("dur", kNumber);
    if (!good) problem = absl::StrCat("an incomplete event ", phase_);
    return good;
  }

  int depth_ = 0;
  bool in_events_ = false, has_events_ = false;
  std::string key_, phase_;
  std::map<std::string, Kind> kinds_;  // types of the event's members
  std::map<std::string, uint64_t> phases_;
};

constexpr unsigned kStrict =
    rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

template <class Handler>
std::string ReadJson(absl::string_view text, Handler& handler) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream>
      encoded(stream);
  rapidjson::Reader reader;
  const auto result = reader.Parse<kStrict>(encoded, handler);
  if (!result.IsError()) return "";
  return absl::StrCat(rapidjson::GetParseError_En(result.Code()), " at ",
                      result.Offset());
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

using Row = std::vector<std::string>;

// Removes the next row from `*text`, a table (RFC 4180).
std::string NextRow(absl::string_view* text, Row* row) {
  row->assign(1, "");
  for (size_t at = 0;; ++at) {
    if (at >= text->size()) return "the last row has no end";
    const char c = (*text)[at];
    if (c == '"') {
      if (!row->back().empty()) return "a quote within a cell";
      for (++at;; ++at) {
        if (at >= text->size()) return "a quoted cell has no end";
        if ((*text)[at] == '"') {
          if (at + 1 >= text->size() || (*text)[at + 1] != '"') break;
          ++at;
        } else if (IsControl((*text)[at])) {
          return "a control character";
        }
        row->back().push_back((*text)[at]);
      }
    } else if (c == ',') {
      row->emplace_back();
    } else if (c == '\r' && at + 1 < text->size() && (*text)[at + 1] == '\n') {
      text->remove_prefix(at + 2);
      return "";
    } else if (IsControl(c)) {
      return "a control character";
    } else {
      row->back().push_back(c);
    }
  }
}

}  // namespace

std::string CheckPprof(absl::string_view bytes, uint64_t* samples,
                       size_t* events) {
  std::string raw;
  if (!Gunzip(bytes, &raw)) return "not whole as gzip";
  pb::Profile profile;
  if (!profile.ParseFromString(raw)) return "no profile.proto";
  if (const std::string bad = CheckStrings(profile); !bad.empty()) return bad;
  if (const std::string bad = CheckIds(profile); !bad.empty()) return bad;
  *events = static_cast<size_t>(profile.sample_type_size()) / 2;
  *samples = 0;
  for (const auto& sample : profile.sample()) {
    for (int i = 0; i < sample.value_size(); i += 2) {
      *samples += static_cast<uint64_t>(sample.value(i));
    }
  }
  return "";
}

std::string CheckJson(absl::string_view text) {
  rapidjson::BaseReaderHandler<> handler;
  return ReadJson(text, handler);
}

std::string CheckChromeTrace(absl::string_view text) {
  TraceHandler handler;
  const std::string bad = ReadJson(text, handler);
  if (!handler.problem.empty()) return handler.problem;
  if (!bad.empty()) return bad;
  handler.Finish();
  return handler.problem;
}

std::string CheckCsv(absl::string_view text, uint64_t* rows) {
  Row columns, row;
  std::string bad = NextRow(&text, &columns);
  for (*rows = 0; bad.empty() && !text.empty(); ++*rows) {
    bad = NextRow(&text, &row);
    if (bad.empty() && row.size() != columns.size()) {
      bad = absl::StrCat("a row of ", row.size(), " cells in a table of ",
                         columns.size(), " columns");
    }
  }
  return bad.empty() ? "" : absl::StrCat("row ", *rows, ": ", bad);
}

std::string CheckCsvResults(absl::string_view text, uint64_t* samples) {
  uint64_t rows = 0;
  if (const std::string bad = CheckCsv(text, &rows); !bad.empty()) return bad;
  Row row;
  NextRow(&text, &row);
  const auto column = [&](absl::string_view name) {
    return static_cast<size_t>(std::find(row.begin(), row.end(), name) -
                               row.begin());
  };
  const size_t event = column("event"), own = column("samples"),
               total = column("total_samples");
  if (std::max({event, own, total}) >= row.size()) return "columns are missing";
  struct Sums {
    uint64_t own = 0, total = 0;
  };
  std::map<std::string, Sums> sums;
  while (!text.empty()) {
    NextRow(&text, &row);
    uint64_t n = 0;
    if (!absl::SimpleAtoi(row[own], &n)) return "samples are no number";
    sums[row[event]].own += n;
    if (!absl::SimpleAtoi(row[total], &n)) return "total_samples is no number";
    sums[row[event]].total = n;
  }
  *samples = 0;
  for (const auto& [name, sum] : sums) *samples += sum.own;
  return "";
}

std::string CheckFolded(absl::string_view text, uint64_t* samples) {
  *samples = 0;
  absl::string_view last;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == text.npos) return "the last line has no end";
    const absl::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t blank = line.rfind(' ');
    uint64_t count = 0;
    if (blank == line.npos ||
        !absl::SimpleAtoi(line.substr(blank + 1), &count) || count == 0) {
      return "a line without its count";
    }
    const absl::string_view stack = line.substr(0, blank);
    if (std::any_of(stack.begin(), stack.end(), IsControl)) {
      return "a control character";
    }
    if (last.data() != nullptr && stack <= last) {
      return "stacks are not in order";
    }
    last = stack;
    *samples += count;
  }
  return "";
}

std::string CheckPlainText(absl::string_view text) {
  const bool bad = std::any_of(text.begin(), text.end(), [](char c) {
    return c != '\n' && IsControl(c);
  });
  return bad                                            ? "a control character"
         : !text.empty() && !absl::EndsWith(text, "\n") ? "no end of line"
                                                        : "";
}

std::string CheckFormat(absl::string_view name, absl::string_view text) {
  uint64_t n = 0;
  size_t events = 0;
  if (name == "pprof") return CheckPprof(text, &n, &events);
  if (name == "chrome") return CheckChromeTrace(text);
  if (name == "csv") return CheckCsv(text, &n);
  if (name == "folded") return CheckFolded(text, &n);
  if (name == "html") return CheckPage(text, &n);
  if (name == "parquet") return CheckParquet(text, &n);
  if (name == "perfetto") return CheckPerfettoTrace(text, &n);
  if (name == "bolt") return CheckBolt(text);
  if (name == "profgen") return CheckProfgen(text);
  if (name == "autofdo") return CheckSampleProfile(text);
  const EmitterInfo& format = *FindEmitter(name);
  if (absl::EndsWith(format.extension, ".json")) return CheckJson(text);
  return format.is_text ? CheckPlainText(text) : "";
}

}  // namespace perf2x
