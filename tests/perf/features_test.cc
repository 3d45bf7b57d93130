// Each header feature as its write_*() in tools/perf/util/header.c puts it
// down, behind the feature's number in a HEADER_FEATURE record.

#include "converter/perf/features.h"

#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "converter/perf/tracing_data.h"
#include "converter/perf/wire.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

RawRecord FeatureRecord(ByteOrder order, const std::vector<uint8_t>& body) {
  RawRecord record;
  record.type = kRecordHeaderFeature;
  record.order = order;
  record.body = body;
  return record;
}

std::vector<uint8_t> FeatureBody(ByteOrder order, uint64_t feature,
                                 absl::string_view payload) {
  std::vector<uint8_t> body(8);
  Store(feature, body.data(), order);
  const std::vector<uint8_t> rest = Wire(order, payload);
  body.insert(body.end(), rest.begin(), rest.end());
  return body;
}

using Check = std::function<void(const HeaderFeatures&)>;

// `payload` (wire.h) gives what `check` expects, in both byte orders; cut at
// any length it is seen to be damaged or, where it may end, still makes sense.
void CheckFeature(uint64_t feature, absl::string_view payload,
                  const Check& check, const HeaderFeatures& before = {}) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    SCOPED_TRACE(order == ByteOrder::kLittle ? "little-endian" : "big-endian");
    const std::vector<uint8_t> body = FeatureBody(order, feature, payload);
    HeaderFeatures features = before;
    EXPECT_TRUE(features.Observe(FeatureRecord(order, body)));
    EXPECT_TRUE(features.has(static_cast<uint32_t>(feature)));
    check(features);
    for (size_t n = 0; n < body.size(); ++n) {
      const std::vector<uint8_t> cut(body.begin(), body.begin() + n);
      HeaderFeatures less = before;
      less.Observe(FeatureRecord(order, cut));
    }
    // No count is believed: with all bits set there is never enough behind it.
    for (size_t at = 8; at + 4 <= body.size(); ++at) {
      std::vector<uint8_t> wrong = body;
      std::fill_n(wrong.begin() + at, 4, 0xff);
      HeaderFeatures any = before;
      any.Observe(FeatureRecord(order, wrong));
    }
  }
}

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

// simpleperf's has no count.
TEST(FeaturesTest, AuxtraceOfSimpleperf) {
  CheckFeature(kFeatureAuxtrace,
               "00000000000026a8 "  // file_offset
               "0000000000000030",  // size of the record
               [](const auto& f) {
                 ASSERT_EQ(f.auxtrace_index.size(), 1u);
                 EXPECT_EQ(f.auxtrace_index[0].first, 0x26a8u);
                 EXPECT_EQ(f.auxtrace_index[0].second, 0x30u);
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

TEST(FeaturesTest, BpfProgInfoNamesItsFunctionsAndLinesByBtf) {
  // struct bpf_prog_info, up to prog_tags. Offsets are into `data`.
  const std::string info =
      "0000001a 00000007 "  // type, id
      "=0011223344556677 "  // tag
      "0*48 "               // 16: to the name
      "\"prog\" 0*11 "      // 64: name
      "0*24 "               // 80: to the functions
      "00000002 00000002 "  // 104: nr_jited_ksyms, _func_lens
      "0000000000000000 "   // 112: jited_ksyms
      "0000000000000010 "   // 120: jited_func_lens
      "00000009 00000008 "  // 128: btf_id, func_info_rec_size
      "0000000000000018 "   // 136: func_info
      "00000002 "           // 144: nr_func_info
      "00000002 "           // 148: nr_line_info
      "0000000000000038 "   // 152: line_info
      "0000000000000058 "   // 160: jited_line_info
      "00000002 "           // 168: nr_jited_line_info
      "00000010 00000008 "  // 172: the sizes of their elements
      "00000002 "           // 180: nr_prog_tags
      "0000000000000028 ";  // 184: prog_tags
  const std::string data =
      "ffffffffc0001000 ffffffffc0002000 "  //  0: jited_ksyms
      "00000100 00000080 "                  // 16: jited_func_lens
      "00000000 00000001 "                  // 24: func_info: offset, type
      "00000010 00000002 "                  //     of the second function
      "=0011223344556677 "                  // 40: prog_tags
      "=8899aabbccddeeff "
      "00000010 00000006 00000000 00000c03 "  // 56: line_info: instruction,
      "00000011 00000006 00000000 00001001 "  // file, text, line << 10 | column
      "ffffffffc0002004 ffffffffc0002000";    // 88: jited_line_info
  const std::string programs = absl::StrCat(
      "00000001 "  // cnt
      "000000c0 "  // info_len: 192
      "00000068 "  // data_len: 104
      "0*8 ",      // arrays
      info, data);
  // struct btf_header, two functions, their names.
  const std::string btf =
      "eb9f 01 00 00000018 "         // magic, version, flags, hdr_len
      "00000000 0000001c "           // type_off, type_len
      "0000001c 0000000b "           // str_off, str_len
      "00000001 0c000000 00000000 "  // FUNC: name_off, info, type
      "00000006 01000000 00000000 "  // INT: an entry of four bytes more
      "00000020 "
      "=00 \"main\" \"four\" 0*0";  // strings
  const std::string types = absl::StrCat(
      "00000001 "   // cnt
      "00000009 "   // id
      "0000003f ",  // data_size
      btf);
  HeaderFeatures f;
  CheckFeature(kFeatureBpfProgInfo, programs, [&](const HeaderFeatures& got) {
    f.bpf_programs = got.bpf_programs;
    ASSERT_EQ(got.bpf_programs.size(), 1u);
    const BpfProgram& p = got.bpf_programs[0];
    EXPECT_EQ(p.id, 7u);
    EXPECT_EQ(p.btf_id, 9u);
    EXPECT_EQ(p.name, "prog");
    EXPECT_EQ(p.tag, "0011223344556677");
    ASSERT_EQ(p.functions.size(), 2u);
    EXPECT_EQ(p.functions[1].address, 0xffffffffc0002000);
    EXPECT_EQ(p.functions[1].size, 0x80u);
    EXPECT_EQ(p.functions[1].tag, "8899aabbccddeeff");
    EXPECT_EQ(p.functions[1].type_id, 2u);
  });
  CheckFeature(kFeatureBpfBtf, types, [&](const HeaderFeatures& got) {
    f.bpf_types = got.bpf_types;
    ASSERT_EQ(got.bpf_types.size(), 1u);
    EXPECT_EQ(got.bpf_types[0].id, 9u);
    EXPECT_EQ(got.bpf_types[0].names, (std::vector<std::string>{"main", ""}));
  });
  ASSERT_EQ(f.bpf_programs.size(), 1u);
  EXPECT_EQ(BpfFunctionName(f.bpf_programs[0], 0, f.bpf_types),
            "bpf_prog_0011223344556677_main");
  EXPECT_EQ(BpfFunctionName(f.bpf_programs[0], 1, f.bpf_types),
            "bpf_prog_8899aabbccddeeff_F");
  const std::vector<BpfLine> lines =
      BpfLinesAt(0xffffffffc0002000, f.bpf_programs, f.bpf_types);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].offset, 0u);
  EXPECT_EQ(lines[0].file, "four");
  EXPECT_EQ(lines[0].line, 4u);
  EXPECT_EQ(lines[1].offset, 4u);
  EXPECT_EQ(lines[1].line, 3u);
  EXPECT_TRUE(
      BpfLinesAt(0xffffffffc0001000, f.bpf_programs, f.bpf_types).empty());
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

TEST(FeaturesTest, SimpleperfMetaInfo) {
  CheckFeature(kFeatureSimpleperfMetaInfo,
               "\"timestamp\" \"5\" "           // key, value
               "\"app_package_name\" \"a.b\"",  // key, value
               [](const auto& f) {
                 EXPECT_EQ(f.simpleperf_meta,
                           (StringPairs{{"timestamp", "5"},
                                        {"app_package_name", "a.b"}}));
               });
}

TEST(FeaturesTest, SimpleperfFile) {
  const std::string elf =
      "\"/lib/a.so\" "     // path
      "00000002 "          // file_type: ELF
      "0000000000001000 "  // min_vaddr
      "00000001 "          // symbol count
      "0000000000001010 "  // vaddr
      "00000020 "          // len
      "\"main\" "          // name
      "0000000000000040";  // file_offset_of_min_vaddr
  const std::string dex =
      "\"/b.dex\" "        // path
      "00000003 "          // file_type: DEX
      "0000000000000000 "  // min_vaddr
      "00000000 "          // symbol count
      "00000001 "          // dex file count
      "0000000000000080";  // its offset
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::vector<uint8_t> body =
        FeatureBody(order, kFeatureSimpleperfFile,
                    absl::StrCat("00000033 ", elf, " 00000023 ", dex));
    int found = 0;
    EXPECT_TRUE(ForEachSimpleperfFile(
        FeatureRecord(order, body), [&](const SimpleperfFile& file) {
          if (++found == 1) {
            EXPECT_EQ(file.path, "/lib/a.so");
            EXPECT_EQ(file.min_address, 0x1000u);
            EXPECT_EQ(file.min_address_offset, 0x40u);
            ASSERT_EQ(file.symbols.size(), 1u);
            EXPECT_EQ(file.symbols[0].name, "main");
            EXPECT_EQ(file.symbols[0].size, 0x20u);
          } else {
            EXPECT_EQ(file.path, "/b.dex");
            EXPECT_EQ(file.dex_offsets, std::vector<uint64_t>{0x80});
          }
        }));
    EXPECT_EQ(found, 2);
    for (size_t n = 8; n < body.size(); ++n) {
      const std::vector<uint8_t> cut(body.begin(), body.begin() + n);
      const bool between = n == 8 || n == 8 + 4 + 0x33;
      EXPECT_EQ(ForEachSimpleperfFile(FeatureRecord(order, cut),
                                      [](const SimpleperfFile&) {}),
                between)
          << n;
    }
  }
}

// perf_record_header_build_id as it stands in a file's section: without a type.
TEST(FeaturesTest, BuildIds) {
  const std::string entries =
      "00000000 8002 0030 "                         // type, misc, size
      "ffffffff "                                   // pid
      "=000102030405060708090a0b0c0d0e0f00000000 "  // build_id
      "10 0*3 "                                     // size, reserved
      "\"/lib/a.so\" 0*2 "                          // filename
      "00000000 0002 0028 "                         // written without a size
      "00000007 "
      "=000102030405060708090a0b0c0d0e0f10111213 "
      "00 0*3 "
      "\"abc\"";
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::vector<uint8_t> body =
        FeatureBody(order, kFeatureBuildId, entries);
    std::vector<std::string> found;
    EXPECT_TRUE(
        ForEachBuildId(FeatureRecord(order, body), [&](const BuildIdEntry& e) {
          found.push_back(
              absl::StrCat(e.pid, " ", e.build_id.Hex(), " ", e.filename));
        }));
    EXPECT_EQ(found, (std::vector<std::string>{
                         "-1 000102030405060708090a0b0c0d0e0f /lib/a.so",
                         "7 000102030405060708090a0b0c0d0e0f10111213 abc"}));
  }
}

// record_data_file() in trace-event-info.c.
TEST(FeaturesTest, TracingData) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::string data = absl::StrCat(
        "=170844 'tracing' \"0.6\" ",              // magic, version
        order == ByteOrder::kBig ? "01 " : "00 ",  // big_endian
        "08 00001000 "                             // long size, page size
        "\"header_page\" 0000000000000002 'ab' "   // size, text
        "\"header_event\" 0000000000000001 'c' "   // size, text
        "00000001 0000000000000003 'def' "         // ftrace formats
        "00000002 "                                // systems
        "\"sched\" 00000001 0000000000000002 'gh' "
        "\"irq\" 00000000 "
        "00000000 00000000 0000000000000000");  // symbols, printk, cmdlines
    const std::vector<uint8_t> bytes = Wire(order, data);
    TracingDataIndex index;
    EXPECT_TRUE(ReadTracingDataIndex(bytes, &index));
    EXPECT_EQ(index.version, "0.6");
    EXPECT_EQ(index.long_size, 8u);
    EXPECT_EQ(index.page_size, 4096u);
    EXPECT_EQ(index.ftrace_events, 1u);
    ASSERT_EQ(index.systems.size(), 2u);
    EXPECT_EQ(index.systems[0].name, "sched");
    EXPECT_EQ(index.systems[0].events, 1u);
    EXPECT_EQ(index.systems[1].name, "irq");
    for (size_t n = 0; n < bytes.size(); ++n) {
      const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + n);
      TracingDataIndex less;
      ReadTracingDataIndex(cut, &less);
      EXPECT_LE(less.systems.size(), 2u);
    }
  }
}

// Pipes end their features with an empty one of a number of the writer's.
TEST(FeaturesTest, EndMarkerIsNoFeature) {
  const std::vector<uint8_t> body = FeatureBody(ByteOrder::kLittle, 32, "");
  HeaderFeatures features;
  EXPECT_TRUE(features.Observe(FeatureRecord(ByteOrder::kLittle, body)));
  EXPECT_TRUE(features.present.empty());
  EXPECT_FALSE(features.cpu_domains.has_value());
}

}  // namespace
}  // namespace perf2x
