// SPDX-License-Identifier: Apache-2.0

// Each header feature as its write_*() in tools/perf/util/header.c puts it
// down, behind the feature's number in a HEADER_FEATURE record.

#include "converter/perf/header/features.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"
#include "tests/perf/header/check_feature.h"

namespace perf2x {
namespace {

// do_write_string(): the length counts the padding.
TEST(FeaturesTest, Strings) {
  constexpr char kText[] = "00000008 \"box\" 0*4";  // len, bytes
  CheckFeature(kFeatureHostname, kText,
               [](const auto& f) { EXPECT_EQ(f.hostname, "box"); });
  CheckFeature(kFeatureOsRelease, kText,
               [](const auto& f) { EXPECT_EQ(f.os_release, "box"); });
  CheckFeature(kFeatureVersion, kText,
               [](const auto& f) { EXPECT_EQ(f.perf_version, "box"); });
  CheckFeature(kFeatureArch, kText,
               [](const auto& f) { EXPECT_EQ(f.arch, "box"); });
  CheckFeature(kFeatureCpuDesc, kText,
               [](const auto& f) { EXPECT_EQ(f.cpu_description, "box"); });
  CheckFeature(kFeatureCpuId, kText,
               [](const auto& f) { EXPECT_EQ(f.cpu_id, "box"); });
}

TEST(FeaturesTest, NrCpus) {
  CheckFeature(kFeatureNrCpus,
               "00000008 "  // available
               "00000006",  // online
               [](const auto& f) {
                 EXPECT_EQ(f.cpus_available, 8u);
                 EXPECT_EQ(f.cpus_online, 6u);
               });
}

// A number that is cut off is absent: 0 CPUs would be a claim.
TEST(FeaturesTest, NumbersThatAreCutOffAreAbsent) {
  HeaderFeatures features;
  EXPECT_FALSE(features.Observe(
      FeatureRecord(
          ByteOrder::kLittle,
          FeatureBody(ByteOrder::kLittle, kFeatureNrCpus, "00000008 0000")),
      Budget::Unlimited()));
  EXPECT_EQ(features.cpus_available, 8u);
  EXPECT_FALSE(features.cpus_online.has_value());
  EXPECT_FALSE(features.Observe(
      FeatureRecord(
          ByteOrder::kLittle,
          FeatureBody(ByteOrder::kLittle, kFeatureClockId, "00000001")),
      Budget::Unlimited()));
  EXPECT_FALSE(features.clock_resolution_ns.has_value());
}

// "info" lists features by the names of perf's HEADER_*; gaps have none.
TEST(FeaturesTest, NamesOfNumbers) {
  EXPECT_EQ(FeatureName(kFeatureHostname), "HOSTNAME");
  EXPECT_EQ(FeatureName(kFeatureClnSize), "CLN_SIZE");
  EXPECT_EQ(FeatureName(132), "SIMPLEPERF_FILE2");
  EXPECT_EQ(FeatureName(133), "SIMPLEPERF_ETM_BRANCH_LIST");
  EXPECT_EQ(FeatureName(134), "SIMPLEPERF_INIT_MAP");
  for (const uint32_t none : {0u, 35u, 127u, 135u}) {
    EXPECT_EQ(FeatureName(none), "") << none;
  }
}

TEST(FeaturesTest, TotalMem) {
  CheckFeature(kFeatureTotalMem, "0000000100000000",  // kB
               [](const auto& f) { EXPECT_EQ(f.memory_kb, 1ull << 32); });
}

TEST(FeaturesTest, Cmdline) {
  CheckFeature(
      kFeatureCmdline,
      "00000002 "             // nr
      "00000005 \"perf\" "    // argv[0]
      "00000007 \"record\"",  // argv[1]
      [](const auto& f) {
        EXPECT_EQ(f.command_line, (std::vector<std::string>{"perf", "record"}));
      });
}

// Returns the words of a CMDLINE feature that ends early.
std::vector<std::string> WordsOfCut(absl::string_view payload) {
  HeaderFeatures features;
  EXPECT_FALSE(features.Observe(
      FeatureRecord(ByteOrder::kLittle,
                    FeatureBody(ByteOrder::kLittle, kFeatureCmdline, payload)),
      Budget::Unlimited()));
  return features.command_line;
}

TEST(FeaturesTest, TheWordsOfACmdlineThatIsCut) {
  using Words = std::vector<std::string>;
  const std::string perf = "00000008 \"perf\" 0*3 ",
                    record = "00000008 \"record\" =00 ";
  const Words both = {"perf", "record"};
  EXPECT_EQ(WordsOfCut("00000003 " + perf + record), both);
  EXPECT_EQ(WordsOfCut("000003e8 " + perf + record), both);
  EXPECT_EQ(WordsOfCut("ffffffff " + perf + record), both);
  EXPECT_EQ(WordsOfCut("00000002 " + perf + "00000008 'rec'"), Words{"perf"});
  EXPECT_EQ(WordsOfCut("00000040 " + perf), Words{"perf"});
  EXPECT_EQ(WordsOfCut("00000040 'hiperf record'"), Words{});
}

// hiperf writes one string, whose length is that of what follows.
TEST(FeaturesTest, ACmdlineOfOneString) {
  CheckFeature(
      kFeatureCmdline, "0000000e \"hiperf record\"", [](const auto& f) {
        EXPECT_EQ(f.command_line, std::vector<std::string>{"hiperf record"});
      });
}

// Of every list, the elements before the end are kept.
TEST(FeaturesTest, AListWithTooHighACount) {
  HeaderFeatures features;
  EXPECT_FALSE(features.Observe(
      FeatureRecord(ByteOrder::kLittle,
                    FeatureBody(ByteOrder::kLittle, kFeaturePmuMappings,
                                "00000003 00000004 00000004 \"cpu\"")),
      Budget::Unlimited()));
  ASSERT_EQ(features.pmus.size(), 1u);
  EXPECT_EQ(features.pmus[0].second, "cpu");
}

TEST(FeaturesTest, CpuTopologyOfEachAge) {
  HeaderFeatures two_cpus;
  two_cpus.cpus_available = 2;
  const std::string lists =
      "00000001 "          // number of sockets
      "00000004 \"0-1\" "  // their CPUs
      "00000002 "          // number of cores
      "00000002 \"0\" "    // their CPUs
      "00000002 \"1\" ";
  const std::string cores =
      "00000000 00000000 "   // CPU 0: core_id, socket_id
      "00000005 00000000 ";  // CPU 1
  const std::string dies =
      "00000001 "          // number of dies
      "00000004 \"0-1\" "  // their CPUs
      "00000000 "          // CPU 0: die_id
      "00000003";          // CPU 1
  auto check_lists = [](const HeaderFeatures& f) {
    EXPECT_EQ(f.cpu_topology.sockets, std::vector<std::string>{"0-1"});
    EXPECT_EQ(f.cpu_topology.cores, (std::vector<std::string>{"0", "1"}));
  };
  CheckFeature(
      kFeatureCpuTopology, lists,
      [&](const auto& f) {
        check_lists(f);
        EXPECT_TRUE(f.cpu_topology.cpus.empty());
      },
      two_cpus);
  CheckFeature(
      kFeatureCpuTopology, lists + cores,
      [&](const auto& f) {
        check_lists(f);
        ASSERT_EQ(f.cpu_topology.cpus.size(), 2u);
        EXPECT_EQ(f.cpu_topology.cpus[1].core, 5u);
        EXPECT_FALSE(f.cpu_topology.cpus[1].die.has_value());
      },
      two_cpus);
  CheckFeature(
      kFeatureCpuTopology, lists + cores + dies,
      [&](const auto& f) {
        check_lists(f);
        EXPECT_EQ(f.cpu_topology.dies, std::vector<std::string>{"0-1"});
        EXPECT_EQ(f.cpu_topology.cpus[1].die, 3u);
      },
      two_cpus);
}

TEST(FeaturesTest, NumaTopology) {
  CheckFeature(kFeatureNumaTopology,
               "00000001 "          // nr
               "00000002 "          // node
               "0000000000000400 "  // mem_total
               "0000000000000200 "  // mem_free
               "00000004 \"0-1\"",  // cpus
               [](const auto& f) {
                 ASSERT_EQ(f.numa_nodes.size(), 1u);
                 EXPECT_EQ(f.numa_nodes[0].node, 2u);
                 EXPECT_EQ(f.numa_nodes[0].total_kb, 1024u);
                 EXPECT_EQ(f.numa_nodes[0].free_kb, 512u);
                 EXPECT_EQ(f.numa_nodes[0].cpus, "0-1");
               });
}

TEST(FeaturesTest, FlagsHoldNothing) {
  CheckFeature(kFeatureBranchStack, "", [](const auto&) {});
  CheckFeature(kFeatureStat, "", [](const auto&) {});
}

TEST(FeaturesTest, PmuMappings) {
  CheckFeature(kFeaturePmuMappings,
               "00000001 "          // nr
               "00000004 "          // type
               "00000004 \"cpu\"",  // name
               [](const auto& f) {
                 ASSERT_EQ(f.pmus.size(), 1u);
                 EXPECT_EQ(f.pmus[0].first, 4u);
                 EXPECT_EQ(f.pmus[0].second, "cpu");
               });
}

TEST(FeaturesTest, GroupDesc) {
  CheckFeature(kFeatureGroupDesc,
               "00000001 "                   // nr
               "0000000d \"{anon_group}\" "  // name
               "00000002 "                   // leader_idx
               "00000003",                   // nr_members
               [](const auto& f) {
                 ASSERT_EQ(f.groups.size(), 1u);
                 EXPECT_EQ(f.groups[0].name, "{anon_group}");
                 EXPECT_EQ(f.groups[0].leader, 2u);
                 EXPECT_EQ(f.groups[0].members, 3u);
               });
}

TEST(FeaturesTest, Auxtrace) {
  CheckFeature(kFeatureAuxtrace,
               "0000000000000001 "  // nr
               "0000000000001000 "  // file_offset
               "0000000000000200",  // sz
               [](const auto& f) {
                 ASSERT_EQ(f.auxtrace_index.size(), 1u);
                 EXPECT_EQ(f.auxtrace_index[0].first, 0x1000u);
                 EXPECT_EQ(f.auxtrace_index[0].second, 0x200u);
               });
}

TEST(FeaturesTest, Cache) {
  CheckFeature(kFeatureCache,
               "00000001 "              // version
               "00000001 "              // cnt
               "00000002 "              // level
               "00000040 "              // line_size
               "00000400 "              // sets
               "00000008 "              // ways
               "00000008 \"Unified\" "  // type
               "00000006 \"1024K\" "    // size
               "00000004 \"0-1\"",      // map
               [](const auto& f) {
                 ASSERT_EQ(f.caches.size(), 1u);
                 EXPECT_EQ(f.caches[0].level, 2u);
                 EXPECT_EQ(f.caches[0].line_size, 64u);
                 EXPECT_EQ(f.caches[0].sets, 1024u);
                 EXPECT_EQ(f.caches[0].ways, 8u);
                 EXPECT_EQ(f.caches[0].type, "Unified");
                 EXPECT_EQ(f.caches[0].size, "1024K");
                 EXPECT_EQ(f.caches[0].cpus, "0-1");
               });
}

TEST(FeaturesTest, SampleTime) {
  CheckFeature(kFeatureSampleTime,
               "0000000000000007 "  // first
               "0000000000000009",  // last
               [](const auto& f) {
                 EXPECT_EQ(f.sample_time,
                           (std::pair<uint64_t, uint64_t>(7, 9)));
               });
}

TEST(FeaturesTest, MemTopology) {
  CheckFeature(
      kFeatureMemTopology,
      "0000000000000001 "  // version
      "0000000008000000 "  // block_size
      "0000000000000001 "  // nr
      "0000000000000002 "  // node
      "0000000000000003 "  // size
      "0000000000000041 "  // bits: 65
      "8000000000000001 "  // bitmap
      "0000000000000001",
      [](const auto& f) {
        ASSERT_TRUE(f.memory_topology.has_value());
        EXPECT_EQ(f.memory_topology->block_size, 128u << 20);
        ASSERT_EQ(f.memory_topology->nodes.size(), 1u);
        const auto& node = f.memory_topology->nodes[0];
        EXPECT_EQ(node.node, 2u);
        EXPECT_EQ(node.bits, 65u);
        EXPECT_EQ(node.blocks, (std::vector<uint64_t>{0x8000000000000001, 1}));
      });
}

TEST(FeaturesTest, ClockIdAndDirFormat) {
  CheckFeature(kFeatureClockId, "0000000000000001",  // clockid_res_ns
               [](const auto& f) { EXPECT_EQ(f.clock_resolution_ns, 1u); });
  CheckFeature(kFeatureDirFormat, "0000000000000001",  // version
               [](const auto& f) { EXPECT_EQ(f.directory_version, 1u); });
}

TEST(FeaturesTest, Compressed) {
  CheckFeature(kFeatureCompressed,
               "00000001 "  // version
               "00000001 "  // type: zstd
               "00000003 "  // level
               "00000005 "  // ratio
               "00081000",  // mmap_len
               [](const auto& f) {
                 ASSERT_TRUE(f.compression.has_value());
                 EXPECT_EQ(f.compression->type, 1u);
                 EXPECT_EQ(f.compression->level, 3u);
                 EXPECT_EQ(f.compression->ratio, 5u);
                 EXPECT_EQ(f.compression->mmap_len, 0x81000u);
               });
}

TEST(FeaturesTest, PmuCapabilities) {
  const std::string caps =
      "00000001 "                  // nr_caps
      "0000000c \"max_precise\" "  // name
      "00000002 \"3\" ";           // value
  auto check = [](const char* pmu) {
    return [pmu](const HeaderFeatures& f) {
      ASSERT_EQ(f.pmu_caps.size(), 1u);
      EXPECT_EQ(f.pmu_caps[0].pmu, pmu);
      EXPECT_EQ(f.pmu_caps[0].caps, (StringPairs{{"max_precise", "3"}}));
    };
  };
  CheckFeature(kFeatureCpuPmuCaps, caps, check("cpu"));
  CheckFeature(kFeaturePmuCaps,
               absl::StrCat("00000001 ",  // nr_pmu
                            caps,
                            "00000009 \"cpu_atom\""),  // pmu_name
               check("cpu_atom"));
}

TEST(FeaturesTest, ClockData) {
  CheckFeature(kFeatureClockData,
               "00000001 "          // version
               "00000004 "          // clockid
               "0000000000000007 "  // wall clock ns
               "0000000000000009",  // clockid time ns
               [](const auto& f) {
                 ASSERT_TRUE(f.clock_data.has_value());
                 EXPECT_EQ(f.clock_data->clockid, 4u);
                 EXPECT_EQ(f.clock_data->wall_ns, 7u);
                 EXPECT_EQ(f.clock_data->clock_ns, 9u);
               });
}

TEST(FeaturesTest, HybridTopology) {
  CheckFeature(kFeatureHybridTopology,
               "00000001 "               // nr
               "00000009 \"cpu_core\" "  // pmu_name
               "00000004 \"0-3\"",       // cpus
               [](const auto& f) {
                 EXPECT_EQ(f.hybrid_pmus, (StringPairs{{"cpu_core", "0-3"}}));
               });
}

TEST(FeaturesTest, CpuDomainInfoOfEachVersion) {
  for (const bool named : {false, true}) {
    CheckFeature(kFeatureCpuDomainInfo,
                 absl::StrCat(named ? "00000011 " : "0000000f ",  // version
                              "00000001 "   // max_sched_domains
                              "00000002 "   // cpu
                              "00000001 "   // nr_domains
                              "00000000 ",  // domain
                              named ? "00000004 \"SMT\" " : "",  // name
                              "00000002 \"3\" "                  // cpumask
                              "00000004 \"0-1\""),               // cpulist
                 [&](const auto& f) {
                   ASSERT_TRUE(f.cpu_domains.has_value());
                   EXPECT_EQ(f.cpu_domains->max_domains, 1u);
                   ASSERT_EQ(f.cpu_domains->cpus.size(), 1u);
                   EXPECT_EQ(f.cpu_domains->cpus[0].cpu, 2u);
                   const auto& domain = f.cpu_domains->cpus[0].domains.at(0);
                   EXPECT_EQ(domain.name, named ? "SMT" : "");
                   EXPECT_EQ(domain.cpu_mask, "3");
                   EXPECT_EQ(domain.cpu_list, "0-1");
                 });
  }
}

TEST(FeaturesTest, EMachineAndClnSize) {
  CheckFeature(kFeatureEMachine,
               "0000003e "  // e_machine
               "00000005",  // e_flags
               [](const auto& f) {
                 EXPECT_EQ(f.e_machine, 62u);
                 EXPECT_EQ(f.e_flags, 5u);
               });
  CheckFeature(kFeatureClnSize, "00000040",  // bytes
               [](const auto& f) { EXPECT_EQ(f.cache_line_size, 64u); });
}

// Pipes end their features with an empty one of a number of the writer's.
TEST(FeaturesTest, EndMarkerIsNoFeature) {
  const std::vector<uint8_t> body = FeatureBody(ByteOrder::kLittle, 32, "");
  HeaderFeatures features;
  EXPECT_TRUE(features.Observe(FeatureRecord(ByteOrder::kLittle, body),
                               Budget::Unlimited()));
  EXPECT_TRUE(features.present.empty());
  EXPECT_FALSE(features.cpu_domains.has_value());
}

}  // namespace
}  // namespace perf2x
