// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SAMPLE_FIELDS_H_
#define PERF2X_SESSION_SAMPLE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_field.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// Decodes the optional fields of samples, as SampleFieldTable() lists them, for
// emitters that show them. Not thread-safe.
class SampleFields {
 public:
  // Sets the recording's machine, as in uname -m, for names of registers.
  void set_arch(absl::string_view arch) { arch_ = std::string(arch); }
  // Sets the path of a cgroup, from a CGROUP record; a later one replaces it.
  void AddCgroup(uint64_t id, absl::string_view path) {
    std::string& known = cgroups_[id];
    cgroup_bytes_ += path.size() - known.size();
    known = std::string(path);
  }
  // Returns the approximate memory of the cgroups, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kEntrySize = 64;
    return cgroups_.size() * kEntrySize + cgroup_bytes_;
  }

  // Returns true if samples of an event have other fields than SampleField::
  // is_event_id, except for a tracepoint's.
  bool HasMoreThanEventId(const EventAttr& attr);
  // Returns the field that has an event id.
  static Field EventId(uint64_t id);

  // Returns the fields that the sample has, in the order of SampleFieldTable().
  // `attr` belongs to the sample's event. Valid until the next call of Decode
  // or AddCgroup.
  Fields Decode(const SampleRecord& sample, const EventAttr& attr);
  // Sets "addr", if present, in the result of the last call of Decode, and
  // returns that result. Valid as long as before.
  Fields WithAddress(uint64_t addr);

  // Returns the fields of a tracepoint's payload `raw`, without those beyond
  // its end. Valid until the next call of DecodeTracepoint, and only as long as
  // `format` and `raw`.
  Fields DecodeTracepoint(const TracepointFormat& format,
                          absl::Span<const uint8_t> raw);
  // Returns the result of the last call of DecodeTracepoint. Valid as long as
  // that result.
  Fields tracepoint() const { return tracepoint_fields_; }
  // Returns what DecodeTracepoint last converted to Fields.
  const TracepointFields& decoded_tracepoint() const { return decoded_; }

 private:
  struct Decoders;
  class Planner;
  // Appends `field` to fields_ unless the sample lacks it.
  using Append = void (*)(SampleFields& fields, const SampleField& field,
                          const SampleRecord& sample, const EventAttr& attr);
  // One field that an event records.
  struct Step {
    const SampleField* field = nullptr;
    Append append = nullptr;  // null: the uint64_t at `offset`
    size_t offset = 0;        // in SampleRecord
  };

  const std::vector<Step>& PlanFor(const EventAttr& attr);
  void AddNumber(const SampleField& field, uint64_t value);
  void AddText(const SampleField& field, absl::string_view text);
  std::string& NewText();  // valid until the next Decode

  std::string arch_;
  absl::flat_hash_map<uint64_t, std::string> cgroups_;
  uint64_t cgroup_bytes_ = 0;                               // of all paths
  absl::flat_hash_map<uint64_t, std::vector<Step>> plans_;  // by sample_type
  std::vector<Field> fields_, tracepoint_fields_;
  std::deque<std::string> texts_;
  size_t texts_used_ = 0;
  TracepointFields decoded_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SAMPLE_FIELDS_H_
