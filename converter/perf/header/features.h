// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_FEATURES_H_
#define PERF2X_PERF_HEADER_FEATURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/byte_order.h"
#include "converter/perf/header/bpf_features.h"
#include "converter/perf/header/build_ids.h"
#include "converter/perf/header/machine_name.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// Names and their values.
using StringPairs = std::vector<std::pair<std::string, std::string>>;

// The CPUs that share a socket, a die or a core, as lists like "0-3,8".
struct CpuTopology {
  // Where one CPU is.
  struct Cpu {
    uint32_t core = 0, socket = 0;
    std::optional<uint32_t> die;
  };
  // Each element is a list of the CPUs that share a socket, a die or a core.
  std::vector<std::string> sockets, dies, cores;
  // By CPU number. Empty in recordings of perf before 4.0, and if no NRCPUS
  // feature precedes CPU_TOPOLOGY.
  std::vector<Cpu> cpus;
};
// A node of memory and its CPUs.
struct NumaNode {
  uint32_t node = 0;
  uint64_t total_kb = 0, free_kb = 0;
  std::string cpus;  // a list like "0-3,8"
};
// A group of events that were counted together.
struct EventGroup {
  std::string name;                  // "{anon_group}" when it has none
  uint32_t leader = 0, members = 0;  // leader's event index, number of members
};
// A cache of the processor.
struct CpuCache {
  uint32_t level = 0, line_size = 0, sets = 0, ways = 0;  // line_size in bytes
  std::string type, size, cpus;  // as in "Data", "32K", "0-3"
};
// The blocks of memory that each NUMA node has.
struct MemoryTopology {
  struct Node {
    uint64_t node = 0, bits = 0;
    std::vector<uint64_t> blocks;  // a bitmap of `bits` bits, lowest first
  };
  uint64_t block_size = 0;  // in bytes
  std::vector<Node> nodes;
};
// How the records of the data section were compressed.
struct CompressionInfo {
  uint32_t version = 0, type = 0, level = 0, ratio = 0, mmap_len = 0;
};
// The wall clock and the recording's clock, read at the same moment.
struct ClockData {
  uint32_t clockid = 0;
  uint64_t wall_ns = 0, clock_ns = 0;
};
// The capabilities of one PMU, as pairs like {"max_precise", "3"}.
struct PmuCaps {
  std::string pmu;
  StringPairs caps;
};
// The scheduler's domains of each CPU, smallest first.
struct CpuDomains {
  struct Domain {
    uint32_t domain = 0;
    std::string name, cpu_mask, cpu_list;  // `name` since schedstat 17
  };
  struct Cpu {
    uint32_t cpu = 0;
    std::vector<Domain> domains;
  };
  uint32_t schedstat_version = 0, max_domains = 0;
  std::vector<Cpu> cpus;
};

// The header features of a recording, which describe where and how it was made.
// The fields of absent features stay empty. Layouts: the write_*() and
// process_*() functions of tools/perf/util/header.c. Not decoded here:
// TRACING_DATA (see TracepointFormats), EVENT_DESC (AttrTable), BUILD_ID
// (ForEachBuildId()), and simpleperf's and hiperf's lists of files
// (ForEachRecordedFile()).
struct HeaderFeatures {
  // The distinct numbers of the recording's features, below 256, in order of
  // appearance. Empty features are omitted unless they are flags.
  std::vector<uint32_t> present;

  // Texts as perf recorded them.
  std::string hostname, os_release, perf_version, arch, cpu_description, cpu_id;
  std::optional<uint32_t> cpus_available, cpus_online;
  std::optional<uint64_t> memory_kb;
  std::vector<std::string> command_line;
  CpuTopology cpu_topology;
  std::vector<NumaNode> numa_nodes;
  std::vector<std::pair<uint32_t, std::string>> pmus;  // type, name
  std::vector<EventGroup> groups;
  std::vector<std::pair<uint64_t, uint64_t>> auxtrace_index;  // offset, size
  std::vector<CpuCache> caches;
  std::optional<std::pair<uint64_t, uint64_t>> sample_time;  // first, last; ns
  std::optional<MemoryTopology> memory_topology;
  std::optional<uint64_t> clock_resolution_ns;
  std::optional<uint64_t> directory_version;
  std::vector<BpfProgram> bpf_programs;
  std::vector<BpfBtf> bpf_types;
  std::optional<CompressionInfo> compression;
  std::optional<ClockData> clock_data;
  StringPairs hybrid_pmus;        // PMU, its CPUs
  std::vector<PmuCaps> pmu_caps;  // of PMU "cpu" and of all others
  std::optional<CpuDomains> cpu_domains;
  std::optional<uint32_t> e_machine, e_flags;  // of <elf.h>
  std::optional<uint32_t> cache_line_size;     // in bytes
  StringPairs simpleperf_meta;

  // The approximate size of all that is kept, in bytes.
  uint64_t memory = 0;

  // Returns true if `feature` is in `present`.
  bool has(uint32_t feature) const;
  // Returns the recorded machine as uname -m names it; empty if not known.
  std::string machine() const { return MachineName(arch, e_machine); }

  // Reads a HEADER_FEATURE record. Ignores other records, and all but the first
  // record of a feature. Returns false if the feature's data ends early, or if
  // `memory` would exceed an eighth of the memory limit of `budget`. The fields
  // read so far stay. The caller must count the damage. Spends nothing from
  // `budget`.
  bool Observe(const RawRecord& record, Budget& budget);
};

// Returns the name of a feature, such as "HOSTNAME" for 3; empty if it is not
// known.
absl::string_view FeatureName(uint32_t feature);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_FEATURES_H_
