// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_threads.h"

#include <algorithm>
#include <string>

#include "converter/base/text.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

}  // namespace

TrackId PerfettoThreads::TrackOf(ThreadId thread,
                                 std::optional<uint64_t> time) {
  if (thread < row_of_.size() && row_of_[thread] != kNoId) {
    return row_of_[thread];
  }
  const Thread& t = tables_.threads[thread];
  const bool known = t.tid >= 0;
  const int32_t pid = known ? std::max(t.pid, 0) : kUnknownThread;
  const int32_t tid = known ? t.tid : kUnknownThread;
  const auto [it, inserted] =
      ids_.try_emplace({pid, tid}, static_cast<TrackId>(rows_.size()));
  const TrackId track = it->second;
  if (inserted) rows_.push_back({.pid = pid, .tid = tid});
  if (thread >= row_of_.size()) row_of_.resize(size_t{thread} + 1, kNoId);
  row_of_[thread] = track;

  const StringId before = std::exchange(rows_[track].name, t.name);
  Process& process = ProcessOf(pid);
  if (process.name != t.process_name) {
    process.name = t.process_name;
    process.is_new = true;
  }
  if (new_names_.empty()) time_ = time;
  if (inserted || before != t.name || process.is_new) {
    new_names_.push_back(track);
  }
  if (!inserted && before != t.name && time.has_value()) {
    const Field args[] = {{"from", tables_.strings[before]},
                          {"to", tables_.strings[t.name]}};
    events_.Instant("rename", "task", ThreadUuid(track), *time, args);
  }
  return track;
}

PerfettoThreads::Process& PerfettoThreads::ProcessOf(int32_t pid) {
  const auto [it, inserted] = process_of_.try_emplace(pid, processes_.size());
  if (inserted) processes_.push_back({.pid = pid});
  return processes_[it->second];
}

void PerfettoThreads::SetParent(TrackId child, TrackId parent) {
  Process& process = ProcessOf(rows_[child].pid);
  if (process.pid == rows_[parent].pid || process.parent == rows_[parent].pid) {
    return;
  }
  process.parent = rows_[parent].pid;
  process.is_new = true;
  new_names_.push_back(child);
}

void PerfettoThreads::SetCgroup(TrackId track, StringId path, uint64_t time) {
  if (rows_[track].cgroup == path) return;
  rows_[track].cgroup = path;
  const Field args[] = {{"path", tables_.strings[path]}};
  events_.Instant("cgroup", "task", ThreadUuid(track), time, args);
}

uint64_t PerfettoThreads::ThreadUuid(TrackId track) {
  Row& row = rows_[track];
  if (row.track == 0) row.track = events_.AddThread(row.pid, row.tid);
  return row.track;
}

uint64_t PerfettoThreads::ProcessUuid(TrackId track) {
  Process& process = ProcessOf(rows_[track].pid);
  if (process.track == 0) process.track = events_.AddProcess(process.pid);
  return process.track;
}

void PerfettoThreads::WriteProcessTree() {
  std::string scratch;
  ProtoWriter& packet = packets_.Begin(kMainSequence, time_);
  const size_t tree = packet.Open(protos::TracePacket::kProcessTreeFieldNumber);
  for (const TrackId track : new_names_) {
    using Message = protos::ProcessTree::Process;
    Process& process = ProcessOf(rows_[track].pid);
    if (!std::exchange(process.is_new, false)) continue;
    const size_t message =
        packet.Open(protos::ProcessTree::kProcessesFieldNumber);
    packet.Int(Message::kPidFieldNumber, process.pid);
    if (process.parent != 0) {
      packet.Int(Message::kPpidFieldNumber, process.parent);
    }
    const absl::string_view name =
        AsPlainText(tables_.strings[process.name], &scratch);
    packet.Bytes(Message::kCmdlineFieldNumber, name);
    // Readers take the first word of a single argument for the name.
    if (name.find(' ') != name.npos) {
      packet.Bytes(Message::kCmdlineFieldNumber, "");
    }
    packet.Close(message);
  }
  for (const TrackId track : new_names_) {
    using Message = protos::ProcessTree::Thread;
    const size_t message =
        packet.Open(protos::ProcessTree::kThreadsFieldNumber);
    packet.Int(Message::kTidFieldNumber, rows_[track].tid);
    packet.Int(Message::kTgidFieldNumber, rows_[track].pid);
    packet.Bytes(Message::kNameFieldNumber, AsPlainText(name(track), &scratch));
    packet.Close(message);
  }
  packet.Close(tree);
  packets_.End();
  new_names_.clear();
}

}  // namespace perf2x
