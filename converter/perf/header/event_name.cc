// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_name.h"

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr std::array<absl::string_view, 10> kHardware = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles"};
constexpr std::array<absl::string_view, 12> kSoftware = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
constexpr std::array<absl::string_view, 7> kCaches = {
    "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
constexpr std::array<absl::string_view, 3> kCacheOps = {"load", "store",
                                                        "prefetch"};
constexpr std::array<absl::string_view, 3> kCacheOpsPlural = {"loads", "stores",
                                                              "prefetches"};

// enum tool_pmu_event: the names of tool events, by config.
constexpr std::array<absl::string_view, 15> kToolEvents = {"",
                                                           "duration_time",
                                                           "user_time",
                                                           "system_time",
                                                           "has_pmem",
                                                           "num_cores",
                                                           "num_cpus",
                                                           "num_cpus_online",
                                                           "num_dies",
                                                           "num_packages",
                                                           "slots",
                                                           "smt_on",
                                                           "system_tsc_freq",
                                                           "core_wide",
                                                           "target_cpu"};
// enum hwmon_type: the type of sensor, in bits 16 to 31 of the config of a
// hwmon event. Bits 0 to 15 are the sensor's number.
constexpr std::array<absl::string_view, 11> kHwmonTypes = {
    "",   "cpu",       "curr",  "energy", "fan", "humidity",
    "in", "intrusion", "power", "pwm",    "temp"};

// Bits of the attr's flag word.
constexpr int kExcludeUser = 4, kExcludeKernel = 5, kExcludeHv = 6;
constexpr int kExcludeHost = 19, kExcludeGuest = 20;

std::string CacheEventName(uint64_t config) {
  const uint64_t cache = config & 0xff;
  const uint64_t op = config >> 8 & 0xff;
  const uint64_t result = config >> 16 & 0xff;
  if (cache >= kCaches.size() || op >= kCacheOps.size() || result > 1) {
    return absl::StrFormat("hw-cache 0x%x", config);
  }
  return result == 1
             ? absl::StrCat(kCaches[cache], "-", kCacheOps[op], "-misses")
             : absl::StrCat(kCaches[cache], "-", kCacheOpsPlural[op]);
}

// Returns the name of an event of a dynamic PMU.
std::string NameOnPmu(const EventAttr& attr,
                      const absl::flat_hash_map<uint32_t, std::string>& pmus) {
  if (attr.type == kPmuTypeTool && attr.config < kToolEvents.size() &&
      attr.config != 0) {
    return std::string(kToolEvents[attr.config]);
  }
  const absl::string_view own = PerfPmuName(attr.type);
  auto it = pmus.find(attr.type);
  const std::string pmu = it != pmus.end() ? it->second
                          : !own.empty()   ? std::string(own)
                                           : absl::StrCat("pmu_", attr.type);
  const uint64_t sensor = attr.config >> 16;
  if (own == "hwmon" && sensor < kHwmonTypes.size() && sensor != 0) {
    return absl::StrCat(pmu, "/", kHwmonTypes[sensor], attr.config & 0xffff,
                        "/");
  }
  return absl::StrFormat("%s/config=0x%x/", pmu, attr.config);
}

std::string BareName(const EventAttr& attr,
                     const absl::flat_hash_map<uint32_t, std::string>& pmus) {
  // On hybrid machines the upper half of config is the type of the PMU.
  const uint64_t config = attr.config & 0xffffffff;
  std::string name;
  switch (attr.type) {
    case kTypeHardware:
      name = config < kHardware.size()
                 ? std::string(kHardware[config])
                 : absl::StrFormat("hardware 0x%x", config);
      break;
    case kTypeSoftware:
      return config < kSoftware.size()
                 ? std::string(kSoftware[config])
                 : absl::StrFormat("software 0x%x", config);
    case kTypeTracepoint:
      return absl::StrCat("tracepoint ", attr.config);
    case kTypeHwCache:
      name = CacheEventName(config);
      break;
    case kTypeRaw:
      return absl::StrFormat("raw 0x%x", attr.config);
    case kTypeBreakpoint: {
      std::string access;
      if (attr.bp_type & 1) access += 'r';
      if (attr.bp_type & 2) access += 'w';
      if (attr.bp_type & 4) access += 'x';
      return absl::StrFormat("mem:0x%x:%s", attr.config1, access);
    }
    default:
      return NameOnPmu(attr, pmus);
  }
  auto it = pmus.find(PmuTypeOf(attr));
  return PmuTypeOf(attr) == 0 || it == pmus.end()
             ? name
             : EventNameWithPmu(it->second, name);
}

// Returns the modifiers, which perf writes after the colon of a name.
std::string Modifiers(const EventAttr& attr) {
  std::string out;
  bool guest_excluded_by_default = false;
  if (attr.flag(kExcludeKernel) || attr.flag(kExcludeUser) ||
      attr.flag(kExcludeHv)) {
    if (!attr.flag(kExcludeKernel)) out += 'k';
    if (!attr.flag(kExcludeUser)) out += 'u';
    if (!attr.flag(kExcludeHv)) out += 'h';
    guest_excluded_by_default = true;
  }
  if (attr.precise_ip() != 0) {
    out.append(attr.precise_ip(), 'p');
    guest_excluded_by_default = true;
  }
  if (attr.flag(kExcludeHost) ||
      attr.flag(kExcludeGuest) == guest_excluded_by_default) {
    if (!attr.flag(kExcludeHost)) out += 'H';
    if (!attr.flag(kExcludeGuest)) out += 'G';
  }
  return out;
}

}  // namespace

uint32_t PmuTypeOf(const EventAttr& attr) {
  if (attr.type == kTypeHardware || attr.type == kTypeHwCache) {
    return static_cast<uint32_t>(attr.config >> 32);
  }
  return attr.type > kTypeBreakpoint ? attr.type : 0;
}

absl::string_view PerfPmuName(uint32_t type) {
  if (type == kPmuTypeTool) return "tool";
  if (type >= kPmuTypeHwmonFirst && type <= kPmuTypeHwmonLast) return "hwmon";
  return type >= kPmuTypeDrmFirst && type <= kPmuTypeDrmLast ? "drm" : "";
}

std::string EventNameWithPmu(absl::string_view pmu, absl::string_view name) {
  if (absl::StartsWith(name, pmu)) return std::string(name);
  const size_t slash = name.find('/');
  const size_t end = std::min(slash, name.find(':'));
  const absl::string_view event = name.substr(0, end);
  absl::string_view rest = name.substr(std::min(name.size(), event.size() + 1));
  if (end == slash && slash != name.npos && !absl::ConsumePrefix(&rest, "/")) {
    return absl::StrCat(pmu, "/", event, ",", rest);  // "cycles/period=1/"
  }
  return absl::StrCat(pmu, "/", event, "/", rest);
}

std::string EventNameOf(
    const EventAttr& attr,
    const absl::flat_hash_map<uint32_t, std::string>& pmus) {
  std::string name = BareName(attr, pmus);
  // perf writes no modifiers for events of tracepoints and dynamic PMUs.
  if (attr.type == kTypeTracepoint || attr.type > kTypeBreakpoint) return name;
  const std::string modifiers = Modifiers(attr);
  if (attr.type == kTypeRaw || modifiers.empty()) return name;
  return absl::StrCat(name, ":", modifiers);
}

}  // namespace perf2x
