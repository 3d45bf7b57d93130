// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_profile.h"

#include <algorithm>

namespace perf2x {

void ChromeProfile::Sample(TrackId track, absl::Span<const EntryId> stack,
                           uint64_t time, uint64_t interval) {
  State& state = StateOf(track);
  time = std::max(time, state.last);
  if (!state.started) {
    state.started = true;
    state.written = time;
    state.new_nodes = {{kRoot, 0, {}}, {kIdle, kRoot, {}}};
    state.nodes = kIdle;
    trace_.Profile("Profile", tracks_.track(track), track + 1, time,
                   [&](JsonWriter& json) {
                     json.Key("startTime");
                     json.Uint(trace_.NoteTime(time) / 1000);
                   });
  }
  if (!state.idle && (time - state.last) / 2 > state.interval) {
    Idle(track, state, state.last + state.interval);
  }
  uint32_t node = kRoot;
  for (const EntryId entry : stack) {
    auto [it, inserted] =
        state.children.try_emplace({node, entry}, state.nodes + 1);
    if (inserted) {
      ++state.nodes;
      ++nodes_;
      state.new_nodes.push_back({it->second, node, entry});
    }
    node = it->second;
  }
  Add(track, state, node, time);
  state.idle = false;
  state.last = time;
  state.interval = interval;
}

void ChromeProfile::Idle(TrackId track, State& state, uint64_t time) {
  Add(track, state, kIdle, time);
  state.idle = true;
  state.last = time;
}

void ChromeProfile::Stop(TrackId track, uint64_t time) {
  State& state = StateOf(track);
  if (state.idle) return;
  const bool gap = (time - std::min(time, state.last)) / 2 > state.interval;
  Idle(track, state,
       gap ? state.last + state.interval : std::max(time, state.last));
}

void ChromeProfile::Finish(uint64_t time) {
  for (TrackId track = 0; track < states_.size(); ++track) {
    Stop(track, time);
    if (!states_[track].samples.empty()) WriteChunk(track, states_[track]);
  }
}

void ChromeProfile::Add(TrackId track, State& state, uint32_t node,
                        uint64_t time) {
  state.samples.push_back(node);
  state.times.push_back(time);
  if (state.samples.size() >= kChunk) WriteChunk(track, state);
}

void ChromeProfile::WriteNode(const Node& node, JsonWriter& json) {
  json.BeginObject();
  json.Key("id");
  json.Uint(node.id);
  if (node.parent != 0) {
    json.Key("parent");
    json.Uint(node.parent);
  }
  json.Key("callFrame");
  json.BeginObject();
  json.Key("functionName");
  if (node.id == kRoot) {
    json.String("(root)");
  } else if (node.id == kIdle) {
    json.String("(idle)");
  } else {
    json.String(stacks_.TryChargeName(node.entry) ? stacks_.Name(node.entry)
                                                  : "");
    json.Key("url");
    json.String(stacks_.FileOrDso(node.entry));
  }
  json.Key("scriptId");
  json.Uint(0);
  json.EndObject();
  json.EndObject();
}

void ChromeProfile::WriteChunk(TrackId track, State& state) {
  trace_.Profile("ProfileChunk", tracks_.track(track), track + 1,
                 state.times.front(), [&](JsonWriter& json) {
                   json.Key("cpuProfile");
                   json.BeginObject();
                   json.Key("nodes");
                   json.BeginArray();
                   for (const Node& node : state.new_nodes) {
                     WriteNode(node, json);
                     // Errors are returned by later writes, too.
                     json.MaybeFlush().IgnoreError();
                   }
                   json.EndArray();
                   json.Key("samples");
                   json.BeginArray();
                   for (uint32_t node : state.samples) json.Uint(node);
                   json.EndArray();
                   json.EndObject();
                   // Readers expect whole microseconds. Each delta is the
                   // difference of rounded times, so that rounding errors do
                   // not add up.
                   json.Key("timeDeltas");
                   json.BeginArray();
                   for (uint64_t time : state.times) {
                     json.Uint(trace_.NoteTime(time) / 1000 -
                               trace_.NoteTime(state.written) / 1000);
                     state.written = time;
                   }
                   json.EndArray();
                 });
  state.new_nodes.clear();
  state.samples.clear();
  state.times.clear();
}

}  // namespace perf2x
