// SPDX-License-Identifier: Apache-2.0

// Each record of perf itself as its writer puts it down: struct perf_record_*
// in tools/lib/perf/include/perf/event.h.

#include "converter/perf/records/user_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/record_check.h"

namespace perf2x {
namespace {

TEST(UserRecordsTest, HeaderAttr) {
  CheckRecord<HeaderAttrRecord>(
      "00000001 "          // attr.type: software
      "00000040 "          // attr.size: 64
      "0*56 "              // the rest of the attr
      "0000000000000011 "  // id
      "0000000000000012",  // id
      absl::StrCat("type=1 size=64 attr=", std::string(112, '0'),
                   " ids=[0x11 0x12]"));
}

TEST(UserRecordsTest, HeaderEventType) {
  CheckRecord<HeaderEventTypeRecord>(
      "0000000000000003 "       // event_id
      "\"cache-misses\" 0*51",  // name, in 64 bytes
      "event_id=0x3 name=cache-misses");
  // As perf writes it to a pipe: in as many words as the name has.
  CheckRecord<HeaderEventTypeRecord>("0000000000000003 \"cache-misses\" 0*3",
                                     "event_id=0x3 name=cache-misses");
  CheckRecord<HeaderEventTypeRecord>("0000000000000004 'branches'",
                                     "event_id=0x4 name=branches");
}

TEST(UserRecordsTest, HeaderTracingData) {
  CheckFixedRecord<HeaderTracingDataRecord>("00001234",  // size
                                            "size=4660");
}

TEST(UserRecordsTest, HeaderBuildId) {
  CheckFixedRecord<HeaderBuildIdRecord>(
      "ffffffff "                                   // pid
      "=000102030405060708090a0b0c0d0e0f10111213 "  // build_id
      "14 "                                         // size
      "0*3 "                                        // reserved
      "\"[kernel.kallsyms]\"",                      // filename
      "pid=-1 build_id=000102030405060708090a0b0c0d0e0f10111213 size=20 "
      "filename=[kernel.kallsyms]",
      kMiscBuildIdSize);
}

TEST(UserRecordsTest, FinishedRound) {
  CheckFixedRecord<FinishedRoundRecord>("", "");
}

TEST(UserRecordsTest, IdIndex) {
  CheckFixedRecord<IdIndexRecord>(
      "0000000000000001 "  // nr
      "0000000000000011 "  // id
      "0000000000000000 "  // idx
      "0000000000000002 "  // cpu
      "ffffffffffffffff",  // tid: any
      "nr=1 entries=[0x11 0x0 0x2 0xffffffffffffffff]");
}

TEST(UserRecordsTest, AuxtraceInfo) {
  CheckRecord<AuxtraceInfoRecord>(
      "00000001 "          // type: Intel PT
      "0*4 "               // reserved
      "0000000000000008 "  // priv[0]: PMU type
      "000000000000001f",  // priv[1]: time_shift
      "type=1 priv=[0x8 0x1f]");
}

TEST(UserRecordsTest, Auxtrace) {
  CheckFixedRecord<AuxtraceRecord>(
      "0000000000001000 "  // size
      "0000000000002000 "  // offset
      "0000000000003000 "  // reference
      "00000001 "          // idx
      "ffffffff "          // tid: any
      "00000002 "          // cpu
      "0*4",               // reserved
      "size=4096 offset=0x2000 reference=0x3000 idx=1 tid=-1 cpu=2");
}

TEST(UserRecordsTest, AuxtraceErrorOfEachFormat) {
  constexpr char kStart[] =
      "00000001 "   // type: itrace
      "00000005 "   // code
      "00000002 "   // cpu
      "00000003 "   // pid
      "00000004 ";  // tid
  constexpr char kFields[] = "type=1 code=5 cpu=2 pid=3 tid=4";
  CheckRecord<AuxtraceErrorRecord>(
      absl::StrCat(kStart,
                   "00000000 "           // fmt
                   "0000000000401000 "   // ip
                   "\"Overflow\" 0*7"),  // msg
      absl::StrCat(kFields, " fmt=0 ip=0x401000 message=Overflow"));
  CheckRecord<AuxtraceErrorRecord>(
      absl::StrCat(kStart,
                   "00000001 "           // fmt
                   "0000000000401000 "   // ip
                   "0000000000000009 "   // time
                   "\"Overflow\" 0*7"),  // msg
      absl::StrCat(kFields, " fmt=1 ip=0x401000 time=9 message=Overflow"));
  CheckFixedRecord<AuxtraceErrorRecord>(
      absl::StrCat(kStart,
                   "00000002 "           // fmt
                   "0000000000401000 "   // ip
                   "0000000000000009 "   // time
                   "\"Overflow\" 0*55 "  // msg
                   "0000000a "           // machine_pid
                   "0000000b"),          // vcpu
      absl::StrCat(kFields,
                   " fmt=2 ip=0x401000 time=9 message=Overflow "
                   "machine_pid=10 vcpu=11"));
}

TEST(UserRecordsTest, ThreadMap) {
  CheckFixedRecord<ThreadMapRecord>(
      "0000000000000002 "  // nr
      "0000000000000007 "  // pid
      "\"sh\" 0*13 "       // comm
      "ffffffffffffffff "  // pid: all
      "0*16",              // comm
      "nr=2 pid=7 comm=sh pid=-1 comm=");
}

TEST(UserRecordsTest, CpuMapAsList) {
  CheckFixedRecord<CpuMapRecord>(
      "0000 "  // type
      "0002 "  // nr
      "0001 "  // cpu
      "ffff",  // cpu: any
      "kind=0 nr=2 cpus=[0x1 0xffff]");
}

TEST(UserRecordsTest, CpuMapAsMask) {
  CheckFixedRecord<CpuMapRecord>(
      "0001 "      // type
      "0001 "      // nr
      "0004 "      // long_size
      "0000000f",  // mask
      "kind=1 nr=1 long_size=4 mask=[0xf]");
  CheckFixedRecord<CpuMapRecord>(
      "0001 "              // type
      "0002 "              // nr
      "0008 "              // long_size
      "0*4 "               // to align
      "000000000000000f "  // mask
      "0000000000000001",  // mask
      "kind=1 nr=2 long_size=8 mask=[0xf 0x1]");
}

TEST(UserRecordsTest, CpuMapAsRange) {
  CheckFixedRecord<CpuMapRecord>(
      "0002 "  // type
      "01 "    // any_cpu
      "0*1 "   // padding
      "0002 "  // start_cpu
      "0007",  // end_cpu
      "kind=2 any_cpu=1 start_cpu=2 end_cpu=7");
}

TEST(UserRecordsTest, StatConfig) {
  CheckFixedRecord<StatConfigRecord>(
      "0000000000000001 "  // nr
      "0000000000000001 "  // tag: interval
      "00000000000003e8",  // val
      "nr=1 entries=[0x1 0x3e8]");
}

TEST(UserRecordsTest, Stat) {
  CheckFixedRecord<StatRecord>(
      "0000000000000001 "  // id
      "00000002 "          // cpu
      "00000003 "          // thread
      "0000000000000004 "  // val
      "0000000000000005 "  // ena
      "0000000000000006",  // run
      "id=1 cpu=2 thread=3 value=4 enabled=5 running=6");
}

TEST(UserRecordsTest, StatRound) {
  CheckFixedRecord<StatRoundRecord>(
      "0000000000000001 "  // type: final
      "0000000000000002",  // time
      "kind=1 time=2");
}

TEST(UserRecordsTest, EventUpdateOfEachKind) {
  CheckFixedRecord<EventUpdateRecord>(
      "0000000000000000 "  // type: unit
      "0000000000000001 "  // id
      "\"Joules\"",        // unit
      "kind=0 id=1 text=Joules");
  CheckFixedRecord<EventUpdateRecord>(
      "0000000000000001 "  // type: scale
      "0000000000000001 "  // id
      "3fe0000000000000",  // scale: 0.5
      "kind=1 id=1 scale=0x3fe0000000000000");
  CheckFixedRecord<EventUpdateRecord>(
      "0000000000000002 "  // type: name
      "0000000000000001 "  // id
      "\"cycles:u\"",      // name
      "kind=2 id=1 text=cycles:u");
  CheckFixedRecord<EventUpdateRecord>(
      "0000000000000003 "  // type: CPUs
      "0000000000000001 "  // id
      "0000 "              // as a list
      "0001 "              // nr
      "0005",              // cpu
      "kind=3 id=1 kind=0 nr=1 cpus=[0x5]");
}

TEST(UserRecordsTest, TimeConv) {
  constexpr char kShort[] =
      "000000000000001f "  // time_shift
      "0000000000000002 "  // time_mult
      "0000000000000003";  // time_zero
  CheckFixedRecord<TimeConvRecord>(kShort,
                                   "time_shift=31 time_mult=2 time_zero=3");
  CheckRecord<TimeConvRecord>(
      absl::StrCat(kShort,
                   " 0000000000000004 "  // time_cycles
                   "00000000ffffffff "   // time_mask
                   "01 "                 // cap_user_time_zero
                   "00 "                 // cap_user_time_short
                   "0*6"),               // reserved
      "time_shift=31 time_mult=2 time_zero=3 time_cycles=4 "
      "time_mask=0xffffffff cap_user_time_zero=1 cap_user_time_short=0");
}

TEST(UserRecordsTest, HeaderFeature) {
  CheckRecord<HeaderFeatureRecord>(
      "0000000000000003 "  // feat_id: HOSTNAME
      "=0102",             // its data
      "feature=3 data=0102");
}

TEST(UserRecordsTest, Compressed) {
  CheckRecord<CompressedRecord>("=28b52ffd", "data=28b52ffd");
}

TEST(UserRecordsTest, FinishedInit) {
  CheckFixedRecord<FinishedInitRecord>("", "");
}

TEST(UserRecordsTest, Compressed2) {
  CheckFixedRecord<Compressed2Record>(
      "0000000000000004 "  // data_size
      "=28b52ffd",         // data
      "data_size=4 data=28b52ffd");
}

TEST(UserRecordsTest, BpfMetadataWithNamesOfEitherSize) {
  for (const int name_size : {256, 512}) {
    CheckRecord<BpfMetadataRecord>(
        absl::StrCat("\"prog\" 0*", name_size - 5,  // prog_name
                     " 0000000000000001 "           // nr_entries
                     "\"version\" 0*56 "            // key
                     "\"1.2\" 0*252"),              // value
        "prog_name=prog nr=1 key=version value=1.2");
  }
}

TEST(UserRecordsTest, SchedstatCpu) {
  CheckFixedRecord<SchedstatCpuRecord>(
      "0000000000000001 "  // timestamp
      "00000002 "          // cpu
      "000f "              // version
      "0*2 "               // padding
      "00000003 "          // yld_count
      "00000004 "          // array_exp
      "00000005 "          // sched_count
      "00000006 "          // sched_goidle
      "00000007 "          // ttwu_count
      "00000008 "          // ttwu_local
      "0000000000000009 "  // rq_cpu_time
      "000000000000000a "  // run_delay
      "000000000000000b",  // pcount
      "timestamp=1 cpu=2 version=15 yld_count=3 array_exp=4 sched_count=5 "
      "sched_goidle=6 ttwu_count=7 ttwu_local=8 rq_cpu_time=9 run_delay=10 "
      "pcount=11");
}

TEST(UserRecordsTest, SchedstatDomain) {
  CheckRecord<SchedstatDomainRecord>(
      "0000000000000001 "  // timestamp
      "00000002 "          // cpu
      "0011 "              // version
      "0003 "              // domain
      "00000004 "          // counters, as the version has them
      "00000005",
      "timestamp=1 cpu=2 version=17 domain=3 counters=[0x4 0x5]");
}

// The kernel, perf and simpleperf each number their records without gaps.
TEST(UserRecordsTest, ListsEveryTypeOnce) {
  std::vector<uint32_t> types;
  AllRecords::ForEach([&](auto r) { types.push_back(decltype(r)::kType); });
  std::sort(types.begin(), types.end());
  std::vector<uint32_t> first_of_range;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) {
      EXPECT_NE(types[i], types[i - 1]);
    }
    if (i == 0 || types[i] > types[i - 1] + 1) {
      first_of_range.push_back(types[i]);
    }
  }
  EXPECT_THAT(first_of_range, testing::ElementsAre(1, kRecordUserFirst,
                                                   kRecordSimpleperfFirst + 1));
  EXPECT_EQ(RecordName(63), "");
}

}  // namespace
}  // namespace perf2x
