// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/repeated_switches.h"

#include "converter/base/byte_order.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

int32_t TidAt(const uint8_t* at, ByteOrder order) {
  return static_cast<int32_t>(Load<uint32_t>(at, order));
}

}  // namespace

// Forgets what a record may change: whether a sample and the records after it
// are of one switch, and to which process a thread belongs.
void RepeatedSwitches::ObserveOther(const RawRecord& record) {
  if (record.type == kRecordFinishedRound) ++round_;
  const auto forget = [&](size_t at) {
    if (record.body.size() < at + 4) return;
    SlotOf(TidAt(record.body.data() + at, record.order)) = Known();
  };
  switch (record.type) {
    case kRecordLost:
    case kRecordLostSamples:
      ++losses_;
      break;
    case kRecordComm:  // pid, tid
      forget(4);
      break;
    case ForkRecord::kType:  // pid, ppid, tid, ptid
    case ExitRecord::kType:
      forget(8);
      forget(12);
      break;
    default:
      break;
  }
}

// A sample that stands for several switches tells of one of them only.
void RepeatedSwitches::OnSwitchSample(const SampleKey& key) {
  if (key.cpu >= kMaxCpus) return;
  if (key.cpu >= on_cpu_.size()) on_cpu_.resize(key.cpu + 1);
  CpuSwitch& on_cpu = on_cpu_[key.cpu];
  on_cpu.seen = CpuSwitch::kNone;
  if (key.period != 1 || key.sched_tid == SampleKey::kNotRead) return;
  on_cpu.seen = CpuSwitch::kSampled;
  on_cpu.from = {key.pid, key.tid};
  on_cpu.to.tid = key.sched_tid;
  on_cpu.losses = losses_;
}

bool RepeatedSwitches::IsRepetition(const RawRecord& record,
                                    const AttrTable& attrs) {
  const TrailerLayout* trailer = attrs.common_trailer();
  const size_t size = record.body.size();
  if (trailer == nullptr || trailer->thread < 0 || trailer->time < 0 ||
      trailer->cpu < 0 || size < 8 + trailer->size) {
    return false;
  }
  const uint8_t* const body = record.body.data();
  const uint8_t* const end = body + size - trailer->size;
  const auto thread_at = [&](const uint8_t* at) {
    return ThreadKey{TidAt(at, record.order), TidAt(at + 4, record.order)};
  };
  const ThreadKey other = thread_at(body);
  const ThreadKey own = thread_at(end + trailer->thread);
  const bool own_is_known = Know(own), other_is_known = Know(other);
  const uint32_t cpu = Load<uint32_t>(end + trailer->cpu, record.order);
  if (cpu >= on_cpu_.size()) return false;
  CpuSwitch& on_cpu = on_cpu_[cpu];
  const bool out = (record.misc & kMiscSwitchOut) != 0;
  const bool follows =
      on_cpu.losses == losses_ &&
      (out ? on_cpu.seen == CpuSwitch::kSampled && on_cpu.from == own &&
                 on_cpu.to.tid == other.tid
           : on_cpu.seen == CpuSwitch::kOut && on_cpu.from == other &&
                 on_cpu.to == own);
  on_cpu.seen = out && follows ? CpuSwitch::kOut : CpuSwitch::kNone;
  on_cpu.to = other;
  return follows && own_is_known && other_is_known;
}

}  // namespace perf2x
