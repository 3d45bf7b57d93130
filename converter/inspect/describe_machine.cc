// SPDX-License-Identifier: Apache-2.0
// The recorded machine, for `perf2x info`.

#include "converter/inspect/describe.h"

namespace perf2x {
namespace {

InfoValue Topology(const CpuTopology& topology) {
  InfoValue out;
  if (topology.sockets.empty() && topology.cores.empty()) return out;
  out["sockets"] = ListOf(topology.sockets);
  if (!topology.dies.empty()) out["dies"] = ListOf(topology.dies);
  out["cores"] = ListOf(topology.cores);
  uint64_t i = 0;
  AddList(topology.cpus, "cpus", &out, [&](const CpuTopology::Cpu& cpu) {
    InfoValue v;
    v["cpu"] = i++;
    v["core"] = cpu.core;
    AddOptional(cpu.die, "die", &v);
    v["socket"] = cpu.socket;
    return v;
  });
  return out;
}

// "0-23,32-199" for a bitmap.
std::string BitRanges(const std::vector<uint64_t>& words, uint64_t bits) {
  std::string out;
  auto bit = [&](uint64_t i) { return (words[i / 64] >> (i % 64)) & 1; };
  for (uint64_t i = 0; i < bits; ++i) {
    if (!bit(i)) continue;
    const uint64_t first = i;
    while (i + 1 < bits && bit(i + 1)) ++i;
    absl::StrAppend(&out, out.empty() ? "" : ",", first);
    if (i > first) absl::StrAppend(&out, "-", i);
  }
  return out;
}

void AddMemory(const MemoryTopology& topology, InfoValue* out) {
  InfoValue& memory = (*out)["memory"];
  memory["block_size"] = topology.block_size;
  AddList(topology.nodes, "nodes", &memory, [](const MemoryTopology::Node& n) {
    InfoValue v;
    v["node"] = n.node;
    v["blocks"] = BitRanges(n.blocks, n.bits);
    return v;
  });
}

void AddScheduler(const CpuDomains& topology, InfoValue* out) {
  InfoValue& sched = (*out)["scheduler"];
  sched["schedstat_version"] = topology.schedstat_version;
  sched["max_domains"] = topology.max_domains;
  InfoValue::List domains;
  for (const CpuDomains::Cpu& cpu : topology.cpus) {
    for (const CpuDomains::Domain& d : cpu.domains) {
      InfoValue v;
      v["cpu"] = cpu.cpu;
      v["domain"] = d.domain;
      AddText(d.name, "name", &v);
      v["cpu_mask"] = d.cpu_mask;
      v["cpu_list"] = d.cpu_list;
      domains.push_back(std::move(v));
    }
  }
  if (!domains.empty()) sched["domains"] = std::move(domains);
}

}  // namespace

InfoValue DescribeHost(const HeaderFeatures& f) {
  InfoValue out;
  AddText(f.hostname, "name", &out);
  AddText(f.os_release, "os_release", &out);
  AddText(f.arch, "arch", &out);
  AddText(f.cpu_description, "cpu", &out);
  AddText(f.cpu_id, "cpu_id", &out);
  AddOptional(f.cpus_online, "cpus_online", &out);
  AddOptional(f.cpus_available, "cpus_available", &out);
  AddOptional(f.memory_kb, "memory_kb", &out);
  AddOptional(f.e_machine, "e_machine", &out);
  AddOptional(f.e_flags, "e_flags", &out);
  AddOptional(f.cache_line_size, "cache_line_size", &out);
  return out;
}

InfoValue DescribeMachine(const HeaderFeatures& f) {
  InfoValue out;
  InfoValue topology = Topology(f.cpu_topology);
  if (!topology.object()->empty()) out["topology"] = std::move(topology);
  AddList(f.numa_nodes, "numa_nodes", &out, [](const NumaNode& n) {
    InfoValue v;
    v["node"] = n.node;
    v["total_kb"] = n.total_kb;
    v["free_kb"] = n.free_kb;
    v["cpus"] = n.cpus;
    return v;
  });
  AddList(f.caches, "caches", &out, [](const CpuCache& c) {
    InfoValue v;
    v["level"] = c.level;
    v["type"] = c.type;
    v["size"] = c.size;
    v["cpus"] = c.cpus;
    v["line_size"] = c.line_size;
    v["sets"] = c.sets;
    v["ways"] = c.ways;
    return v;
  });
  if (f.memory_topology) AddMemory(*f.memory_topology, &out);
  AddList(f.hybrid_pmus, "hybrid", &out, [](const auto& pair) {
    InfoValue v;
    v["pmu"] = pair.first;
    v["cpus"] = pair.second;
    return v;
  });
  AddList(f.pmus, "pmus", &out, [](const auto& pmu) {
    InfoValue v;
    v["name"] = pmu.second;
    v["type"] = pmu.first;
    return v;
  });
  AddList(f.pmu_caps, "pmu_capabilities", &out, [](const PmuCaps& caps) {
    InfoValue v;
    v["pmu"] = caps.pmu;
    v["capabilities"] = ObjectOf(caps.caps);
    return v;
  });
  if (f.cpu_domains) AddScheduler(*f.cpu_domains, &out);
  return out;
}

}  // namespace perf2x
