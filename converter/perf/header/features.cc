#include "converter/perf/header/features.h"

#include <algorithm>

#include "converter/base/byte_reader.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// do_write_string(): u32 length, then as many bytes, NUL padded.
std::string String(ByteReader* in) {
  return std::string(in->FixedString(in->U32()));
}

// Reads u32 nr and as many elements of at least `least` bytes each.
template <class T, class F>
void ReadList(ByteReader* in, size_t least, std::vector<T>* out, F read) {
  const uint64_t nr = in->Count(in->U32(), least);
  for (uint64_t i = 0; i < nr && in->ok(); ++i) {
    T element = read();
    if (in->ok()) out->push_back(std::move(element));
  }
}

std::vector<std::string> StringList(ByteReader* in) {
  std::vector<std::string> out;
  ReadList(in, 4, &out, [&] { return String(in); });
  return out;
}

StringPairs PairList(ByteReader* in) {
  StringPairs out;
  ReadList(in, 8, &out, [&] {
    std::string first = String(in);
    return std::pair(std::move(first), String(in));
  });
  return out;
}

// write_cpu_topology(). Before perf 4.0 only the lists, before 5.2 no dies.
void ReadCpuTopology(ByteReader* in, uint32_t nr_cpus, CpuTopology* topology) {
  topology->sockets = StringList(in);
  topology->cores = StringList(in);
  if (!in->ok() || in->left() == 0 || nr_cpus == 0) return;
  nr_cpus = static_cast<uint32_t>(in->Count(nr_cpus, 8));
  for (uint32_t i = 0; i < nr_cpus; ++i) {
    CpuTopology::Cpu cpu;
    cpu.core = in->U32();
    cpu.socket = in->U32();
    topology->cpus.push_back(cpu);
  }
  if (!in->ok() || in->left() == 0) return;
  topology->dies = StringList(in);
  if (in->Count(nr_cpus, 4) == 0) return;
  for (CpuTopology::Cpu& cpu : topology->cpus) cpu.die = in->U32();
}

// write_numa_topology()
void ReadNumaNodes(ByteReader* in, std::vector<NumaNode>* nodes) {
  ReadList(in, 4 + 8 + 8 + 4, nodes, [&] {
    NumaNode node;
    node.node = in->U32();
    node.total_kb = in->U64();
    node.free_kb = in->U64();
    node.cpus = String(in);
    return node;
  });
}

// write_group_desc()
void ReadGroups(ByteReader* in, std::vector<EventGroup>* groups) {
  ReadList(in, 12, groups, [&] {
    EventGroup group;
    group.name = String(in);
    group.leader = in->U32();
    group.members = in->U32();
    return group;
  });
}

// write_cache()
void ReadCaches(ByteReader* in, std::vector<CpuCache>* caches) {
  if (in->U32() != 1) return;  // a version that is not known
  ReadList(in, 7 * 4, caches, [&] {
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

// write_mem_topology()
MemoryTopology ReadMemoryTopology(ByteReader* in) {
  MemoryTopology topology;
  topology.block_size = in->U64();
  const uint64_t nr = in->Count(in->U64(), 3 * 8);
  for (uint64_t i = 0; i < nr && in->ok(); ++i) {
    MemoryTopology::Node node;
    node.node = in->U64();
    in->Skip(8);  // blocks in the node
    node.bits = in->U64();
    const WordSpan words = in->Words(node.bits / 64 + (node.bits % 64 != 0));
    if (!in->ok()) break;
    for (size_t w = 0; w < words.size(); ++w) node.blocks.push_back(words[w]);
    topology.nodes.push_back(std::move(node));
  }
  return topology;
}

// write_pmu_caps()
void ReadPmuCaps(ByteReader* in, std::vector<PmuCaps>* out) {
  ReadList(in, 8, out, [&] {
    PmuCaps caps;
    caps.caps = PairList(in);
    caps.pmu = String(in);
    return caps;
  });
}

// write_cpu_domain_info()
CpuDomains ReadCpuDomains(ByteReader* in) {
  CpuDomains out;
  out.schedstat_version = in->U32();
  out.max_domains = in->U32();
  while (in->ok() && in->left() > 0) {
    CpuDomains::Cpu cpu;
    cpu.cpu = in->U32();
    ReadList(in, 12, &cpu.domains, [&] {
      CpuDomains::Domain domain;
      domain.domain = in->U32();
      if (out.schedstat_version >= 17) domain.name = String(in);
      domain.cpu_mask = String(in);
      domain.cpu_list = String(in);
      return domain;
    });
    if (in->ok()) out.cpus.push_back(std::move(cpu));
  }
  return out;
}

CompressionInfo ReadCompression(ByteReader* in) {
  CompressionInfo info;
  for (uint32_t* field :
       {&info.version, &info.type, &info.level, &info.ratio, &info.mmap_len}) {
    *field = in->U32();
  }
  return info;
}

// MetaInfoFeature: {key NUL value NUL}*.
StringPairs ReadMeta(ByteReader* in) {
  StringPairs out;
  while (in->ok() && in->left() > 0) {
    const absl::string_view key = in->CString();
    const absl::string_view value = in->CString();
    if (in->ok()) out.emplace_back(std::string(key), std::string(value));
  }
  return out;
}

// Stores what was read only when all of it was there.
template <class T, class V>
void Keep(const ByteReader& in, V&& value, T* to) {
  if (in.ok()) *to = std::forward<V>(value);
}

}  // namespace

bool HeaderFeatures::has(uint32_t feature) const {
  return std::find(present.begin(), present.end(), feature) != present.end();
}

bool HeaderFeatures::Observe(const RawRecord& record) {
  if (record.type != kRecordHeaderFeature) return true;
  ByteReader in(record.body, record.order);
  const uint64_t feature = in.U64();
  if (!in.ok()) return false;
  // Pipes end their features with one that holds nothing, of a number that
  // depends on the writer's version.
  const bool flag = feature == kFeatureBranchStack || feature == kFeatureStat;
  if (in.left() == 0 && !flag) return true;
  if (feature < 256) {
    // The first of its number counts: many would add to lists without end.
    if (has(static_cast<uint32_t>(feature))) return true;
    present.push_back(static_cast<uint32_t>(feature));
  }
  switch (feature) {
    case kFeatureHostname:
      hostname = String(&in);
      break;
    case kFeatureOsRelease:
      os_release = String(&in);
      break;
    case kFeatureVersion:
      perf_version = String(&in);
      break;
    case kFeatureArch:
      arch = String(&in);
      break;
    case kFeatureNrCpus:
      cpus_available = in.U32();
      cpus_online = in.U32();
      break;
    case kFeatureCpuDesc:
      cpu_description = String(&in);
      break;
    case kFeatureCpuId:
      cpu_id = String(&in);
      break;
    case kFeatureTotalMem:
      Keep(in, in.U64(), &memory_kb);
      break;
    case kFeatureCmdline: {
      const ByteReader start = in;
      command_line = StringList(&in);
      if (in.ok()) break;
      in = start;  // hiperf writes one string
      command_line = {String(&in)};
      break;
    }
    case kFeatureCpuTopology:
      ReadCpuTopology(&in, cpus_available.value_or(0), &cpu_topology);
      break;
    case kFeatureNumaTopology:
      ReadNumaNodes(&in, &numa_nodes);
      break;
    case kFeaturePmuMappings:
      ReadList(&in, 8, &pmus, [&] {
        const uint32_t type = in.U32();
        return std::pair(type, String(&in));
      });
      break;
    case kFeatureGroupDesc:
      ReadGroups(&in, &groups);
      break;
    case kFeatureAuxtrace: {
      // simpleperf writes no count (WriteAuxTraceFeature() in its
      // record_file_writer.cpp).
      const uint64_t count =
          in.left() % 16 == 0 ? in.left() / 16 : in.Count(in.U64(), 16);
      const WordSpan words = in.Words(2 * count);
      for (size_t i = 0; i < words.size(); i += 2) {
        auxtrace_index.emplace_back(words[i], words[i + 1]);
      }
      break;
    }
    case kFeatureCache:
      ReadCaches(&in, &caches);
      break;
    case kFeatureSampleTime: {
      const uint64_t first = in.U64();
      const uint64_t last = in.U64();
      Keep(in, std::pair(first, last), &sample_time);
      break;
    }
    case kFeatureMemTopology:
      if (in.U64() == 1) memory_topology = ReadMemoryTopology(&in);
      break;
    case kFeatureClockId:
      clock_resolution_ns = in.U64();
      break;
    case kFeatureDirFormat:
      directory_version = in.U64();
      break;
    case kFeatureBpfProgInfo:
      return ReadBpfPrograms(&in, &bpf_programs);
    case kFeatureBpfBtf:
      return ReadBpfTypes(&in, &bpf_types);
    case kFeatureCompressed: {
      CompressionInfo info = ReadCompression(&in);
      Keep(in, info, &compression);
      break;
    }
    case kFeatureCpuPmuCaps: {
      StringPairs caps = PairList(&in);
      if (!caps.empty()) pmu_caps.push_back({"cpu", std::move(caps)});
      break;
    }
    case kFeatureClockData: {
      in.Skip(4);  // version
      ClockData data;
      data.clockid = in.U32();
      data.wall_ns = in.U64();
      data.clock_ns = in.U64();
      Keep(in, data, &clock_data);
      break;
    }
    case kFeatureHybridTopology:
      hybrid_pmus = PairList(&in);
      break;
    case kFeaturePmuCaps:
      ReadPmuCaps(&in, &pmu_caps);
      break;
    case kFeatureCpuDomainInfo:
      cpu_domains = ReadCpuDomains(&in);
      break;
    case kFeatureEMachine:
      e_machine = in.U32();
      e_flags = in.U32();
      break;
    case kFeatureClnSize:
      cache_line_size = in.U32();
      break;
    case kFeatureSimpleperfMetaInfo:
      simpleperf_meta = ReadMeta(&in);
      break;
    default:
      break;
  }
  return in.ok();
}

bool ForEachSimpleperfFile(
    const RawRecord& record,
    absl::FunctionRef<void(const SimpleperfFile&)> found) {
  if (record.type != kRecordHeaderFeature) return true;
  ByteReader section(record.body, record.order);
  if (section.U64() != kFeatureSimpleperfFile) return true;
  while (section.left() > 0) {
    ByteReader in(section.Bytes(section.U32()), record.order);
    SimpleperfFile file;
    file.path = in.CString();
    file.type = in.U32();
    file.min_address = in.U64();
    const uint64_t nr = in.Count(in.U32(), 8 + 4 + 1);
    for (uint64_t i = 0; i < nr && in.ok(); ++i) {
      SimpleperfFile::Symbol symbol;
      symbol.address = in.U64();
      symbol.size = in.U32();
      symbol.name = in.CString();
      if (in.ok()) file.symbols.push_back(symbol);
    }
    if (file.type == SimpleperfFile::kDex) {
      const WordSpan offsets = in.Words(in.U32());
      for (size_t i = 0; i < offsets.size(); ++i) {
        file.dex_offsets.push_back(offsets[i]);
      }
    }
    if (!in.ok() || !section.ok()) return false;
    // Added later, for ELF files.
    if (in.left() >= 8) file.min_address_offset = in.U64();
    found(file);
  }
  return section.ok();
}

absl::string_view FeatureName(uint32_t feature) {
  static constexpr absl::string_view kNames[] = {"",
                                                 "TRACING_DATA",
                                                 "BUILD_ID",
                                                 "HOSTNAME",
                                                 "OSRELEASE",
                                                 "VERSION",
                                                 "ARCH",
                                                 "NRCPUS",
                                                 "CPUDESC",
                                                 "CPUID",
                                                 "TOTAL_MEM",
                                                 "CMDLINE",
                                                 "EVENT_DESC",
                                                 "CPU_TOPOLOGY",
                                                 "NUMA_TOPOLOGY",
                                                 "BRANCH_STACK",
                                                 "PMU_MAPPINGS",
                                                 "GROUP_DESC",
                                                 "AUXTRACE",
                                                 "STAT",
                                                 "CACHE",
                                                 "SAMPLE_TIME",
                                                 "MEM_TOPOLOGY",
                                                 "CLOCKID",
                                                 "DIR_FORMAT",
                                                 "BPF_PROG_INFO",
                                                 "BPF_BTF",
                                                 "COMPRESSED",
                                                 "CPU_PMU_CAPS",
                                                 "CLOCK_DATA",
                                                 "HYBRID_TOPOLOGY",
                                                 "PMU_CAPS",
                                                 "CPU_DOMAIN_INFO",
                                                 "E_MACHINE",
                                                 "CLN_SIZE"};
  if (feature < std::size(kNames)) return kNames[feature];
  if (feature == kFeatureSimpleperfFile) return "SIMPLEPERF_FILE";
  if (feature == kFeatureSimpleperfMetaInfo) return "SIMPLEPERF_META_INFO";
  // FEAT_* of simpleperf's record_file.h; they are listed, not read.
  if (feature == 130) return "SIMPLEPERF_DEBUG_UNWIND";
  if (feature == 131) return "SIMPLEPERF_DEBUG_UNWIND_FILE";
  if (feature == 132) return "SIMPLEPERF_FILE2";
  return "";
}

}  // namespace perf2x
