// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_calls.h"

#include <algorithm>
#include <utility>

namespace perf2x {

void PerfettoCalls::OnCall(const Call& call, TrackId track) {
  Add({track, call.depth, call.function, *call.time});
}

void PerfettoCalls::Stop(TrackId track, uint64_t time) {
  if (!calls_.empty() || !waiting_.empty()) Add({track, 0, kNoId, time});
}

void PerfettoCalls::Add(const Change& change) {
  waiting_.push_back(change);
  if (waiting_.size() == kMaxWaiting) Flush();
}

// Looks up the names of all functions that have none yet.
void PerfettoCalls::NameFunctions() {
  std::vector<StackId> functions;
  FramePlaces places;
  std::vector<size_t> first;  // places of each function
  for (const Change& change : waiting_) {
    if (change.function == kNoId) continue;
    if (!names_.try_emplace(change.function, StringId{0}).second) continue;
    functions.push_back(change.function);
    first.push_back(places.size());
    tables_.AppendPlaces(change.function, &places);
  }
  if (functions.empty()) return;
  std::vector<FrameId> frames;
  tables_.InternFrames(places, &frames);
  tables_.SymbolizeAllFrames(workers_, /*more_to_come=*/true);
  for (size_t i = 0; i < functions.size(); ++i) {
    // The last one is not inlined.
    const FunctionId function = tables_.Lines(frames[first[i]]).back().function;
    names_[functions[i]] = tables_.functions()[function].name;
  }
}

void PerfettoCalls::Flush() {
  NameFunctions();
  for (const Change& change : waiting_) Apply(change);
  waiting_.clear();
  Account();
}

// Returns the id of the function's name in the trace.
uint64_t PerfettoCalls::NameOf(StackId function) {
  const StringId name = names_[function];
  uint64_t& id = ids_[name];
  if (id == 0) id = events_.InternName(tables_.strings[name]);
  return id;
}

void PerfettoCalls::Apply(const Change& change) {
  const bool begins = change.function != kNoId;
  auto known = calls_.find(change.track);
  if (known == calls_.end()) {
    if (!begins) return;
    known = calls_.try_emplace(change.track).first;
    order_.push_back(change.track);
    known->second.uuid =
        events_.AddTrack("calls", threads_.ThreadUuid(change.track));
  }
  Thread& thread = known->second;
  thread.last = std::max(thread.last, change.time);
  while (!thread.open.empty() && thread.open.back() >= change.depth) {
    events_.EndSlice(thread.uuid, thread.last);
    thread.open.pop_back();
    --open_;
  }
  if (!begins) return;
  events_.BeginSlice(NameOf(change.function), "call", thread.uuid, thread.last);
  thread.open.push_back(change.depth);
  ++open_;
}

void PerfettoCalls::Account() {
  constexpr uint64_t kOfName = 2 * sizeof(std::pair<StackId, StringId>);
  constexpr uint64_t kOfThread = 160;
  constexpr uint64_t kOfId = 2 * sizeof(std::pair<StringId, uint64_t>);
  memory_.Set(names_.size() * kOfName + ids_.size() * kOfId +
              calls_.size() * kOfThread + open_ * 2 * sizeof(uint32_t));
}

void PerfettoCalls::Finish(uint64_t time) {
  Flush();
  for (const TrackId track : order_) Apply({track, 0, kNoId, time});
  Account();
}

}  // namespace perf2x
