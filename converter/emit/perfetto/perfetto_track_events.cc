// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_track_events.h"

#include <cmath>
#include <type_traits>
#include <variant>

#include "converter/base/text.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

// All three kinds of interned names have these fields.
constexpr int kIid = protos::EventName::kIidFieldNumber;
constexpr int kName = protos::EventName::kNameFieldNumber;
static_assert(protos::EventCategory::kNameFieldNumber == kName);
static_assert(protos::DebugAnnotationName::kNameFieldNumber == kName);

}  // namespace

uint64_t PerfettoTrackEvents::Descriptor(int field, const ProtoWriter& message,
                                         absl::string_view name,
                                         uint64_t parent) {
  const uint64_t uuid = ++uuids_;
  ProtoWriter& packet = packets_.Begin(kMainSequence);
  const size_t track =
      packet.Open(protos::TracePacket::kTrackDescriptorFieldNumber);
  packet.Uint(protos::TrackDescriptor::kUuidFieldNumber, uuid);
  if (parent != 0) {
    packet.Uint(protos::TrackDescriptor::kParentUuidFieldNumber, parent);
  }
  if (!name.empty()) {
    packet.Bytes(protos::TrackDescriptor::kNameFieldNumber,
                 AsPlainText(name, &scratch_));
  }
  if (field != 0) packet.Bytes(field, message.bytes());
  packet.Close(track);
  packets_.End();
  return uuid;
}

uint64_t PerfettoTrackEvents::AddProcess(int32_t pid) {
  ProtoWriter process;
  process.Int(protos::ProcessDescriptor::kPidFieldNumber, pid);
  return Descriptor(protos::TrackDescriptor::kProcessFieldNumber, process, "",
                    0);
}

uint64_t PerfettoTrackEvents::AddThread(int32_t pid, int32_t tid) {
  ProtoWriter thread;
  thread.Int(protos::ThreadDescriptor::kPidFieldNumber, pid);
  thread.Int(protos::ThreadDescriptor::kTidFieldNumber, tid);
  return Descriptor(protos::TrackDescriptor::kThreadFieldNumber, thread, "", 0);
}

uint64_t PerfettoTrackEvents::AddTrack(absl::string_view name,
                                       uint64_t parent) {
  return Descriptor(0, ProtoWriter(), name, parent);
}

uint64_t PerfettoTrackEvents::AddCounter(absl::string_view name,
                                         absl::string_view unit,
                                         uint64_t parent) {
  ProtoWriter counter;
  std::string scratch;
  counter.Bytes(protos::CounterDescriptor::kUnitNameFieldNumber,
                AsPlainText(unit, &scratch));
  return Descriptor(protos::TrackDescriptor::kCounterFieldNumber, counter, name,
                    parent);
}

uint64_t PerfettoTrackEvents::Intern(absl::string_view name, int field,
                                     Ids* ids) {
  const auto [it, inserted] = ids->try_emplace(name, ids->size() + 1);
  if (!inserted) return it->second;
  constexpr uint64_t kOverhead = 64;
  memory_.Set(memory_.held() + name.size() + kOverhead);
  const size_t message = interned_.Open(field);
  interned_.Uint(kIid, it->second);
  interned_.Bytes(kName, AsPlainText(name, &scratch_));
  interned_.Close(message);
  return it->second;
}

void PerfettoTrackEvents::Begin(int type, uint64_t track) {
  event_.Clear();
  event_.Int(protos::TrackEvent::kTypeFieldNumber, type);
  event_.Uint(protos::TrackEvent::kTrackUuidFieldNumber, track);
}

uint64_t PerfettoTrackEvents::InternName(absl::string_view name) {
  return Intern(name, protos::InternedData::kEventNamesFieldNumber, &names_);
}

void PerfettoTrackEvents::AddNames(uint64_t name, absl::string_view category,
                                   Fields args) {
  event_.Uint(
      protos::TrackEvent::kCategoryIidsFieldNumber,
      Intern(category, protos::InternedData::kEventCategoriesFieldNumber,
             &categories_));
  event_.Uint(protos::TrackEvent::kNameIidFieldNumber, name);
  for (size_t i = 0; i < args.size(); ++i) AddArg(args[i], i);
}

uint64_t PerfettoTrackEvents::ArgName(absl::string_view name, size_t place) {
  constexpr int kField = protos::InternedData::kDebugAnnotationNamesFieldNumber;
  if (place >= last_arg_names_.size()) {
    return Intern(name, kField, &arg_names_);
  }
  auto& [last, iid] = last_arg_names_[place];
  if (iid == 0 || last != name) {
    iid = Intern(name, kField, &arg_names_);
    last.assign(name.data(), name.size());
  }
  return iid;
}

void PerfettoTrackEvents::AddArg(const Field& arg, size_t place) {
  using Arg = protos::DebugAnnotation;
  const size_t message =
      event_.Open(protos::TrackEvent::kDebugAnnotationsFieldNumber);
  event_.Uint(Arg::kNameIidFieldNumber, ArgName(arg.name, place));
  std::visit(
      [this](auto value) {
        using T = decltype(value);
        if constexpr (std::is_same_v<T, uint64_t>) {
          event_.Uint(Arg::kUintValueFieldNumber, value);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          event_.Int(Arg::kIntValueFieldNumber, value);
        } else if constexpr (std::is_same_v<T, double>) {
          event_.Double(Arg::kDoubleValueFieldNumber, value);
        } else if constexpr (std::is_same_v<T, Field::Hex>) {
          event_.Uint(Arg::kPointerValueFieldNumber, value.value);
        } else {
          event_.Bytes(Arg::kStringValueFieldNumber,
                       AsPlainText(value, &scratch_));
        }
      },
      arg.value);
  event_.Close(message);
}

void PerfettoTrackEvents::End(uint64_t time) {
  ProtoWriter& packet = packets_.Begin(kMainSequence, time);
  if (interned_.size() > 0) {
    packet.Bytes(protos::TracePacket::kInternedDataFieldNumber,
                 interned_.bytes());
    interned_.Clear();
  }
  packet.Bytes(protos::TracePacket::kTrackEventFieldNumber, event_.bytes());
  packets_.End();
}

void PerfettoTrackEvents::Instant(absl::string_view name,
                                  absl::string_view category, uint64_t track,
                                  uint64_t time, Fields args) {
  Begin(protos::TrackEvent::TYPE_INSTANT, track);
  AddNames(InternName(name), category, args);
  End(time);
}

void PerfettoTrackEvents::Slice(absl::string_view name,
                                absl::string_view category, uint64_t track,
                                uint64_t begin, uint64_t end, Fields args) {
  Begin(protos::TrackEvent::TYPE_SLICE_BEGIN, track);
  AddNames(InternName(name), category, args);
  End(begin);
  EndSlice(track, end);
}

void PerfettoTrackEvents::BeginSlice(uint64_t name, absl::string_view category,
                                     uint64_t track, uint64_t time) {
  Begin(protos::TrackEvent::TYPE_SLICE_BEGIN, track);
  AddNames(name, category, {});
  End(time);
}

void PerfettoTrackEvents::EndSlice(uint64_t track, uint64_t time) {
  Begin(protos::TrackEvent::TYPE_SLICE_END, track);
  End(time);
}

void PerfettoTrackEvents::Value(uint64_t track, uint64_t time, double value) {
  constexpr double kExact = 1LL << 53;
  Begin(protos::TrackEvent::TYPE_COUNTER, track);
  if (std::abs(value) <= kExact && value == std::trunc(value)) {
    event_.Int(protos::TrackEvent::kCounterValueFieldNumber,
               static_cast<int64_t>(value));
  } else {
    event_.Double(protos::TrackEvent::kDoubleCounterValueFieldNumber, value);
  }
  End(time);
}

}  // namespace perf2x
