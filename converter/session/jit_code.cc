// SPDX-License-Identifier: Apache-2.0
#include "converter/session/jit_code.h"

#include <algorithm>
#include <functional>

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
    if (event.has_damaged_lines) ++damaged_lines_;
    if (!counter) return;
    uint64_t& time = added.events.back().time;
    time = ToRecordingTime(*conversion_, time);
  });
  std::stable_sort(added.events.begin(), added.events.end(),
                   [](const JitDump::Event& a, const JitDump::Event& b) {
                     return a.time < b.time;
                   });
  added.dump = std::move(dump);
  Push(static_cast<uint32_t>(dumps_.size() - 1));
  return whole ? Usable::kAll : Usable::kBeginning;
}

// Adds the dump to due_, if it has events left.
void JitCode::Push(uint32_t index) {
  const Dump& dump = dumps_[index];
  if (dump.next == dump.events.size()) return;
  due_.emplace_back(dump.events[dump.next].time, index);
  std::push_heap(due_.begin(), due_.end(), std::greater<>());
}

void JitCode::Advance(uint64_t time) {
  while (!due_.empty() && due_.front().first <= time) {
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    const uint32_t index = due_.back().second;
    due_.pop_back();
    const uint64_t until = std::min(time, next_time());
    Dump& dump = dumps_[index];
    while (dump.next < dump.events.size() &&
           dump.events[dump.next].time <= until) {
      Apply(dump, dump.events[dump.next++]);
    }
    Push(index);
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
