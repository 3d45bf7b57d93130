// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_markers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "converter/emit/json_column.h"
#include "converter/emit/json_fields.h"

namespace perf2x {
namespace {

// Numbers from this one on are not exact in JavaScript.
constexpr uint64_t kMaxExact = uint64_t{1} << 53;
// Fields that a marker's row in the marker table shows.
constexpr size_t kLabelFields = 6;

// Phases of the format.
constexpr int kInstant = 0, kInterval = 1;

}  // namespace

// Reads the log of a track.
class FirefoxMarkers::Entries {
 public:
  explicit Entries(const Track& track) : reader_(track.log) {}

  const Marker& Next() {
    marker_.type = static_cast<TypeId>(reader_.Next());
    start_ += static_cast<uint64_t>(reader_.NextSigned());
    marker_.start = start_;
    const uint64_t length = reader_.Next();
    marker_.end =
        length == 0 ? std::nullopt : std::optional(start_ + length - 1);
    marker_.stack = static_cast<StackId>(reader_.Next() - 1);
    values_.resize(reader_.Next());
    for (Value& value : values_) {
      const uint64_t head = reader_.Next();
      value.field = static_cast<uint32_t>(head / kValueKinds);
      value.kind = static_cast<ValueKind>(head % kValueKinds);
      value.number = value.kind == kInt
                         ? static_cast<uint64_t>(reader_.NextSigned())
                         : reader_.Next();
    }
    return marker_;
  }
  // Returns the values of the last marker.
  const std::vector<Value>& values() const { return values_; }

 private:
  NumberLog::Reader reader_;
  uint64_t start_ = 0;
  Marker marker_;
  std::vector<Value> values_;
};

FirefoxMarkers::TypeId FirefoxMarkers::TypeOf(absl::string_view name,
                                              bool in_overview) {
  const StringId id = tables_.strings.Intern(name);
  const auto [it, inserted] =
      type_ids_.try_emplace(id, static_cast<TypeId>(types_.size()));
  if (inserted) types_.push_back({id, in_overview, {}, {}});
  return it->second;
}

// Markers of a type mostly have the same fields in the same order, if not all
// of them, so the field is looked for at `guess` first: after the field before.
uint32_t FirefoxMarkers::FieldOf(Type& type, size_t guess,
                                 absl::string_view name) {
  if (guess < type.fields.size() &&
      tables_.strings[type.fields[guess].name] == name) {
    return static_cast<uint32_t>(guess);
  }
  const StringId id = tables_.strings.Intern(name);
  const auto [it, inserted] =
      type.field_ids.try_emplace(id, static_cast<uint32_t>(type.fields.size()));
  if (inserted) {
    type.fields.push_back({id, Format::kNone});
    ++fields_;
  }
  return it->second;
}

FirefoxMarkers::Value FirefoxMarkers::Encode(const Field& field) {
  if (const auto* number = std::get_if<uint64_t>(&field.value)) {
    return {0, kUint, *number};
  }
  if (const auto* number = std::get_if<int64_t>(&field.value)) {
    return {0, kInt, static_cast<uint64_t>(*number)};
  }
  if (const auto* number = std::get_if<double>(&field.value)) {
    return {0, kDouble, std::bit_cast<uint64_t>(*number)};
  }
  if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    return {0, kHex, hex->value};
  }
  return {0, kString,
          tables_.strings.Intern(std::get<absl::string_view>(field.value))};
}

FirefoxMarkers::Format FirefoxMarkers::FormatOf(const Value& value) {
  switch (value.kind) {
    case kUint:
      return value.number < kMaxExact ? Format::kInteger : Format::kText;
    case kInt:
      return std::abs(static_cast<double>(static_cast<int64_t>(value.number))) <
                     static_cast<double>(kMaxExact)
                 ? Format::kInteger
                 : Format::kText;
    case kDouble:
      return std::isfinite(std::bit_cast<double>(value.number))
                 ? Format::kDecimal
                 : Format::kText;
    case kHex:
      return value.number < kMaxExact ? Format::kHex : Format::kText;
    default:
      return Format::kName;
  }
}

FirefoxMarkers::Format FirefoxMarkers::Common(Format a, Format b) {
  if (a == b || a == Format::kNone) return b;
  return Format::kText;
}

void FirefoxMarkers::Add(TrackId track, const Marker& marker, Fields fields) {
  while (track != kNoId && track >= tracks_.size()) {
    tracks_.emplace_back(&log_memory_);
  }
  Track& to = track == kNoId ? cpus_ : tracks_[track];
  if (to.count == kNoId) return;  // more than a table can have
  constexpr uint64_t kBytesPerMarker = 40, kBytesPerField = 24;
  uncharged_output_ += kBytesPerMarker + kBytesPerField * fields.size();
  times_.NoteTime(marker.start);
  if (marker.end.has_value()) times_.NoteTime(*marker.end);
  Type& type = types_[marker.type];
  values_.clear();
  size_t guess = 0;
  for (const Field& field : fields) {
    Value value = Encode(field);
    value.field = FieldOf(type, guess, field.name);
    guess = size_t{value.field} + 1;
    Format& format = type.fields[value.field].format;
    format = Common(format, FormatOf(value));
    values_.push_back(value);
  }
  to.log.Add(marker.type);
  to.log.AddSigned(static_cast<int64_t>(marker.start - to.last_start));
  to.log.Add(marker.end.has_value()
                 ? std::max(*marker.end, marker.start) - marker.start + 1
                 : 0);
  to.log.Add(marker.stack == kNoId ? 0 : uint64_t{marker.stack} + 1);
  to.log.Add(values_.size());
  for (const Value& value : values_) {
    to.log.Add(uint64_t{value.field} * kValueKinds + value.kind);
    value.kind == kInt ? to.log.AddSigned(static_cast<int64_t>(value.number))
                       : to.log.Add(value.number);
  }
  to.last_start = marker.start;
  ++to.count;
}

void FirefoxMarkers::UseStacks(UsedStacks& stacks) const {
  for (const Track& track : tracks_) {  // those of CPUs have no stacks
    Entries entries(track);
    for (uint32_t i = 0; i < track.count; ++i) {
      const StackId stack = entries.Next().stack;
      if (stack != kNoId) stacks.Use(stack);
    }
  }
}

// Members that mean something to the profiler itself get another key.
std::string FirefoxMarkers::KeyOf(const Type& type,
                                  const SchemaField& field) const {
  const absl::string_view name = tables_.strings[field.name];
  for (const absl::string_view taken :
       {"type", "cause", "stack", "category", "interval", "__proto__"}) {
    if (name != taken) continue;
    FreeKey key(taken);
    for (const SchemaField& other : type.fields) {
      key.Avoid(tables_.strings[other.name]);
    }
    return key.Text();
  }
  return std::string(name);
}

// Returns a template with the first fields; empty if there is none with a plain
// name.
std::string FirefoxMarkers::LabelOf(const Type& type) const {
  std::string label;
  size_t shown = 0;
  for (const SchemaField& field : type.fields) {
    const std::string key = KeyOf(type, field);
    if (key.empty() || !std::all_of(key.begin(), key.end(), [](char c) {
          return c == '_' || absl::ascii_isalnum(c);
        })) {
      continue;
    }
    if (++shown > kLabelFields) break;
    absl::StrAppend(&label, label.empty() ? "" : " ", key, "={marker.data.",
                    key, "}");
  }
  return label;
}

void FirefoxMarkers::WriteSchemas(JsonWriter& json) const {
  constexpr const char* kPlaces[] = {"marker-chart", "marker-table",
                                     "timeline-overview"};
  constexpr const char* kFormats[] = {"string",      "integer",       "decimal",
                                      "hexadecimal", "unique-string", "string"};
  WriteArray(json, "markerSchema", types_.size(), [&](size_t i) {
    const Type& type = types_[i];
    json.BeginObject();
    WriteText(json, "name", tables_.strings[type.name]);
    const std::string label = LabelOf(type);
    if (!label.empty()) WriteText(json, "tableLabel", label);
    WriteArray(json, "display", type.in_overview ? 3 : 2,
               [&](size_t place) { json.String(kPlaces[place]); });
    WriteArray(json, "fields", type.fields.size(), [&](size_t f) {
      const SchemaField& field = type.fields[f];
      json.BeginObject();
      WriteText(json, "key", KeyOf(type, field));
      WriteText(json, "label", tables_.strings[field.name]);
      WriteText(json, "format", kFormats[static_cast<size_t>(field.format)]);
      json.EndObject();
    });
    json.EndObject();
  });
}

std::string FirefoxMarkers::TextOf(const Value& value) const {
  switch (value.kind) {
    case kUint:
      return absl::StrCat(value.number);
    case kInt:
      return absl::StrCat(static_cast<int64_t>(value.number));
    case kDouble:
      return absl::StrCat(std::bit_cast<double>(value.number));
    case kHex:
      return absl::StrCat("0x", absl::Hex(value.number));
    default:
      return std::string(tables_.strings[static_cast<StringId>(value.number)]);
  }
}

void FirefoxMarkers::WriteValue(Format format, const Value& value,
                                UsedStrings& strings, JsonWriter& json) const {
  switch (format) {
    case Format::kInteger:
    case Format::kHex:
      return json.Int(static_cast<int64_t>(value.number));
    case Format::kDecimal:
      return json.Double(std::bit_cast<double>(value.number));
    case Format::kName:
      return json.Int(strings.IndexOf(static_cast<StringId>(value.number)));
    case Format::kNone:
    case Format::kText:
      return json.String(TextOf(value));
  }
}

void FirefoxMarkers::WriteData(const Marker& marker,
                               const std::vector<Value>& values,
                               const FirefoxCode& code, UsedStrings& strings,
                               JsonWriter& json) const {
  const Type& type = types_[marker.type];
  json.BeginObject();
  WriteText(json, "type", tables_.strings[type.name]);
  for (const Value& value : values) {
    const SchemaField& field = type.fields[value.field];
    json.Key(KeyOf(type, field));
    WriteValue(field.format, value, strings, json);
  }
  const uint32_t stack =
      marker.stack == kNoId ? kNoId : code.StackOf(marker.stack);
  if (stack != kNoId) {
    json.Key("cause");
    json.BeginObject();
    WriteNumber(json, "stack", stack);
    json.EndObject();
  }
  json.EndObject();
}

void FirefoxMarkers::Write(std::optional<TrackId> id, const FirefoxCode& code,
                           UsedStrings& strings, JsonWriter& json) const {
  uint64_t none_memory = 0;
  const Track none(&none_memory);
  const Track& track = !id.has_value()        ? none
                       : *id == kNoId         ? cpus_
                       : *id < tracks_.size() ? tracks_[*id]
                                              : none;
  // Calls `write` for each marker, in order.
  const auto column = [&](absl::string_view key, auto write) {
    Entries entries(track);
    WriteArray(json, key, track.count, [&](size_t) {
      const Marker& marker = entries.Next();
      write(marker, entries.values());
    });
  };
  json.BeginObject();
  column("data", [&](const Marker& marker, const std::vector<Value>& values) {
    WriteData(marker, values, code, strings, json);
  });
  column("name", [&](const Marker& marker, const auto&) {
    json.Int(strings.IndexOf(types_[marker.type].name));
  });
  column("startTime", [&](const Marker& marker, const auto&) {
    json.Millis(times_.Elapsed(marker.start));
  });
  column("endTime", [&](const Marker& marker, const auto&) {
    marker.end.has_value() ? json.Millis(times_.Elapsed(*marker.end))
                           : json.Null();
  });
  column("phase", [&](const Marker& marker, const auto&) {
    json.Int(marker.end.has_value() ? kInterval : kInstant);
  });
  column("category", [&](const Marker&, const auto&) { json.Int(0); });
  WriteNumber(json, "length", track.count);
  json.EndObject();
}

}  // namespace perf2x
