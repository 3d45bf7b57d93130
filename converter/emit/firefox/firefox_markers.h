// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_MARKERS_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_MARKERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/emit/firefox/firefox_code.h"
#include "converter/emit/firefox/firefox_tracks.h"
#include "converter/emit/json_writer.h"
#include "converter/emit/number_log.h"
#include "converter/emit/used_strings.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Keeps markers, packed, by track, and writes them as the table "markers" of a
// thread. Markers about CPUs have the track kNoId. Markers of one type share a
// name and a schema (the list of their fields). Does not check the budget: the
// caller does, and charges memory() and TakeUnchargedOutput(). Not thread-safe.
class FirefoxMarkers {
 public:
  using TypeId = uint32_t;  // index of a type of markers
  // A marker, without its fields.
  struct Marker {
    TypeId type = 0;              // from TypeOf
    uint64_t start = 0;           // ns on the recording's clock
    std::optional<uint64_t> end;  // absent: an instant
    StackId stack = kNoId;        // kNoId: none; required for CPU markers
  };

  // Both must outlive this.
  FirefoxMarkers(TraceTables& tables, FirefoxTimes& times)
      : tables_(tables), times_(times), cpus_(&log_memory_) {}

  // Returns the type called `name`; makes it on first use. If the first call
  // sets `in_overview`, the type's markers are also shown above the threads'
  // graphs.
  TypeId TypeOf(absl::string_view name, bool in_overview = false);
  // Appends a marker to a track. An `end` before `start` counts as `start`.
  // Copies `fields`; texts are interned into the tables. Adds fields with new
  // names to the type's schema. Passes the times to FirefoxTimes. A track has
  // at most 2^32 - 1 markers; further markers are dropped.
  void Add(TrackId track, const Marker& marker, Fields fields);

  // The following are for the end of the trace, after the last Add.

  // Returns true if the track has markers.
  bool HasAny(TrackId track) const {
    return track == kNoId ? cpus_.count > 0
                          : track < tracks_.size() && tracks_[track].count > 0;
  }
  // Marks the stacks of all markers as used in `stacks`.
  void UseStacks(UsedStacks& stacks) const;
  // Writes the list of schemas, the member "markerSchema" of "meta".
  void WriteSchemas(JsonWriter& json) const;
  // Writes the table of a track as an object, without a key. Writes an empty
  // table if the track has no markers, or if `track` is absent. Adds the
  // markers' strings to `strings`.
  void Write(std::optional<TrackId> track, const FirefoxCode& code,
             UsedStrings& strings, JsonWriter& json) const;
  // Return the approximate size in the output, in bytes, of the markers that
  // were added since the last call of TakeUnchargedOutput. TakeUnchargedOutput
  // resets it to 0. A marker takes far more output than memory.
  uint64_t uncharged_output() const { return uncharged_output_; }
  uint64_t TakeUnchargedOutput() { return std::exchange(uncharged_output_, 0); }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    return log_memory_ + tracks_.size() * sizeof(Track) +
           types_.size() * sizeof(Type) + fields_ * 5 * sizeof(SchemaField);
  }

 private:
  // A format that suits all values of a field.
  enum class Format : uint8_t { kNone, kInteger, kDecimal, kHex, kName, kText };
  struct SchemaField {
    StringId name = 0;
    Format format = Format::kNone;
  };
  struct Type {
    StringId name = 0;
    bool in_overview = false;
    std::vector<SchemaField> fields;
    absl::flat_hash_map<StringId, uint32_t> field_ids;  // by name, in fields
  };
  struct Track {
    explicit Track(uint64_t* memory) : log(memory) {}
    NumberLog log;
    uint32_t count = 0;
    uint64_t last_start = 0;
  };
  // A value in the log: its kind and a number. Text is a StringId.
  enum ValueKind : uint8_t { kUint, kInt, kDouble, kHex, kString, kValueKinds };
  struct Value {
    uint32_t field = 0;  // index in Type::fields
    ValueKind kind = kUint;
    uint64_t number = 0;
  };
  class Entries;

  uint32_t FieldOf(Type& type, size_t guess, absl::string_view name);
  Value Encode(const Field& field);
  static Format FormatOf(const Value& value);
  static Format Common(Format a, Format b);
  std::string LabelOf(const Type& type) const;
  std::string KeyOf(const Type& type, const SchemaField& field) const;
  void WriteData(const Marker& marker, const std::vector<Value>& values,
                 const FirefoxCode& code, UsedStrings& strings,
                 JsonWriter& json) const;
  void WriteValue(Format format, const Value& value, UsedStrings& strings,
                  JsonWriter& json) const;
  std::string TextOf(const Value& value) const;

  TraceTables& tables_;
  FirefoxTimes& times_;
  uint64_t log_memory_ = 0;
  uint64_t uncharged_output_ = 0;
  uint64_t fields_ = 0;  // of all types
  std::vector<Type> types_;
  absl::flat_hash_map<StringId, TypeId> type_ids_;  // by name
  std::vector<Track> tracks_;                       // by TrackId
  Track cpus_;
  std::vector<Value> values_;  // of the current marker
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_MARKERS_H_
