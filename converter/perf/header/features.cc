// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/features.h"

#include <algorithm>

#include "converter/base/byte_reader.h"
#include "converter/perf/header/feature_reader.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using F = HeaderFeatures;

// do_write_string(): u32 length, then as many bytes, NUL padded.
std::string String(FeatureReader* in) {
  const uint32_t size = in->U32();
  in->ChargeMemory(std::min<uint64_t>(size, in->left()));
  return std::string(in->FixedString(size));
}

// Reads u32 nr and as many elements; each must read at least one byte. Of a
// list that ends early, keeps what is there.
template <class T, class R>
void ReadList(FeatureReader* in, std::vector<T>* out, R read) {
  const uint32_t nr = in->U32();
  for (uint32_t i = 0; i < nr && in->ok(); ++i) {
    in->ChargeMemory(sizeof(T));
    T element = read();
    if (in->ok()) out->push_back(std::move(element));
  }
}

// Stores `value` unless the data ended before its end.
template <class T, class V>
void Keep(const FeatureReader& in, V&& value, T* to) {
  if (in.ok()) *to = std::forward<V>(value);
}

// Read(in, to) reads a field of HeaderFeatures as its type says. On damage it
// keeps the complete elements of a list and sets the reader's error.

void Read(FeatureReader* in, std::string* to) { *to = String(in); }

void Read(FeatureReader* in, std::optional<uint32_t>* to) {
  Keep(*in, in->U32(), to);
}

void Read(FeatureReader* in, std::optional<uint64_t>* to) {
  Keep(*in, in->U64(), to);
}

void Read(FeatureReader* in, std::vector<std::string>* to) {
  ReadList(in, to, [&] { return String(in); });
}

void Read(FeatureReader* in, StringPairs* to) {
  ReadList(in, to, [&] {
    std::string first = String(in);
    return std::pair(std::move(first), String(in));
  });
}

// write_numa_topology()
void Read(FeatureReader* in, std::vector<NumaNode>* nodes) {
  ReadList(in, nodes, [&] {
    NumaNode node;
    node.node = in->U32();
    node.total_kb = in->U64();
    node.free_kb = in->U64();
    node.cpus = String(in);
    return node;
  });
}

// write_pmu_mappings()
void Read(FeatureReader* in,
          std::vector<std::pair<uint32_t, std::string>>* pmus) {
  ReadList(in, pmus, [&] {
    const uint32_t type = in->U32();
    return std::pair(type, String(in));
  });
}

// write_group_desc()
void Read(FeatureReader* in, std::vector<EventGroup>* groups) {
  ReadList(in, groups, [&] {
    EventGroup group;
    group.name = String(in);
    group.leader = in->U32();
    group.members = in->U32();
    return group;
  });
}

// write_auxtrace(). simpleperf writes no count (WriteAuxTraceFeature() in its
// record_file_writer.cpp).
void Read(FeatureReader* in,
          std::vector<std::pair<uint64_t, uint64_t>>* index) {
  const uint64_t count =
      in->left() % 16 == 0 ? in->left() / 16 : in->CheckedCount(in->U64(), 16);
  in->ChargeMemory(16 * count);
  const WordSpan words = in->Words(2 * count);
  for (size_t i = 0; i < words.size(); i += 2) {
    index->emplace_back(words[i], words[i + 1]);
  }
}

// write_cache()
void Read(FeatureReader* in, std::vector<CpuCache>* caches) {
  if (in->U32() != 1) return;  // a version that is not known
  ReadList(in, caches, [&] {
    CpuCache cache;
    cache.level = in->U32();
    cache.line_size = in->U32();
    cache.sets = in->U32();
    cache.ways = in->U32();
    cache.type = String(in);
    cache.size = String(in);
    cache.cpus = String(in);
    return cache;
  });
}

// write_sample_time()
void Read(FeatureReader* in,
          std::optional<std::pair<uint64_t, uint64_t>>* times) {
  const uint64_t first = in->U64();
  const uint64_t last = in->U64();
  Keep(*in, std::pair(first, last), times);
}

// write_mem_topology()
void Read(FeatureReader* in, std::optional<MemoryTopology>* to) {
  if (in->U64() != 1) return;  // a version that is not known
  MemoryTopology& topology = to->emplace();
  topology.block_size = in->U64();
  const uint64_t nr = in->CheckedCount(in->U64(), 3 * 8);
  for (uint64_t i = 0; i < nr && in->ok(); ++i) {
    MemoryTopology::Node node;
    node.node = in->U64();
    in->Skip(8);  // blocks in the node
    node.bits = in->U64();
    const WordSpan words = in->Words(node.bits / 64 + (node.bits % 64 != 0));
    // As text, a word may have 32 ranges.
    constexpr uint64_t kOfWord = 320;
    in->ChargeMemory(sizeof(node) + words.size() * kOfWord);
    if (!in->ok()) break;
    for (size_t w = 0; w < words.size(); ++w) node.blocks.push_back(words[w]);
    topology.nodes.push_back(std::move(node));
  }
}

void Read(FeatureReader* in, std::vector<BpfProgram>* programs) {
  if (!ReadBpfPrograms(in, programs)) in->Fail();
}

void Read(FeatureReader* in, std::vector<BpfBtf>* types) {
  if (!ReadBpfTypes(in, types)) in->Fail();
}

// write_compressed()
void Read(FeatureReader* in, std::optional<CompressionInfo>* to) {
  CompressionInfo info;
  for (uint32_t* field :
       {&info.version, &info.type, &info.level, &info.ratio, &info.mmap_len}) {
    *field = in->U32();
  }
  Keep(*in, info, to);
}

// write_clock_data()
void Read(FeatureReader* in, std::optional<ClockData>* to) {
  in->Skip(4);  // version
  ClockData data;
  data.clockid = in->U32();
  data.wall_ns = in->U64();
  data.clock_ns = in->U64();
  Keep(*in, data, to);
}

// write_pmu_caps()
void Read(FeatureReader* in, std::vector<PmuCaps>* to) {
  ReadList(in, to, [&] {
    PmuCaps caps;
    Read(in, &caps.caps);
    caps.pmu = String(in);
    return caps;
  });
}

// write_cpu_domain_info()
void Read(FeatureReader* in, std::optional<CpuDomains>* to) {
  CpuDomains& domains = to->emplace();
  domains.schedstat_version = in->U32();
  domains.max_domains = in->U32();
  while (in->ok() && in->left() > 0) {
    CpuDomains::Cpu cpu;
    in->ChargeMemory(sizeof(cpu));
    cpu.cpu = in->U32();
    ReadList(in, &cpu.domains, [&] {
      CpuDomains::Domain domain;
      domain.domain = in->U32();
      if (domains.schedstat_version >= 17) domain.name = String(in);
      domain.cpu_mask = String(in);
      domain.cpu_list = String(in);
      return domain;
    });
    if (in->ok()) domains.cpus.push_back(std::move(cpu));
  }
}

// Reads the fields one after the other.
template <auto... fields>
void Fill(FeatureReader* in, HeaderFeatures* to) {
  (Read(in, &(to->*fields)), ...);
}

// Features whose data are more than a sequence of fields.

// write_cmdline(); hiperf writes one string instead of a list. Its length, of
// all that follows, cannot be the number of the strings in a list.
void ReadCommandLine(FeatureReader* in, HeaderFeatures* to) {
  FeatureReader text = *in;
  const uint32_t size = text.U32();
  if (size > 0 && size == text.left()) {
    std::string words = String(in);
    if (in->ok()) to->command_line.push_back(std::move(words));
  } else {
    Read(in, &to->command_line);
  }
}

// write_cpu_topology(). perf before 4.0 writes only the lists, perf before 5.2
// no dies.
void ReadCpuTopology(FeatureReader* in, HeaderFeatures* to) {
  CpuTopology& topology = to->cpu_topology;
  Read(in, &topology.sockets);
  Read(in, &topology.cores);
  uint32_t nr_cpus = to->cpus_available.value_or(0);
  if (!in->ok() || in->left() == 0 || nr_cpus == 0) return;
  nr_cpus = static_cast<uint32_t>(in->CheckedCount(nr_cpus, 8));
  in->ChargeMemory(nr_cpus * sizeof(CpuTopology::Cpu));
  for (uint32_t i = 0; i < nr_cpus; ++i) {
    CpuTopology::Cpu cpu;
    cpu.core = in->U32();
    cpu.socket = in->U32();
    topology.cpus.push_back(cpu);
  }
  if (!in->ok() || in->left() == 0) return;
  Read(in, &topology.dies);
  if (in->CheckedCount(nr_cpus, 4) == 0) return;
  for (CpuTopology::Cpu& cpu : topology.cpus) cpu.die = in->U32();
}

// write_cpu_pmu_caps()
void ReadCpuPmuCaps(FeatureReader* in, HeaderFeatures* to) {
  StringPairs caps;
  Read(in, &caps);
  if (!caps.empty()) to->pmu_caps.push_back({"cpu", std::move(caps)});
}

// MetaInfoFeature: {key NUL value NUL}*.
void ReadSimpleperfMeta(FeatureReader* in, HeaderFeatures* to) {
  while (in->ok() && in->left() > 0) {
    const absl::string_view key = in->CString();
    const absl::string_view value = in->CString();
    in->ChargeMemory(2 * sizeof(std::string) + key.size() + value.size());
    if (in->ok()) to->simpleperf_meta.emplace_back(key, value);
  }
}

struct FeatureRow {
  uint32_t number;
  absl::string_view name;
  // Null if HeaderFeatures keeps only the feature's number.
  void (*read)(FeatureReader* in, HeaderFeatures* to) = nullptr;
  bool is_flag = false;  // has no data
};

// By number. From 128 on: FEAT_* of simpleperf's record_file.h; from 192 on:
// FEATURE of hiperf's perf_file_format.h.
constexpr FeatureRow kFeatures[] = {
    {.number = kFeatureTracingData, .name = "TRACING_DATA"},
    {.number = kFeatureBuildId, .name = "BUILD_ID"},
    {.number = kFeatureHostname,
     .name = "HOSTNAME",
     .read = Fill<&F::hostname>},
    {.number = kFeatureOsRelease,
     .name = "OSRELEASE",
     .read = Fill<&F::os_release>},
    {.number = kFeatureVersion,
     .name = "VERSION",
     .read = Fill<&F::perf_version>},
    {.number = kFeatureArch, .name = "ARCH", .read = Fill<&F::arch>},
    {.number = kFeatureNrCpus,
     .name = "NRCPUS",
     .read = Fill<&F::cpus_available, &F::cpus_online>},
    {.number = kFeatureCpuDesc,
     .name = "CPUDESC",
     .read = Fill<&F::cpu_description>},
    {.number = kFeatureCpuId, .name = "CPUID", .read = Fill<&F::cpu_id>},
    {.number = kFeatureTotalMem,
     .name = "TOTAL_MEM",
     .read = Fill<&F::memory_kb>},
    {.number = kFeatureCmdline, .name = "CMDLINE", .read = ReadCommandLine},
    {.number = kFeatureEventDesc, .name = "EVENT_DESC"},
    {.number = kFeatureCpuTopology,
     .name = "CPU_TOPOLOGY",
     .read = ReadCpuTopology},
    {.number = kFeatureNumaTopology,
     .name = "NUMA_TOPOLOGY",
     .read = Fill<&F::numa_nodes>},
    {.number = kFeatureBranchStack, .name = "BRANCH_STACK", .is_flag = true},
    {.number = kFeaturePmuMappings,
     .name = "PMU_MAPPINGS",
     .read = Fill<&F::pmus>},
    {.number = kFeatureGroupDesc,
     .name = "GROUP_DESC",
     .read = Fill<&F::groups>},
    {.number = kFeatureAuxtrace,
     .name = "AUXTRACE",
     .read = Fill<&F::auxtrace_index>},
    {.number = kFeatureStat, .name = "STAT", .is_flag = true},
    {.number = kFeatureCache, .name = "CACHE", .read = Fill<&F::caches>},
    {.number = kFeatureSampleTime,
     .name = "SAMPLE_TIME",
     .read = Fill<&F::sample_time>},
    {.number = kFeatureMemTopology,
     .name = "MEM_TOPOLOGY",
     .read = Fill<&F::memory_topology>},
    {.number = kFeatureClockId,
     .name = "CLOCKID",
     .read = Fill<&F::clock_resolution_ns>},
    {.number = kFeatureDirFormat,
     .name = "DIR_FORMAT",
     .read = Fill<&F::directory_version>},
    {.number = kFeatureBpfProgInfo,
     .name = "BPF_PROG_INFO",
     .read = Fill<&F::bpf_programs>},
    {.number = kFeatureBpfBtf, .name = "BPF_BTF", .read = Fill<&F::bpf_types>},
    {.number = kFeatureCompressed,
     .name = "COMPRESSED",
     .read = Fill<&F::compression>},
    {.number = kFeatureCpuPmuCaps,
     .name = "CPU_PMU_CAPS",
     .read = ReadCpuPmuCaps},
    {.number = kFeatureClockData,
     .name = "CLOCK_DATA",
     .read = Fill<&F::clock_data>},
    {.number = kFeatureHybridTopology,
     .name = "HYBRID_TOPOLOGY",
     .read = Fill<&F::hybrid_pmus>},
    {.number = kFeaturePmuCaps, .name = "PMU_CAPS", .read = Fill<&F::pmu_caps>},
    {.number = kFeatureCpuDomainInfo,
     .name = "CPU_DOMAIN_INFO",
     .read = Fill<&F::cpu_domains>},
    {.number = kFeatureEMachine,
     .name = "E_MACHINE",
     .read = Fill<&F::e_machine, &F::e_flags>},
    {.number = kFeatureClnSize,
     .name = "CLN_SIZE",
     .read = Fill<&F::cache_line_size>},
    {.number = kFeatureSimpleperfFile, .name = "SIMPLEPERF_FILE"},
    {.number = kFeatureSimpleperfMetaInfo,
     .name = "SIMPLEPERF_META_INFO",
     .read = ReadSimpleperfMeta},
    {.number = 130, .name = "SIMPLEPERF_DEBUG_UNWIND"},
    {.number = 131, .name = "SIMPLEPERF_DEBUG_UNWIND_FILE"},
    {.number = kFeatureSimpleperfFile2, .name = "SIMPLEPERF_FILE2"},
    {.number = kFeatureSimpleperfEtmBranchList,
     .name = "SIMPLEPERF_ETM_BRANCH_LIST"},
    {.number = kFeatureSimpleperfInitMap, .name = "SIMPLEPERF_INIT_MAP"},
    {.number = kFeatureHiperfFilesSymbol, .name = "HIPERF_FILES_SYMBOL"},
    {.number = 193, .name = "HIPERF_WORKLOAD_CMD"},
    {.number = 194, .name = "HIPERF_RECORD_TIME"},
    {.number = 195, .name = "HIPERF_CPU_OFF"},
    {.number = 196, .name = "HIPERF_HM_DEVHOST"},
    {.number = 197, .name = "HIPERF_FILES_UNISTACK_TABLE"},
    {.number = 198, .name = "HIPERF_ADD_COUNTER"},
};

// Null for a number that is not known.
const FeatureRow* FindFeature(uint64_t number) {
  const auto* it =
      std::find_if(std::begin(kFeatures), std::end(kFeatures),
                   [&](const FeatureRow& row) { return row.number == number; });
  return it == std::end(kFeatures) ? nullptr : it;
}

}  // namespace

bool HeaderFeatures::has(uint32_t feature) const {
  return std::find(present.begin(), present.end(), feature) != present.end();
}

bool HeaderFeatures::Observe(const RawRecord& record, Budget& budget) {
  if (record.type != kRecordHeaderFeature) return true;
  FeatureReader in(record.body, record.order, &memory,
                   budget.Limit(Budget::kMemory) / 8);
  const uint64_t number = in.U64();
  if (!in.ok()) return false;
  const FeatureRow* row = FindFeature(number);
  // The features of a pipe end with an empty one, whose number depends on the
  // writer's version.
  const bool is_flag = row != nullptr && row->is_flag;
  if (in.left() == 0 && !is_flag) return true;
  if (number < 256) {
    // Only the first record of a feature is read: many of them would make lists
    // grow without bound.
    if (has(static_cast<uint32_t>(number))) return true;
    present.push_back(static_cast<uint32_t>(number));
  }
  if (row != nullptr && row->read != nullptr) row->read(&in, this);
  return in.ok();
}

absl::string_view FeatureName(uint32_t feature) {
  const FeatureRow* found = FindFeature(feature);
  return found == nullptr ? "" : found->name;
}

}  // namespace perf2x
