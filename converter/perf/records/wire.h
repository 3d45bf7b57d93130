// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_WIRE_H_
#define PERF2X_PERF_RECORDS_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace perf2x {

// Constants of the perf.data format, named after those in
// include/uapi/linux/perf_event.h and, for user records (64 and up), in
// tools/lib/perf/include/perf/event.h.

// The largest size of a record in bytes, header included: the header has 16
// bits for the size. Only records of simpleperf (32 bits) and COMPRESSED2
// records may be larger.
inline constexpr size_t kMaxRecordSize = 65535;

// Types of records that are used by name. The numbers of all others are in
// their structs (`kType`, see all_records.h).
enum RecordType : uint32_t {
  kRecordLost = 2,
  kRecordComm = 3,
  kRecordRead = 8,
  kRecordSample = 9,
  kRecordLostSamples = 13,
  kRecordSwitch = 14,
  kRecordSwitchCpuWide = 15,
  kRecordCallchainDeferred = 22,

  kRecordUserFirst = 64,
  kRecordHeaderAttr = 64,
  kRecordHeaderEventType = 65,
  kRecordHeaderTracingData = 66,
  kRecordHeaderBuildId = 67,
  kRecordFinishedRound = 68,
  kRecordAuxtraceInfo = 70,
  kRecordAuxtrace = 71,
  kRecordThreadMap = 73,
  kRecordStat = 76,
  kRecordStatRound = 77,
  kRecordEventUpdate = 78,
  kRecordTimeConv = 79,
  kRecordHeaderFeature = 80,
  kRecordCompressed = 81,
  kRecordCompressed2 = 83,

  // simpleperf's own types start here; their header holds a 32-bit size.
  kRecordSimpleperfFirst = 32768,
  kRecordSimpleperfKernelSymbol = 32769,
  kRecordSimpleperfDso = 32770,
  kRecordSimpleperfSymbol = 32771,
  kRecordSimpleperfSplit = 32772,
  kRecordSimpleperfSplitEnd = 32773,
  kRecordSimpleperfEventId = 32774,
  kRecordSimpleperfTracingData = 32777,
};

// perf_event_header.misc. What a bit from 13 up means depends on the type of
// the record that the constant names.
inline constexpr uint16_t kMiscCpuModeMask = 7;
enum MiscCpuMode : uint16_t {
  kMiscUnknown = 0,
  kMiscKernel = 1,
  kMiscUser = 2,
  kMiscHypervisor = 3,
  kMiscGuestKernel = 4,
  kMiscGuestUser = 5,
};
inline constexpr uint16_t kMiscMmapData = 1 << 13;
inline constexpr uint16_t kMiscCommExec = 1 << 13;
inline constexpr uint16_t kMiscForkExec = 1 << 13;
inline constexpr uint16_t kMiscSwitchOut = 1 << 13;
inline constexpr uint16_t kMiscSwitchOutPreempt = 1 << 14;
inline constexpr uint16_t kMiscMmapBuildId = 1 << 14;
inline constexpr uint16_t kMiscBuildIdSize = 1 << 15;

// perf_event_attr.sample_type.
enum SampleType : uint64_t {
  kSampleIp = 1 << 0,
  kSampleTid = 1 << 1,
  kSampleTime = 1 << 2,
  kSampleAddr = 1 << 3,
  kSampleRead = 1 << 4,
  kSampleCallchain = 1 << 5,
  kSampleId = 1 << 6,
  kSampleCpu = 1 << 7,
  kSamplePeriod = 1 << 8,
  kSampleStreamId = 1 << 9,
  kSampleRaw = 1 << 10,
  kSampleBranchStack = 1 << 11,
  kSampleRegsUser = 1 << 12,
  kSampleStackUser = 1 << 13,
  kSampleWeight = 1 << 14,
  kSampleDataSrc = 1 << 15,
  kSampleIdentifier = 1 << 16,
  kSampleTransaction = 1 << 17,
  kSampleRegsIntr = 1 << 18,
  kSamplePhysAddr = 1 << 19,
  kSampleAux = 1 << 20,
  kSampleCgroup = 1 << 21,
  kSampleDataPageSize = 1 << 22,
  kSampleCodePageSize = 1 << 23,
  kSampleWeightStruct = 1 << 24,
};
// Names of the bits, lowest first, as in perf's own output.
inline constexpr const char* kSampleTypeNames[] = {"IP",
                                                   "TID",
                                                   "TIME",
                                                   "ADDR",
                                                   "READ",
                                                   "CALLCHAIN",
                                                   "ID",
                                                   "CPU",
                                                   "PERIOD",
                                                   "STREAM_ID",
                                                   "RAW",
                                                   "BRANCH_STACK",
                                                   "REGS_USER",
                                                   "STACK_USER",
                                                   "WEIGHT",
                                                   "DATA_SRC",
                                                   "IDENTIFIER",
                                                   "TRANSACTION",
                                                   "REGS_INTR",
                                                   "PHYS_ADDR",
                                                   "AUX",
                                                   "CGROUP",
                                                   "DATA_PAGE_SIZE",
                                                   "CODE_PAGE_SIZE",
                                                   "WEIGHT_STRUCT"};
// All bits that have a name.
inline constexpr uint64_t kSampleKnown =
    (uint64_t{1} << std::size(kSampleTypeNames)) - 1;

// Times from this value on are not times of the recording's clock. perf gives
// them to samples of off-CPU time, so that these sort last: OFF_CPU_TIMESTAMP
// in tools/perf/util/off_cpu.h.
inline constexpr uint64_t kFirstSortOnlyTime = uint64_t{0xffffffff} << 32;
// Returns `time` if it is a time of the recording's clock, else nullopt.
inline std::optional<uint64_t> ClockTime(std::optional<uint64_t> time) {
  return time < kFirstSortOnlyTime ? time : std::nullopt;
}

// perf_event_attr.read_format.
enum ReadFormat : uint64_t {
  kReadTotalTimeEnabled = 1 << 0,
  kReadTotalTimeRunning = 1 << 1,
  kReadId = 1 << 2,
  kReadGroup = 1 << 3,
  kReadLost = 1 << 4,
};

// perf_event_attr.branch_sample_type: the bits that are used here.
inline constexpr uint64_t kBranchAny = 1 << 3;
inline constexpr uint64_t kBranchCallStack = 1 << 11;
inline constexpr uint64_t kBranchHwIndex = 1 << 17;
inline constexpr uint64_t kBranchCounters = 1 << 19;

// The word before sampled registers. Kernels that sample SIMD registers write a
// bit mask. Older kernels write kAbiNone, kAbi32 or kAbi64.
enum RegisterAbi : uint64_t {
  kAbiNone = 0,  // no registers follow
  kAbi32 = 1 << 0,
  kAbi64 = 1 << 1,
  kAbiSimd = 1 << 2,  // a SimdRegisters block follows the registers
};

// perf_event_attr.type.
enum EventType : uint32_t {
  kTypeHardware = 0,
  kTypeSoftware = 1,
  kTypeTracepoint = 2,
  kTypeHwCache = 3,
  kTypeRaw = 4,
  kTypeBreakpoint = 5,
};
// Types that perf invented for PMUs that it implements itself:
// tools/perf/util/pmu.h.
inline constexpr uint32_t kPmuTypeDrmFirst = 0xfffe0000;
inline constexpr uint32_t kPmuTypeDrmLast = 0xfffeffff;
inline constexpr uint32_t kPmuTypeHwmonFirst = 0xffff0000;
inline constexpr uint32_t kPmuTypeHwmonLast = 0xfffffffd;
inline constexpr uint32_t kPmuTypeTool = 0xfffffffe;
// perf_event_attr.config of software events.
enum SoftwareEvent : uint64_t {
  kSoftwareCpuClock = 0,
  kSoftwareTaskClock = 1,
  kSoftwarePageFaults = 2,
  kSoftwareMinorFaults = 5,
  kSoftwareMajorFaults = 6,
  kSoftwareDummy = 9,
  kSoftwareBpfOutput = 10,
};

// PERF_CONTEXT_MAX: the lowest context marker. Callchain entries from this
// value up are markers: the addresses after a marker belong to its mode.
inline constexpr uint64_t kContextMax = static_cast<uint64_t>(-4095);
enum ContextMarker : uint64_t {
  kContextHypervisor = static_cast<uint64_t>(-32),
  kContextKernel = static_cast<uint64_t>(-128),
  kContextUser = static_cast<uint64_t>(-512),
  kContextUserDeferred = static_cast<uint64_t>(-640),  // a cookie follows
  kContextGuest = static_cast<uint64_t>(-2048),
  kContextGuestKernel = static_cast<uint64_t>(-2176),
  kContextGuestUser = static_cast<uint64_t>(-2560),
};

// Header features: bits of perf_file_header.adds_features and feat_id of
// HEADER_FEATURE. tools/perf/util/header.h.
enum Feature : uint32_t {
  kFeatureTracingData = 1,
  kFeatureBuildId = 2,
  kFeatureHostname = 3,
  kFeatureOsRelease = 4,
  kFeatureVersion = 5,
  kFeatureArch = 6,
  kFeatureNrCpus = 7,
  kFeatureCpuDesc = 8,
  kFeatureCpuId = 9,
  kFeatureTotalMem = 10,
  kFeatureCmdline = 11,
  kFeatureEventDesc = 12,
  kFeatureCpuTopology = 13,
  kFeatureNumaTopology = 14,
  kFeatureBranchStack = 15,
  kFeaturePmuMappings = 16,
  kFeatureGroupDesc = 17,
  kFeatureAuxtrace = 18,
  kFeatureStat = 19,
  kFeatureCache = 20,
  kFeatureSampleTime = 21,
  kFeatureMemTopology = 22,
  kFeatureClockId = 23,
  kFeatureDirFormat = 24,
  kFeatureBpfProgInfo = 25,
  kFeatureBpfBtf = 26,
  kFeatureCompressed = 27,
  kFeatureCpuPmuCaps = 28,
  kFeatureClockData = 29,
  kFeatureHybridTopology = 30,
  kFeaturePmuCaps = 31,
  kFeatureCpuDomainInfo = 32,
  kFeatureEMachine = 33,
  kFeatureClnSize = 34,
  kFeatureSimpleperfFile = 128,
  kFeatureSimpleperfMetaInfo = 129,
  kFeatureSimpleperfFile2 = 132,
  kFeatureSimpleperfEtmBranchList = 133,
  kFeatureSimpleperfInitMap = 134,
  kFeatureHiperfFilesSymbol = 192,
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_WIRE_H_
