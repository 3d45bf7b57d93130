// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_NAME_TABLE_H_
#define PERF2X_PERF_HEADER_EVENT_NAME_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// An event in the EVENT_DESC feature.
struct EventDescription {
  std::string name;
  std::vector<uint64_t> ids;  // the kernel's, one for each CPU or thread
};
// Returns the events in a HEADER_FEATURE record of EVENT_DESC, in order. If the
// record ends early or an attr is too short, counts that as damage and returns
// the events before it. Truncates names that are too long, and counts them.
// Layout: write_event_desc().
std::vector<EventDescription> ReadEventDesc(const RawRecord& record,
                                            Diagnostics* diagnostics);

// The recorded names of PMUs and of event configs, and the events that each
// name applies to. The first name of a PMU or config counts. Ignores names
// beyond kMaxEvents PMUs or configs. Not thread-safe.
class EventNameTable {
 public:
  // Adds the event of index `event`, so that later names apply to it.
  void AddEvent(uint32_t event, const EventAttr& attr);

  // Reads a HEADER_FEATURE record of PMU_MAPPINGS. Returns the events of newly
  // named PMUs; an event may occur twice. Truncates names that are too long,
  // and counts them. Stops at damage without counting it.
  std::vector<uint32_t> AddPmuMappings(const RawRecord& record,
                                       Diagnostics* diagnostics);
  // Reads a HEADER_EVENT_TYPE record, which names a config. Skips a damaged
  // one, and counts it.
  void AddEventType(const RawRecord& record, Diagnostics* diagnostics);
  // Returns true if AddEventType() named a config since the last
  // TakeNewlyNamed(). HEADER_EVENT_TYPE records come in lists: call
  // TakeNewlyNamed() after the last one.
  bool has_new_event_types() const { return !new_event_types_.empty(); }
  // Returns the events whose configs AddEventType() named since the last call.
  std::vector<uint32_t> TakeNewlyNamed();

  // Returns the name of the PMU that counts the event. Empty if PmuTypeOf() is
  // 0, or if the name is not known.
  std::string PmuNameOf(const EventAttr& attr) const;
  // Returns the recorded name of the event's config, else EventNameOf(). Never
  // empty.
  std::string NameOf(const EventAttr& attr) const;

 private:
  absl::flat_hash_map<uint32_t, std::string> pmus_;         // by type
  absl::flat_hash_map<uint64_t, std::string> event_types_;  // by config
  std::vector<uint64_t> new_event_types_;                   // configs
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> events_of_pmu_;
  absl::flat_hash_map<uint64_t, std::vector<uint32_t>> events_of_config_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_NAME_TABLE_H_
