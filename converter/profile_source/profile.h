// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

// Index in the string table of a Profile. 0 is the empty string.
using StringIndex = uint32_t;

// Returns a DataLoss error that says what is damaged in a profile.
absl::Status DamagedProfile(absl::string_view what);

// Serialized Sample messages of a profile, in order. Charges no budget. Not
// thread-safe.
class MessageLog {
 public:
  // Appends a copy of `message`, which must have fewer than 2^32 bytes.
  void Add(absl::Span<const uint8_t> message);
  // Returns the number of messages that were added.
  uint64_t size() const { return size_; }
  // Calls `visit(message)` for each message in order. Stops at the first error
  // and returns it.
  template <class F>
  absl::Status ForEach(F visit) const {
    for (const Chunk& chunk : chunks_) {
      absl::Status status = Visit(chunk, visit);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  // As ForEach, and frees the messages. Does not change size(). After an error,
  // some of the visited messages remain.
  template <class F>
  absl::Status Drain(F visit) {
    for (Chunk& chunk : chunks_) {
      absl::Status status = Visit(chunk, visit);
      if (!status.ok()) return status;
      chunk = Chunk();
    }
    chunks_.clear();
    return absl::OkStatus();
  }

 private:
  struct Chunk {
    std::unique_ptr<uint8_t[]> bytes;
    size_t used = 0, capacity = 0;
  };
  using Size = uint32_t;  // precedes each message

  template <class F>
  static absl::Status Visit(const Chunk& chunk, F& visit) {
    for (size_t at = 0; at < chunk.used;) {
      Size size;
      std::memcpy(&size, &chunk.bytes[at], sizeof(size));
      at += sizeof(size);
      absl::Status status =
          visit(absl::Span<const uint8_t>(&chunk.bytes[at], size));
      if (!status.ok()) return status;
      at += size;
    }
    return absl::OkStatus();
  }

  std::vector<Chunk> chunks_;
  uint64_t size_ = 0;
};

// Maps the ids of a profile's mappings, locations or functions to indexes. Ids
// that count from 1, as most writers assign them, take no memory. Not
// thread-safe.
class IdIndex {
 public:
  // Adds an id, which gets the next index, from 0. Returns false, and adds
  // nothing, if the id is 0 or was added before.
  bool Add(uint64_t id);
  // Returns the index of `id`; kNoId if there is none.
  uint32_t Find(uint64_t id) const {
    if (id - 1 < dense_) return static_cast<uint32_t>(id - 1);
    if (others_.empty()) return kNoId;
    const auto it = others_.find(id);
    return it == others_.end() ? kNoId : it->second;
  }
  // Returns the number of ids.
  uint32_t size() const { return size_; }

 private:
  uint32_t size_ = 0;
  uint32_t dense_ = 0;  // ids 1 to dense_ have the indexes 0 to dense_ - 1
  absl::flat_hash_map<uint64_t, uint32_t> others_;
};

// The contents of a pprof profile (proto/profile.proto), tables in the order of
// the file. References between tables are indexes. ReadProfile has checked
// them, except in samples.
struct Profile {
  struct ValueType {
    StringIndex type = 0, unit = 0;
  };
  struct Mapping {
    uint64_t id = 0;
    uint64_t start = 0, limit = 0, offset = 0;
    StringIndex filename = 0, build_id = 0;
    bool has_functions = false, has_filenames = false;
    bool has_line_numbers = false, has_inline_frames = false;
  };
  struct Function {
    uint64_t id = 0;
    StringIndex name = 0, system_name = 0, filename = 0;
    int64_t start_line = 0;
  };
  struct Line {
    uint32_t function = kNoId;  // index; kNoId: none
    int64_t line = 0, column = 0;
  };
  struct Location {
    uint64_t id = 0;
    uint64_t address = 0;
    uint32_t mapping = kNoId;  // index; kNoId: none
    uint32_t line_count = 0;
    uint64_t first_line = 0;  // in `lines`
    bool is_folded = false;
  };

  // Returns the lines of a location, innermost inlined function first.
  absl::Span<const Line> LinesOf(const Location& location) const {
    return absl::MakeConstSpan(lines).subspan(location.first_line,
                                              location.line_count);
  }
  // Returns a string of the table.
  absl::string_view operator[](StringIndex s) const { return strings[s]; }

  std::vector<ValueType> sample_types;
  MessageLog samples;  // serialized Sample messages, not checked yet
  std::vector<Mapping> mappings;
  std::vector<Location> locations;
  std::vector<Line> lines;
  std::vector<Function> functions;
  std::vector<absl::string_view> strings;     // with only plain text, in `text`
  std::vector<std::unique_ptr<char[]>> text;  // owns the bytes of `strings`
  IdIndex location_ids;  // indexes in `locations`, by Location::id

  StringIndex drop_frames = 0, keep_frames = 0;
  int64_t time_nanos = 0, duration_nanos = 0;
  std::optional<ValueType> period_type;
  int64_t period = 0;
  std::vector<StringIndex> comments;
  StringIndex default_sample_type = 0, doc_url = 0;
};

// Sets the flags of `*to` (has_functions and so on) that are set in `from`.
inline void AddFlags(const Profile::Mapping& from, Profile::Mapping* to) {
  to->has_functions |= from.has_functions;
  to->has_filenames |= from.has_filenames;
  to->has_line_numbers |= from.has_line_numbers;
  to->has_inline_frames |= from.has_inline_frames;
}

// One decoded Sample message. The object can be reused for the next sample.
struct ProfileSample {
  struct Label {
    StringIndex key = 0, str = 0;
    int64_t num = 0;
    StringIndex num_unit = 0;
  };
  std::vector<uint32_t> locations;  // indexes, leaf first
  std::vector<int64_t> values;      // one for each of Profile::sample_types
  std::vector<Label> labels;

  // Replaces the contents by a decoded message of `profile.samples`. Fails with
  // DataLoss if the message is damaged, refers to missing entries of the
  // profile, or has a wrong number of values. The contents are then undefined.
  absl::Status Decode(const Profile& profile,
                      absl::Span<const uint8_t> message);
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_H_
