// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perfetto_trace.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "converter/base/text.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/unknown_field_set.h"

namespace perf2x {
namespace {

namespace pb = perfetto::protos;

constexpr int kFirstForm = 65536;
constexpr uint32_t kMaxCpus = 1024;
constexpr uint64_t kMaxTime = std::numeric_limits<int64_t>::max();

// Reads a trace packet by packet. The first fault stays in `bad`.
class PerfettoChecker {
 public:
  std::string bad;
  uint64_t samples = 0;

  void OnPacket(const pb::TracePacket& packet);
  void Finish();

 private:
  using Iids = std::set<uint64_t>;
  // What a sequence has defined so far.
  struct Sequence {
    Iids categories, event_names, arg_names;
    Iids functions, sources, builds, paths, mappings, frames, stacks;
  };
  struct SliceEdge {
    uint64_t time;
    int change;  // of the number of open slices
  };

  void Fail(absl::string_view what) {
    if (bad.empty()) bad = std::string(what);
  }
  void Expect(bool good, absl::string_view what) {
    if (!good) Fail(what);
  }
  void ExpectPlain(absl::string_view text) {
    Expect(AsPlainText(text, &scratch_) == text, "a name is not plain text");
  }
  void ExpectTime(uint64_t time) {
    Expect(time <= kMaxTime, "a time above 2^63");
    Expect(has_clocks_, "a time before the clock snapshot");
  }
  template <class Entries>
  void Define(const Entries& entries, Iids* iids) {
    for (const auto& entry : entries) {
      Expect(entry.iid() != 0 && iids->insert(entry.iid()).second,
             "an iid is zero or defined twice");
    }
  }
  void OnInternedData(const pb::InternedData& data, Sequence& of);
  void OnTrackEvent(const pb::TrackEvent& event, uint64_t time,
                    const Sequence& of);
  void OnBundle(const pb::FtraceEventBundle& bundle);
  void OnFtraceEvent(const pb::FtraceEvent& event);
  void OnCompact(const pb::FtraceEventBundle::CompactSched& columns,
                 uint32_t cpu);

  std::map<uint32_t, Sequence> sequences_;
  bool has_clocks_ = false;
  std::set<uint64_t> tracks_;
  std::set<uint64_t> nesting_;                         // tracks of calls
  std::map<uint64_t, std::vector<SliceEdge>> slices_;  // by track
  std::set<int> forms_, used_forms_;
  std::set<uint32_t> switched_;  // CPUs with a whole sched_switch
  std::string scratch_;
};

void PerfettoChecker::OnInternedData(const pb::InternedData& data,
                                     Sequence& of) {
  Define(data.event_categories(), &of.categories);
  Define(data.event_names(), &of.event_names);
  Define(data.debug_annotation_names(), &of.arg_names);
  Define(data.function_names(), &of.functions);
  Define(data.source_paths(), &of.sources);
  Define(data.build_ids(), &of.builds);
  Define(data.mapping_paths(), &of.paths);
  Define(data.mappings(), &of.mappings);
  Define(data.frames(), &of.frames);
  Define(data.callstacks(), &of.stacks);
  for (const auto& name : data.event_names()) ExpectPlain(name.name());
  for (const auto& name : data.function_names()) ExpectPlain(name.str());
  for (const auto& path : data.source_paths()) ExpectPlain(path.str());
  for (const auto& path : data.mapping_paths()) ExpectPlain(path.str());
  for (const pb::Mapping& mapping : data.mappings()) {
    Expect(mapping.build_id() == 0 || of.builds.count(mapping.build_id()) > 0,
           "a mapping without its build id");
    for (const uint64_t path : mapping.path_string_ids()) {
      Expect(of.paths.count(path) > 0, "a mapping without its path");
    }
  }
  for (const pb::Frame& frame : data.frames()) {
    Expect(of.mappings.count(frame.mapping_id()) > 0,
           "a frame without its mapping");
    Expect(!frame.has_function_name_id() ||
               of.functions.count(frame.function_name_id()) > 0,
           "a frame without its function");
    Expect(!frame.has_source_path_iid() ||
               of.sources.count(frame.source_path_iid()) > 0,
           "a frame without its source");
  }
  for (const pb::Callstack& stack : data.callstacks()) {
    Expect(stack.frame_ids_size() > 0, "an empty callstack");
    for (const uint64_t frame : stack.frame_ids()) {
      Expect(of.frames.count(frame) > 0, "a callstack without its frame");
    }
  }
}

void PerfettoChecker::OnTrackEvent(const pb::TrackEvent& event, uint64_t time,
                                   const Sequence& of) {
  Expect(tracks_.count(event.track_uuid()) > 0, "an event without its track");
  Expect(!event.has_name_iid() || of.event_names.count(event.name_iid()) > 0,
         "an event without its name");
  for (const uint64_t iid : event.category_iids()) {
    Expect(of.categories.count(iid) > 0, "an event without its category");
  }
  for (const pb::DebugAnnotation& arg : event.debug_annotations()) {
    Expect(of.arg_names.count(arg.name_iid()) > 0, "an arg without its name");
    ExpectPlain(arg.string_value());
  }
  if (event.type() == pb::TrackEvent::TYPE_SLICE_BEGIN) {
    slices_[event.track_uuid()].push_back({time, 1});
  } else if (event.type() == pb::TrackEvent::TYPE_SLICE_END) {
    slices_[event.track_uuid()].push_back({time, -1});
  } else {
    Expect(event.type() == pb::TrackEvent::TYPE_INSTANT ||
               event.type() == pb::TrackEvent::TYPE_COUNTER,
           "an event without a type");
  }
}

void PerfettoChecker::OnCompact(
    const pb::FtraceEventBundle::CompactSched& columns, uint32_t cpu) {
  const int size = columns.switch_timestamp_size();
  Expect(columns.switch_prev_state_size() == size &&
             columns.switch_next_pid_size() == size &&
             columns.switch_next_prio_size() == size &&
             columns.switch_next_comm_index_size() == size,
         "columns of different lengths");
  const int wakings = columns.waking_timestamp_size();
  Expect(columns.waking_pid_size() == wakings &&
             columns.waking_target_cpu_size() == wakings &&
             columns.waking_prio_size() == wakings &&
             columns.waking_comm_index_size() == wakings,
         "columns of different lengths");
  Expect(size + wakings == 0 || switched_.count(cpu) > 0,
         "a CPU's first switch is in a column");
  uint64_t time = 0;
  for (const uint64_t since : columns.switch_timestamp()) {
    Expect(since <= kMaxTime - std::min(time, kMaxTime), "a time above 2^63");
    time += since;
  }
  const auto names = static_cast<uint32_t>(columns.intern_table_size());
  for (const uint32_t name : columns.switch_next_comm_index()) {
    Expect(name < names, "the index of a name is out of range");
  }
  for (const uint32_t name : columns.waking_comm_index()) {
    Expect(name < names, "the index of a name is out of range");
  }
  for (const std::string& name : columns.intern_table()) ExpectPlain(name);
}

void PerfettoChecker::OnFtraceEvent(const pb::FtraceEvent& event) {
  ExpectTime(event.timestamp());
  // Extensions that the schema does not know.
  const auto& unknown = event.GetReflection()->GetUnknownFields(event);
  for (int i = 0; i < unknown.field_count(); ++i) {
    Expect(unknown.field(i).number() >= kFirstForm, "an unknown field");
    used_forms_.insert(unknown.field(i).number());
  }
  Expect(unknown.field_count() + event.has_sched_switch() +
                 event.has_sched_waking() ==
             1,
         "a kernel's event is not one thing");
}

void PerfettoChecker::OnBundle(const pb::FtraceEventBundle& bundle) {
  Expect(bundle.has_cpu() && bundle.cpu() < kMaxCpus, "a CPU above 1023");
  for (const pb::FtraceEvent& event : bundle.event()) {
    OnFtraceEvent(event);
    if (event.has_sched_switch()) switched_.insert(bundle.cpu());
  }
  for (const auto& form : bundle.generic_event_descriptors()) {
    google::protobuf::DescriptorProto descriptor;
    Expect(descriptor.ParseFromString(form.event_descriptor()) &&
               descriptor.field_size() < 32,
           "the form of a tracepoint is wrong");
    Expect(forms_.insert(form.field_id()).second, "a form is there twice");
    ExpectPlain(descriptor.name());
  }
  OnCompact(bundle.compact_sched(), bundle.cpu());
}

void PerfettoChecker::OnPacket(const pb::TracePacket& packet) {
  const uint32_t id = packet.trusted_packet_sequence_id();
  const auto [it, is_new] = sequences_.try_emplace(id);
  Sequence& sequence = it->second;
  Expect(id != 0, "a packet without a sequence");
  const uint32_t flags = is_new ? pb::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED
                                : pb::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE;
  Expect(packet.sequence_flags() == flags, "the flags of a packet are wrong");
  Expect(packet.GetReflection()->GetUnknownFields(packet).empty(),
         "an unknown field");
  has_clocks_ |= packet.has_clock_snapshot();
  if (packet.has_timestamp()) ExpectTime(packet.timestamp());
  OnInternedData(packet.interned_data(), sequence);
  if (packet.has_track_descriptor()) {
    const pb::TrackDescriptor& track = packet.track_descriptor();
    Expect(track.uuid() != 0 && tracks_.insert(track.uuid()).second,
           "a track is there twice");
    Expect(!track.has_parent_uuid() || tracks_.count(track.parent_uuid()) > 0,
           "a track without its parent");
    ExpectPlain(track.name());
    if (track.name() == "calls") nesting_.insert(track.uuid());
  }
  if (packet.has_track_event()) {
    OnTrackEvent(packet.track_event(), packet.timestamp(), sequence);
  }
  if (packet.has_ftrace_events()) OnBundle(packet.ftrace_events());
  if (packet.has_perf_sample()) {
    const pb::PerfSample& sample = packet.perf_sample();
    samples += sample.kernel_records_lost() == 0;
    Expect(!sample.has_callstack_iid() ||
               sequence.stacks.count(sample.callstack_iid()) > 0,
           "a sample without its callstack");
  }
}

void PerfettoChecker::Finish() {
  for (const int form : used_forms_) {
    Expect(forms_.count(form) > 0, "a tracepoint without its form");
  }
  for (auto& [track, edges] : slices_) {
    std::stable_sort(
        edges.begin(), edges.end(),
        [](const SliceEdge& a, const SliceEdge& b) { return a.time < b.time; });
    int open = 0;
    for (const SliceEdge& edge : edges) {
      open += edge.change;
      Expect(open >= 0 && (open <= 1 || nesting_.count(track) > 0),
             "slices of a track overlap");
    }
    Expect(open == 0, "a slice does not end");
  }
}

// Returns false if `bytes` are not one whole zlib stream.
bool Inflate(const std::string& bytes, std::string* out) {
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return false;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  std::array<Bytef, 1 << 16> buffer;
  int result = Z_OK;
  while (result == Z_OK) {
    z.next_out = buffer.data();
    z.avail_out = buffer.size();
    result = inflate(&z, Z_NO_FLUSH);
    out->append(reinterpret_cast<char*>(buffer.data()),
                buffer.size() - z.avail_out);
  }
  inflateEnd(&z);
  return result == Z_STREAM_END && z.avail_in == 0;
}

}  // namespace

bool ReadPerfettoTrace(absl::string_view bytes, pb::Trace* trace) {
  pb::Trace whole;
  if (!whole.ParseFromString(std::string(bytes))) return false;
  for (const pb::TracePacket& packet : whole.packet()) {
    if (!packet.has_compressed_packets()) {
      *trace->add_packet() = packet;
      continue;
    }
    std::string packets;
    pb::Trace part;
    if (!Inflate(packet.compressed_packets(), &packets) ||
        !part.ParseFromString(packets)) {
      return false;
    }
    trace->MergeFrom(part);
  }
  return true;
}

std::string CheckPerfettoTrace(absl::string_view bytes, uint64_t* samples) {
  *samples = 0;
  pb::Trace trace;
  if (!ReadPerfettoTrace(bytes, &trace)) return "no Perfetto trace";
  PerfettoChecker checker;
  for (const pb::TracePacket& packet : trace.packet()) {
    checker.OnPacket(packet);
    if (!checker.bad.empty()) return checker.bad;
  }
  checker.Finish();
  *samples = checker.samples;
  return checker.bad;
}

}  // namespace perf2x
