// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_TRACK_EVENTS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_TRACK_EVENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/proto_writer.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes tracks and the instants, slices and values on them, all on the main
// sequence. PerfettoPackets returns the errors. Times are ns on the recording's
// clock. Interns names, categories and names of arguments, and keeps them all.
// Charges their memory to the budget; skips nothing. Not thread-safe.
class PerfettoTrackEvents {
 public:
  // Both must outlive this.
  PerfettoTrackEvents(PerfettoPackets& packets, Budget& budget)
      : packets_(packets), memory_(budget) {}

  // Each of these writes the descriptor of a new track and returns the track's
  // uuid (never 0). Each call makes a new track, even if the arguments are
  // equal. The track is shown below the track with the uuid `parent`; 0: none.
  uint64_t AddProcess(int32_t pid);
  uint64_t AddThread(int32_t pid, int32_t tid);
  uint64_t AddTrack(absl::string_view name, uint64_t parent);
  uint64_t AddCounter(absl::string_view name, absl::string_view unit,
                      uint64_t parent);

  // The following write an event on the track with the uuid `track`.
  void Instant(absl::string_view name, absl::string_view category,
               uint64_t track, uint64_t time, Fields args);
  // `end` must not be before `begin`. Slices of one track must not overlap.
  void Slice(absl::string_view name, absl::string_view category, uint64_t track,
             uint64_t begin, uint64_t end, Fields args);
  // BeginSlice opens a slice inside the open slices of the track. EndSlice ends
  // the slice that was opened last. Times must ascend. `name` is from
  // InternName.
  void BeginSlice(uint64_t name, absl::string_view category, uint64_t track,
                  uint64_t time);
  void EndSlice(uint64_t track, uint64_t time);
  // Returns the id of a name, which is never 0. Each call takes time linear in
  // the name's length: keep the ids of long names.
  uint64_t InternName(absl::string_view name);
  // `track` must be from AddCounter. The value lasts until the time of the
  // track's next value.
  void Value(uint64_t track, uint64_t time, double value);

 private:
  using Ids = absl::flat_hash_map<std::string, uint64_t>;

  uint64_t Descriptor(int field, const ProtoWriter& message,
                      absl::string_view name, uint64_t parent);
  uint64_t Intern(absl::string_view name, int field, Ids* ids);
  void Begin(int type, uint64_t track);
  void AddNames(uint64_t name, absl::string_view category, Fields args);
  uint64_t ArgName(absl::string_view name, size_t place);
  void AddArg(const Field& arg, size_t place);
  void End(uint64_t time);

  PerfettoPackets& packets_;
  Budget::Share memory_;  // of the names
  uint64_t uuids_ = 0;    // number of tracks
  ProtoWriter interned_;  // names that the next packet has to define
  ProtoWriter event_;
  Ids names_, categories_, arg_names_;
  // For each argument position, the last argument's name and its id. The next
  // event mostly has the same names.
  std::array<std::pair<std::string, uint64_t>, 16> last_arg_names_;
  std::string scratch_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_TRACK_EVENTS_H_
