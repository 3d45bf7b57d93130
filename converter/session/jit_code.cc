// SPDX-License-Identifier: Apache-2.0
#include "converter/session/jit_code.h"

#include <algorithm>

#include "converter/session/recording_time.h"

namespace perf2x {

JitCode::Usable JitCode::Add(std::unique_ptr<JitDump> dump, int32_t pid) {
  const bool counter = dump->counter_times();
  if (counter && (!conversion_ || conversion_->time_shift > 63)) {
    return Usable::kNothing;
  }
  Dump& added = dumps_.emplace_back();
  added.pid = pid;
  const bool whole = dump->ForEach([&](const JitDump::Event& event) {
    added.events.push_back(event);
    if (!counter) return;
    uint64_t& time = added.events.back().time;
    time = ToRecordingTime(*conversion_, time);
  });
  std::stable_sort(added.events.begin(), added.events.end(),
                   [](const JitDump::Event& a, const JitDump::Event& b) {
                     return a.time < b.time;
                   });
  added.dump = std::move(dump);
  pending_ = true;
  next_time_ = 0;
  return whole ? Usable::kAll : Usable::kBeginning;
}

void JitCode::Advance(uint64_t time) {
  if (time < next_time_) return;  // each fork of a process may have a dump
  pending_ = false;
  next_time_ = ~uint64_t{0};
  for (Dump& dump : dumps_) {
    while (dump.next < dump.events.size() &&
           dump.events[dump.next].time <= time) {
      Apply(dump, dump.events[dump.next++]);
    }
    if (dump.next == dump.events.size()) continue;
    pending_ = true;
    next_time_ = std::min(next_time_, dump.events[dump.next].time);
  }
}

void JitCode::Apply(Dump& dump, const JitDump::Event& event) {
  ProcessState& process = threads_.GetProcess(dump.pid);
  MapEntry entry;
  entry.start = event.start;
  entry.end = event.start + event.size;
  if (entry.end <= entry.start) return;
  auto known = dump.by_index.find(event.index);
  if (event.move) {
    // A move has no name: it can only be applied to a function that was loaded.
    if (known == dump.by_index.end()) return;
    process.map.Erase(event.old_start, event.old_start + event.size,
                      address_spaces_.arena());
    entry.dso = dsos_.AddMovedCopy(known->second, entry.start, entry.end);
    if (const auto code = CodeOf(known->second); !code.empty()) {
      code_[entry.dso] = code;
    }
  } else {
    entry.dso = dsos_.AddGenerated(event.name, process.pid, entry.start,
                                   entry.end, event.lines, event.eh_frame);
    if (!event.code.empty()) code_[entry.dso] = event.code;
  }
  entry.code = MappedCode::kGenerated;
  dump.by_index[event.index] = entry.dso;
  entry.mapping = dsos_.MappingOf(entry.dso, entry.start, entry.end, 0);
  process.map.Insert(entry, address_spaces_.arena());
}

}  // namespace perf2x
