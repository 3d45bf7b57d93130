// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/sched_key_reader.h"

#include "absl/types/span.h"

namespace perf2x {

void SchedKeyReader::Ask(uint32_t event, uint64_t version,
                         const AttrTable& attrs) {
  if (event >= answers_.size()) answers_.resize(attrs.events().size());
  answers_[event] = {version,
                     tracepoints_->PlacesOf(attrs.events()[event].attr)};
}

// Raw data have the tids of the host, which differ from others in a container.
void SchedKeyReader::ReadFrom(const SchedPlaces& places, TimedRecord* sample,
                              ByteOrder order, const AttrTable& attrs) {
  SampleKey& key = sample->key;
  const absl::Span<const uint8_t> raw =
      attrs.events()[key.event].layout.RawOf(*sample, order);
  if (raw.size() < places.least) return;
  const auto number = [&](uint32_t at) {
    return Load<uint32_t>(raw.data() + at, places.order);
  };
  const auto tid = static_cast<int32_t>(number(places.tid));
  if (places.kind == SchedPlaces::kWakeup) {
    key.sched_tid = tid;
  } else if (tid == key.tid) {
    key.sched_tid = static_cast<int32_t>(number(places.next_tid));
  }
  key.sched_number = number(places.number);
}

}  // namespace perf2x
