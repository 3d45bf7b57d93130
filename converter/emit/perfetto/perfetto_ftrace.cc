// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_ftrace.h"

#include <type_traits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "converter/base/text.h"
#include "google/protobuf/descriptor.pb.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;
using google::protobuf::DescriptorProto;
using google::protobuf::FieldDescriptorProto;
using Compact = protos::FtraceEventBundle::CompactSched;

// The first field number for forms in FtraceEvent, and the number of fields
// that readers accept in a form.
constexpr uint32_t kFirstForm = 65536;
constexpr size_t kMaxFields = 31;

int TypeOf(const Field& field) {
  if (std::holds_alternative<absl::string_view>(field.value)) {
    return FieldDescriptorProto::TYPE_STRING;
  }
  if (std::holds_alternative<int64_t>(field.value)) {
    return FieldDescriptorProto::TYPE_INT64;
  }
  if (std::holds_alternative<double>(field.value)) {
    return FieldDescriptorProto::TYPE_DOUBLE;
  }
  return FieldDescriptorProto::TYPE_UINT64;
}

void WriteValue(int number, const Field& field, ProtoWriter& to,
                std::string* scratch) {
  std::visit(
      [&](auto value) {
        using T = decltype(value);
        if constexpr (std::is_same_v<T, absl::string_view>) {
          to.Bytes(number, AsPlainText(value, scratch));
        } else if constexpr (std::is_same_v<T, double>) {
          to.Double(number, value);
        } else if constexpr (std::is_same_v<T, Field::Hex>) {
          to.Uint(number, value.value);
        } else {
          to.Int(number, static_cast<int64_t>(value));
        }
      },
      field.value);
}

}  // namespace

PerfettoFtrace::Cpu* PerfettoFtrace::CpuOf(int32_t cpu) {
  if (cpu >= 0 && cpu < kMaxCpus) return &cpus_[cpu];
  if (cpu < 0) {
    CountSkippedWithoutCpu();
  } else if (diagnostics_ != nullptr) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "event of a CPU above 1023, for which a Perfetto trace "
                      "has no place");
  }
  return nullptr;
}

void PerfettoFtrace::CountSkippedWithoutCpu() {
  if (diagnostics_ != nullptr) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "switch or wake-up without a CPU (record with -a or "
                      "--sample-cpu), for which a Perfetto trace has no place");
  }
}

size_t PerfettoFtrace::OpenEvent(Bundle& bundle, uint64_t time, int32_t tid) {
  packets_.NoteTime(time);
  const size_t event =
      bundle.events.Open(protos::FtraceEventBundle::kEventFieldNumber);
  bundle.events.Uint(protos::FtraceEvent::kTimestampFieldNumber,
                     PerfettoTime(time));
  bundle.events.Int(protos::FtraceEvent::kPidFieldNumber, tid);
  return event;
}

// Readers drop the first event of a CPU's columns, because these do not have
// the thread that ran before.
void PerfettoFtrace::FirstSwitch(Bundle& bundle, uint64_t time,
                                 const Task& next) {
  using Message = protos::SchedSwitchFtraceEvent;
  const size_t event = OpenEvent(bundle, time, 0);
  ProtoWriter& to = bundle.events;
  const size_t message = to.Open(protos::FtraceEvent::kSchedSwitchFieldNumber);
  to.Bytes(Message::kPrevCommFieldNumber, "swapper");
  to.Int(Message::kPrevPidFieldNumber, 0);
  to.Int(Message::kPrevStateFieldNumber, 0);
  to.Bytes(Message::kNextCommFieldNumber, AsPlainText(next.name, &scratch_));
  to.Int(Message::kNextPidFieldNumber, next.tid);
  to.Close(message);
  to.Close(event);
}

uint32_t PerfettoFtrace::NameIndex(Bundle& bundle, absl::string_view name) {
  const auto known = bundle.indexes.find(name);
  if (known != bundle.indexes.end()) return known->second;
  const auto index = static_cast<uint32_t>(bundle.indexes.size());
  bundle.indexes.emplace(std::string(name), index);
  bundle.strings.Bytes(Compact::kInternTableFieldNumber,
                       AsPlainText(name, &scratch_));
  return index;
}

void PerfettoFtrace::Switch(int32_t cpu, uint64_t time, uint64_t previous_state,
                            const Task& next) {
  Cpu* const on = CpuOf(cpu);
  if (on == nullptr) return;
  time = PerfettoTime(time);
  Bundle& bundle = on->bundle;
  if (!on->has_switched) {
    on->has_switched = true;
    FirstSwitch(bundle, time, next);
  } else {
    packets_.NoteTime(time);
    const uint64_t since = bundle.times.size() == 0 ? 0 : bundle.latest;
    bundle.times.Varint(time - since);
    bundle.latest = time;
    bundle.states.Varint(previous_state);
    bundle.tids.Varint(static_cast<uint64_t>(int64_t{next.tid}));
    bundle.priorities.Varint(0);
    bundle.names.Varint(NameIndex(bundle, next.name));
  }
  MaybeFlush(cpu, bundle);
}

void PerfettoFtrace::Waking(int32_t cpu, uint64_t time, int32_t waker,
                            const Task& woken, int32_t target_cpu) {
  using Message = protos::SchedWakingFtraceEvent;
  Cpu* const on = CpuOf(cpu);
  if (on == nullptr) return;
  const size_t event = OpenEvent(on->bundle, time, waker);
  ProtoWriter& to = on->bundle.events;
  const size_t message = to.Open(protos::FtraceEvent::kSchedWakingFieldNumber);
  to.Bytes(Message::kCommFieldNumber, AsPlainText(woken.name, &scratch_));
  to.Int(Message::kPidFieldNumber, woken.tid);
  if (target_cpu >= 0) to.Int(Message::kTargetCpuFieldNumber, target_cpu);
  to.Close(message);
  to.Close(event);
  MaybeFlush(cpu, on->bundle);
}

bool PerfettoFtrace::Form::Matches(Fields fields) const {
  if (names.size() != fields.size()) return false;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (types[i] != TypeOf(fields[i]) || names[i] != fields[i].name) {
      return false;
    }
  }
  return true;
}

// Returns a text that differs for fields of other names or types.
std::string PerfettoFtrace::KeyOf(Fields fields) {
  std::string key;
  for (const Field& field : fields) {
    absl::StrAppend(&key, TypeOf(field), ":", field.name.size(), ":",
                    field.name);
  }
  return key;
}

const PerfettoFtrace::Form& PerfettoFtrace::FormOf(EventId event,
                                                   absl::string_view name,
                                                   Fields fields,
                                                   Bundle& bundle) {
  if (event >= forms_.size()) forms_.resize(size_t{event} + 1);
  Forms& known = forms_[event];
  if (known.latest < known.forms.size() &&
      known.forms[known.latest].Matches(fields)) {
    return known.forms[known.latest];
  }
  const auto [it, inserted] =
      known.indexes.try_emplace(KeyOf(fields), known.forms.size());
  known.latest = it->second;
  if (!inserted) return known.forms[known.latest];
  Form& form = known.forms.emplace_back();
  form.field = kFirstForm + form_count_++;
  constexpr uint64_t kOfIndex = 96;
  uint64_t size = sizeof(Form) + it->first.size() + kOfIndex;
  for (const Field& field : fields) {
    form.names.emplace_back(field.name);
    form.types.push_back(TypeOf(field));
    size += sizeof(std::string) + field.name.size();
  }
  memory_.Set(memory_.held() + size);
  WriteForm(form, name, bundle);
  return form;
}

void PerfettoFtrace::WriteForm(const Form& form, absl::string_view name,
                               Bundle& bundle) {
  using Message = protos::FtraceEventBundle::GenericEventDescriptor;
  ProtoWriter& to = bundle.events;
  const size_t message =
      to.Open(protos::FtraceEventBundle::kGenericEventDescriptorsFieldNumber);
  to.Uint(Message::kFieldIdFieldNumber, form.field);
  const size_t descriptor = to.Open(Message::kEventDescriptorFieldNumber);
  to.Bytes(DescriptorProto::kNameFieldNumber, AsPlainText(name, &scratch_));
  for (size_t i = 0; i < form.names.size(); ++i) {
    const size_t field = to.Open(DescriptorProto::kFieldFieldNumber);
    to.Bytes(FieldDescriptorProto::kNameFieldNumber,
             AsPlainText(form.names[i], &scratch_));
    to.Uint(FieldDescriptorProto::kNumberFieldNumber, i + 1);
    to.Int(FieldDescriptorProto::kTypeFieldNumber, form.types[i]);
    to.Close(field);
  }
  to.Close(descriptor);
  to.Close(message);
}

void PerfettoFtrace::Tracepoint(const Sample& sample, int32_t tid,
                                uint64_t time, absl::string_view name) {
  Cpu* const on = CpuOf(sample.cpu);
  if (on == nullptr) return;
  Fields fields = sample.tracepoint;
  if (fields.size() > kMaxFields) {
    fields = fields.first(kMaxFields);
    if (diagnostics_ != nullptr) {
      diagnostics_->Add(Diagnostics::Severity::kSkipped,
                        "fields of a tracepoint after the 31st");
    }
  }
  const Form& form = FormOf(sample.event, name, fields, on->bundle);
  const size_t event = OpenEvent(on->bundle, time, tid);
  ProtoWriter& to = on->bundle.events;
  const size_t message = to.Open(static_cast<int>(form.field));
  int number = 0;
  for (const Field& field : fields) {
    WriteValue(++number, field, to, &scratch_);
  }
  to.Close(message);
  to.Close(event);
  MaybeFlush(sample.cpu, on->bundle);
}

void PerfettoFtrace::OnLost(int32_t cpu) {
  if (cpu < 0 || cpu >= kMaxCpus) return;
  const auto on = cpus_.find(cpu);
  if (on != cpus_.end()) on->second.bundle.lost = true;
}

void PerfettoFtrace::MaybeFlush(int32_t cpu, Bundle& bundle) {
  if (bundle.size() >= kBundleSize) Flush(cpu, bundle);
}

void PerfettoFtrace::Flush(int32_t cpu, Bundle& bundle) {
  using Message = protos::FtraceEventBundle;
  ProtoWriter& packet = packets_.Begin(kMainSequence);
  const size_t message =
      packet.Open(protos::TracePacket::kFtraceEventsFieldNumber);
  packet.Int(Message::kCpuFieldNumber, cpu);
  packet.Int(Message::kFtraceClockFieldNumber, protos::FTRACE_CLOCK_GLOBAL);
  if (bundle.lost) packet.Uint(Message::kLostEventsFieldNumber, 1);
  packet.Append(bundle.events.bytes());
  if (bundle.times.size() > 0) {
    const size_t compact = packet.Open(Message::kCompactSchedFieldNumber);
    packet.Append(bundle.strings.bytes());
    packet.Bytes(Compact::kSwitchTimestampFieldNumber, bundle.times.bytes());
    packet.Bytes(Compact::kSwitchPrevStateFieldNumber, bundle.states.bytes());
    packet.Bytes(Compact::kSwitchNextPidFieldNumber, bundle.tids.bytes());
    packet.Bytes(Compact::kSwitchNextPrioFieldNumber,
                 bundle.priorities.bytes());
    packet.Bytes(Compact::kSwitchNextCommIndexFieldNumber,
                 bundle.names.bytes());
    packet.Close(compact);
  }
  packet.Close(message);
  packets_.End();
  bundle = Bundle();
}

void PerfettoFtrace::Finish() {
  for (auto& [cpu, state] : cpus_) {
    if (state.bundle.size() > 0 || state.bundle.lost) Flush(cpu, state.bundle);
  }
}

}  // namespace perf2x
