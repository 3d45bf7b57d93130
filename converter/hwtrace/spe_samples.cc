// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/spe_samples.h"

#include <algorithm>
#include <iterator>

namespace perf2x {
namespace {

using E = SpeSampleEvent;

// Fields of union perf_mem_data_src (include/uapi/linux/perf_event.h).
enum : uint64_t {
  kOpLoad = 2,
  kOpStore = 4,
};
enum : uint64_t {  // mem_lvl
  kLevelNa = 0x01 << 5,
  kLevelHit = 0x02 << 5,
  kLevelMiss = 0x04 << 5,
  kLevelL1 = 0x08 << 5,
  kLevelLfb = 0x10 << 5,
  kLevelL2 = 0x20 << 5,
  kLevelL3 = 0x40 << 5,
  kLevelLocalRam = 0x80 << 5,
  kLevelRemoteCache = 0x400 << 5,
};
enum : uint64_t {  // mem_snoop
  kSnoopNa = uint64_t{0x01} << 19,
  kSnoopNone = uint64_t{0x02} << 19,
  kSnoopHit = uint64_t{0x04} << 19,
  kSnoopHitm = uint64_t{0x10} << 19,
};
enum : uint64_t {  // mem_dtlb
  kTlbHit = uint64_t{0x02} << 26,
  kTlbMiss = uint64_t{0x04} << 26,
  kTlbWalker = uint64_t{0x20} << 26,
};
constexpr uint64_t LevelNumber(uint64_t number) { return number << 33; }
constexpr uint64_t kNumberL1 = LevelNumber(1), kNumberL2 = LevelNumber(2),
                   kNumberL3 = LevelNumber(3),
                   kNumberAnyCache = LevelNumber(0xb),
                   kNumberLfb = LevelNumber(0xc), kNumberRam = LevelNumber(0xd),
                   kNumberNa = LevelNumber(0xf);
constexpr uint64_t kRemote = uint64_t{1} << 37;
constexpr uint64_t kSnoopPeer = uint64_t{2} << 38;  // mem_snoopx

// Arm's own processors (Neoverse, Cortex): "Data source" in their technical
// reference manuals.
struct Source {
  uint16_t number;
  uint64_t bits;
};
constexpr Source kArmSources[] = {
    {0x0, kLevelL1 | kLevelHit | kNumberL1 | kSnoopNone},
    {0x8, kLevelL2 | kLevelHit | kNumberL2 | kSnoopNone},
    {0x9, kLevelL2 | kLevelHit | kNumberL2 | kSnoopPeer},  // another core
    {0xa, kLevelL3 | kLevelHit | kNumberL3 | kSnoopPeer},  // the same cluster
    {0xb, kLevelL3 | kLevelHit | kNumberL3 | kSnoopHit},   // system cache
    {0xc, kLevelL3 | kLevelHit | kNumberL3 | kSnoopPeer},  // another cluster
    // another socket
    {0xd, kLevelRemoteCache | kNumberAnyCache | kRemote | kSnoopPeer},
    {0xe, kLevelLocalRam | kLevelHit | kNumberRam | kSnoopNone},
};

// AmpereOne's numbers, and Arm's for the same.
constexpr uint16_t kAmpereOneSources[][2] = {
    {0x0, 0x9},  // a cache of the chip, or a device
    {0x3, 0xb},  // system-level cache
    {0x5, 0xd},  // a cache of another chip
    {0x7, 0xe},  // memory
    {0x8, 0x0},  // L1D
    {0x9, 0x8},  // L2D
};

uint64_t SourceBits(uint16_t source, SpeSourceEncoding encoding) {
  if (encoding == SpeSourceEncoding::kAmpereOne) {
    const auto* it =
        std::find_if(std::begin(kAmpereOneSources), std::end(kAmpereOneSources),
                     [&](const auto& pair) { return pair[0] == source; });
    if (it == std::end(kAmpereOneSources)) return 0;
    source = (*it)[1];
  }
  for (const Source& s : kArmSources) {
    if (s.number == source) return s.bits;
  }
  return 0;
}

struct CacheLevel {
  uint64_t access, miss;  // events
  uint64_t bits;
};
// The nearest first.
constexpr CacheLevel kLevels[] = {
    {kSpeL1dAccess, kSpeL1dRefill, kLevelL1 | kNumberL1},
    {kSpeL2dAccess, kSpeL2dMiss, kLevelL2 | kNumberL2},
    {kSpeLlcAccess, kSpeLlcMiss, kLevelL3 | kNumberL3},
};

// What the events of a load say: the nearest level that had the data, else the
// farthest that was missed.
uint64_t LoadLevel(uint64_t events) {
  for (const CacheLevel& level : kLevels) {
    if ((events & (level.access | level.miss)) == level.access) {
      return level.bits | kLevelHit;
    }
    if (&level == kLevels && (events & kSpeRecentlyFetched) != 0) {
      return kLevelLfb | kLevelHit | kNumberLfb;
    }
  }
  uint64_t farthest = kLevelNa | kNumberNa;
  for (const CacheLevel& level : kLevels) {
    if ((events & level.miss) != 0) farthest = level.bits | kLevelMiss;
  }
  return farthest;
}

// A store is at the farthest level that it reached.
uint64_t StoreLevel(uint64_t events) {
  uint64_t farthest = kLevelNa | kNumberNa;
  for (const CacheLevel& level : kLevels) {
    const bool miss = (events & level.miss) != 0;
    if (miss || (events & level.access) != 0) {
      farthest = level.bits | (miss ? kLevelMiss : kLevelHit);
    }
  }
  return farthest;
}

}  // namespace

const char* SpeSampleEventName(SpeSampleEvent event) {
  constexpr const char* kNames[] = {
      "l1d-miss",      "l1d-access", "llc-miss",    "llc-access",
      "tlb-miss",      "tlb-access", "branch-miss", "branch",
      "remote-access", "memory",     "instructions"};
  static_assert(std::size(kNames) == kSpeSampleEvents);
  return kNames[static_cast<int>(event)];
}

SpeSourceEncoding SpeSourceEncodingOf(uint64_t midr) {
  // Part numbers of arch/arm64/include/asm/cputype.h.
  constexpr uint64_t kArmParts[] = {
      0xd0c,  // Neoverse N1
      0xd40,  // Neoverse V1
      0xd49,  // Neoverse N2
      0xd4c,  // Cortex-X1C
      0xd4e,  // Cortex-X3
      0xd4f,  // Neoverse V2
      0xd81,  // Cortex-A720
      0xd85,  // Cortex-X925
      0xd87,  // Cortex-A725
  };
  constexpr uint64_t kAmpere1a = 0xac4;
  const uint64_t implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;
  if (implementer == 0x41 &&
      std::find(std::begin(kArmParts), std::end(kArmParts), part) !=
          std::end(kArmParts)) {
    return SpeSourceEncoding::kArm;
  }
  return implementer == 0xc0 && part == kAmpere1a
             ? SpeSourceEncoding::kAmpereOne
             : SpeSourceEncoding::kUnknown;
}

uint64_t SpeDataSource(const SpeRecord& record, SpeSourceEncoding encoding) {
  const bool load = (record.operation & SpeRecord::kLoad) != 0;
  if (!load && (record.operation & SpeRecord::kStore) == 0) return 0;
  uint64_t bits = load ? kOpLoad : kOpStore;
  const uint64_t events = record.events;
  if (encoding == SpeSourceEncoding::kUnknown) {
    bits |= load ? LoadLevel(events) : StoreLevel(events);
    if ((events & kSpeRemoteAccess) != 0) bits |= kRemote;
    if ((events & kSpeDataSnooped) == 0) {
      bits |= kSnoopNa;
    } else {
      bits |= (events & kSpeDataModified) != 0 ? kSnoopHitm : kSnoopHit;
    }
  } else if (load) {
    bits |= SourceBits(record.source, encoding);
  } else {
    // These processors do not say where stores went.
    bits |= kLevelNa | kNumberNa | kSnoopNa;
  }
  if ((events & (kSpeTlbAccess | kSpeTlbWalk)) != 0) {
    bits |= kTlbWalker | ((events & kSpeTlbWalk) != 0 ? kTlbMiss : kTlbHit);
  }
  return bits;
}

uint16_t SpeSampleEvents(const SpeRecord& record,
                         const ItraceOptions& options) {
  constexpr uint8_t kAccess = SpeRecord::kLoad | SpeRecord::kStore;
  const uint64_t events = record.events;
  uint32_t found = 0;
  const auto add = [&](bool chosen, bool applies, E event) {
    found |= uint32_t{chosen && applies} << static_cast<int>(event);
  };
  const auto add_if_set = [&](bool chosen, uint64_t bit, E event) {
    add(chosen, (events & bit) != 0, event);
  };
  add_if_set(options.first_level, kSpeL1dRefill, E::kL1dMiss);
  add_if_set(options.first_level, kSpeL1dAccess, E::kL1dAccess);
  add_if_set(options.last_level, kSpeLlcMiss, E::kLlcMiss);
  add_if_set(options.last_level, kSpeLlcAccess, E::kLlcAccess);
  add_if_set(options.tlb, kSpeTlbWalk, E::kTlbMiss);
  add_if_set(options.tlb, kSpeTlbAccess, E::kTlbAccess);
  add_if_set(options.branches, kSpeMispredicted, E::kBranchMiss);
  add(options.branches, (record.operation & SpeRecord::kBranch) != 0,
      E::kBranch);
  add_if_set(options.remote_access, kSpeRemoteAccess, E::kRemoteAccess);
  add(options.memory, (record.operation & kAccess) != 0, E::kMemory);
  add(options.instructions, true, E::kInstructions);
  return static_cast<uint16_t>(found);
}

}  // namespace perf2x
