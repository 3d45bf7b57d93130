// SPDX-License-Identifier: Apache-2.0

// The parts of a recording before and after the records: events, features,
// times.

#include <sys/utsname.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/recorder.h"
#include "bench/sched_events.h"

namespace perf2x::bench {
namespace {

constexpr uint32_t kTypeHardware = 0;
constexpr uint32_t kTypeSoftware = 1;
constexpr uint32_t kTypeTracepoint = 2;
constexpr uint64_t kConfigCpuClock = 0;
constexpr uint64_t kConfigDummy = 9;
constexpr uint64_t kFrequency = 999;

constexpr uint64_t kTracking = kInherit | kMmapFlag | kCommFlag | kTask |
                               kSampleIdAll | kMmap2Flag | kCommExec |
                               kKsymbol | kBpfEvent;

std::vector<uint8_t> StringFeature(std::string_view text) {
  RecordBuffer out;
  out.FeatureString(text);
  return out.bytes();
}

std::vector<uint8_t> BuildIdFeature(const Population& population) {
  RecordBuffer out;
  auto add = [&out](uint16_t cpumode, const std::string& path,
                    const std::vector<uint8_t>& id) {
    constexpr uint16_t kBuildIdSize = 0x8000;
    out.Begin(0, cpumode | kBuildIdSize);
    out.U32(static_cast<uint32_t>(-1));
    out.Bytes(id.data(), id.size());
    out.U32(static_cast<uint32_t>(id.size()));
    out.PaddedString(path, 64);
    out.End();
  };
  if (population.kernel().build_id.size() == 20) {
    add(1, "[kernel.kallsyms]", population.kernel().build_id);
  }
  for (const Binary& b : population.binaries()) add(2, b.path, b.build_id);
  return out.bytes();
}

}  // namespace

std::vector<Event> EventsOf(Kind kind, uint64_t cpus) {
  std::vector<Event> events;
  Event dummy = {
      "dummy:HG", kTypeSoftware, kConfigDummy, kFrequency, 0, kTracking, 0, 0,
      {}};
  if (kind == Kind::kSched) {
    uint64_t common = kIp | kTid | kTime | kCpu | kIdentifier;
    uint64_t flags = kInherit | kSampleIdAll | kExcludeGuest;
    events.push_back({"sched:sched_switch",
                      kTypeTracepoint,
                      kSchedSwitchId,
                      1,
                      common | kPeriod | kRaw,
                      flags | kDisabled,
                      0,
                      0,
                      {}});
    events.push_back({"sched:sched_wakeup",
                      kTypeTracepoint,
                      kSchedWakeupId,
                      1,
                      common | kPeriod | kRaw,
                      flags | kDisabled,
                      0,
                      0,
                      {}});
    dummy.sample_type = common;
    dummy.period = 1;
    dummy.flags |= kContextSwitch;
  } else if (kind == Kind::kSpe) {
    constexpr uint64_t kTimestamps = 1, kAllOperations = uint64_t{7} << 32;
    constexpr uint64_t kInterval = 3'000;  // operations
    dummy.sample_type = kIp | kTid | kTime | kCpu | kIdentifier;
    dummy.period = 1;
    events.push_back(
        {"arm_spe_0/ts_enable=1,load_filter=1,store_filter=1,branch_filter=1/",
         kSpeEventType,
         kTimestamps | kAllOperations,
         kInterval,
         dummy.sample_type,
         kDisabled | kInherit | kSampleIdAll | kExcludeGuest,
         0,
         0,
         {}});
  } else {
    uint64_t chain = 0;
    if (kind == Kind::kCallGraph) chain = kCallchain;
    if (kind == Kind::kBranches) chain = kBranchStack;
    uint64_t sample_type = kIp | kTid | kTime | kId | kCpu | kPeriod | chain;
    events.push_back(
        {"cpu-clock",
         kTypeSoftware,
         kConfigCpuClock,
         kFrequency,
         sample_type,
         kDisabled | kInherit | kFreq | kSampleIdAll | kExcludeGuest,
         0,
         0,
         {}});
    if (kind == Kind::kBranches) {
      Event& cycles = events.back();
      cycles.name = "cycles:u";
      cycles.type = kTypeHardware;
      cycles.branch_type = kBranchUser | kBranchAny;
    }
    dummy.sample_type = sample_type & ~uint64_t{kBranchStack};
    dummy.flags |= kFreq;
  }
  events.push_back(std::move(dummy));
  uint64_t id = 1;
  for (Event& event : events) {
    for (uint64_t cpu = 0; cpu < cpus; ++cpu) event.ids.push_back(id++);
  }
  return events;
}

TimeSpan TimesOf(Kind kind, const Shape& shape) {
  constexpr uint64_t kFirst = 1'000'000'000'000;
  uint64_t each = shape.samples / shape.cpus + 1;
  // A tick of kSched makes one switch and, in half of the cases, a wake-up.
  uint64_t length = each * TickOf(kind);
  if (kind == Kind::kSched) length = length * 2 / 3;
  return {kFirst, kFirst + length};
}

uint64_t TickOf(Kind kind) {
  if (kind == Kind::kSched) return 100'000;
  return kind == Kind::kSpe ? 1'000 : 1'000'000'000 / kFrequency;
}

std::vector<Feature> FeaturesOf(Kind kind, const Shape& shape,
                                const Population& population, bool compressed) {
  std::vector<Feature> features;
  if (kind == Kind::kSched)
    features.push_back({kTracingData, SchedTracingData()});
  features.push_back({kBuildIds, BuildIdFeature(population)});
  // The host is this machine, so that readers trust its files.
  utsname host = {};
  uname(&host);
  features.push_back({kHostname, StringFeature(host.nodename)});
  features.push_back({kOsRelease, StringFeature(host.release)});
  features.push_back({kVersion, StringFeature("6.1.187")});
  features.push_back({kArch, StringFeature(host.machine)});
  RecordBuffer out;
  out.U32(static_cast<uint32_t>(shape.cpus));
  out.U32(static_cast<uint32_t>(shape.cpus));
  features.push_back({kNrCpus, out.bytes()});
  features.push_back({kCpuDesc, StringFeature("generated")});
  if (kind == Kind::kSpe) {  // a Neoverse N1
    features.push_back({kCpuId, StringFeature("0x00000000413fd0c1")});
  }

  out.Clear();
  out.U32(3);
  for (std::string_view arg : {"perf", "record", "-a"}) out.FeatureString(arg);
  features.push_back({kCmdline, out.bytes()});

  std::vector<Event> events = EventsOf(kind, shape.cpus);
  out.Clear();
  out.U32(static_cast<uint32_t>(events.size()));
  out.U32(kAttrBytes);
  for (const Event& event : events) AppendEventDesc(event, out);
  features.push_back({kEventDesc, out.bytes()});

  TimeSpan times = TimesOf(kind, shape);
  out.Clear();
  out.U64(times.first);
  out.U64(times.last);
  features.push_back({kSampleTime, out.bytes()});
  if (compressed) {
    out.Clear();
    for (uint32_t v : {1u, 1u, 1u, 0u, kRingBufferBytes}) out.U32(v);
    features.push_back({kCompression, out.bytes()});
  }
  return features;
}

}  // namespace perf2x::bench
