// SPDX-License-Identifier: Apache-2.0

// Each record of the kernel as its writer in kernel/events/core.c puts it down.

#include "converter/perf/records/kernel_records.h"

#include <gtest/gtest.h>

#include "tests/support/record_check.h"

namespace perf2x {
namespace {

TEST(KernelRecordsTest, Mmap) {  // perf_event_mmap_output()
  CheckFixedRecord<MmapRecord>(
      "ffffffff "                    // pid
      "00000000 "                    // tid
      "ffffffff81000000 "            // addr
      "0000000001000000 "            // len
      "ffffffff81000123 "            // pgoff
      "\"[kernel.kallsyms]_text\"",  // filename
      "pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 "
      "pgoff=0xffffffff81000123 filename=[kernel.kallsyms]_text");
}

TEST(KernelRecordsTest, Lost) {  // perf_output_begin()
  CheckFixedRecord<LostRecord>(
      "0000000000000011 "  // id
      "0000000000000022",  // lost
      "id=17 lost=34");
}

TEST(KernelRecordsTest, Comm) {  // perf_event_comm_output()
  CheckFixedRecord<CommRecord>(
      "000004d2 "  // pid
      "000004d3 "  // tid
      "\"bash\"",  // comm
      "pid=1234 tid=1235 comm=bash");
}

constexpr char kTask[] =  // perf_event_task_output()
    "00000001 "           // pid
    "00000002 "           // ppid
    "00000003 "           // tid
    "00000004 "           // ptid
    "0000000500000006";   // time
constexpr char kTaskFields[] = "pid=1 ppid=2 tid=3 ptid=4 time=21474836486";

TEST(KernelRecordsTest, Exit) {
  CheckFixedRecord<ExitRecord>(kTask, kTaskFields);
}
TEST(KernelRecordsTest, Fork) {
  CheckFixedRecord<ForkRecord>(kTask, kTaskFields);
}

constexpr char kThrottle[] =  // perf_log_throttle()
    "0000000000000007 "       // time
    "0000000000000008 "       // id
    "0000000000000009";       // stream_id

TEST(KernelRecordsTest, Throttle) {
  CheckFixedRecord<ThrottleRecord>(kThrottle, "time=7 id=8 stream_id=9");
}
TEST(KernelRecordsTest, Unthrottle) {
  CheckFixedRecord<UnthrottleRecord>(kThrottle, "time=7 id=8 stream_id=9");
}

TEST(KernelRecordsTest, ReadOfOneCounter) {  // perf_output_read_one()
  EventAttr attr;
  attr.read_format =
      kReadTotalTimeEnabled | kReadTotalTimeRunning | kReadId | kReadLost;
  CheckFixedRecord<ReadRecord>(
      "00000001 "          // pid
      "00000002 "          // tid
      "0000000000000003 "  // value
      "0000000000000004 "  // time_enabled
      "0000000000000005 "  // time_running
      "0000000000000006 "  // id
      "0000000000000007",  // lost
      "pid=1 tid=2 value=3 enabled=4 running=5 id=6 lost=7", 0, attr);
}

TEST(KernelRecordsTest, ReadOfAGroup) {  // perf_output_read_group()
  EventAttr attr;
  attr.read_format = kReadGroup | kReadTotalTimeEnabled | kReadId;
  CheckFixedRecord<ReadRecord>(
      "00000001 "          // pid
      "00000002 "          // tid
      "0000000000000002 "  // nr
      "0000000000000004 "  // time_enabled
      "0000000000000011 "  // value of the leader
      "0000000000000012 "  // its id
      "0000000000000021 "  // value of the other member
      "0000000000000022",  // its id
      "pid=1 tid=2 nr=2 enabled=4 members=[0x11 0x12 0x21 0x22]", 0, attr);
}

TEST(KernelRecordsTest, Mmap2WithInode) {  // perf_event_mmap_output()
  CheckFixedRecord<Mmap2Record>(
      "00000001 "          // pid
      "00000002 "          // tid
      "0000000000003000 "  // addr
      "0000000000004000 "  // len
      "0000000000005000 "  // pgoff
      "00000006 "          // maj
      "00000007 "          // min
      "0000000000000008 "  // ino
      "0000000000000009 "  // ino_generation
      "00000005 "          // prot
      "00000002 "          // flags
      "\"/bin/sh\"",       // filename
      "pid=1 tid=2 addr=0x3000 len=0x4000 pgoff=0x5000 maj=6 min=7 ino=8 "
      "ino_generation=9 prot=0x5 flags=0x2 filename=/bin/sh");
}

TEST(KernelRecordsTest, Mmap2WithBuildId) {
  CheckFixedRecord<Mmap2Record>(
      "00000001 "                                   // pid
      "00000002 "                                   // tid
      "0000000000003000 "                           // addr
      "0000000000004000 "                           // len
      "0000000000005000 "                           // pgoff
      "14 "                                         // build_id_size
      "0*3 "                                        // reserved
      "=000102030405060708090a0b0c0d0e0f10111213 "  // build_id
      "00000005 "                                   // prot
      "00000002 "                                   // flags
      "\"/bin/sh\"",                                // filename
      "pid=1 tid=2 addr=0x3000 len=0x4000 pgoff=0x5000 build_id_size=20 "
      "build_id=000102030405060708090a0b0c0d0e0f10111213 prot=0x5 flags=0x2 "
      "filename=/bin/sh",
      kMiscMmapBuildId);
}

TEST(KernelRecordsTest, Aux) {  // perf_event_aux_event()
  CheckFixedRecord<AuxRecord>(
      "0000000000001000 "  // aux_offset
      "0000000000000200 "  // aux_size
      "0000000000000001",  // flags: truncated
      "aux_offset=0x1000 aux_size=0x200 flags=0x1");
}

TEST(KernelRecordsTest, ItraceStart) {  // perf_log_itrace_start()
  CheckFixedRecord<ItraceStartRecord>(
      "00000001 "  // pid
      "00000002",  // tid
      "pid=1 tid=2");
}

TEST(KernelRecordsTest, LostSamples) {  // perf_log_lost_samples()
  CheckFixedRecord<LostSamplesRecord>("0000000000000003",  // lost
                                      "lost=3");
}

TEST(KernelRecordsTest, Switch) {  // perf_event_switch_output()
  CheckFixedRecord<SwitchRecord>("", "");
}

TEST(KernelRecordsTest, SwitchCpuWide) {  // perf_event_switch_output()
  CheckFixedRecord<SwitchCpuWideRecord>(
      "00000001 "  // next_prev_pid
      "00000002",  // next_prev_tid
      "next_prev_pid=1 next_prev_tid=2");
}

TEST(KernelRecordsTest, Namespaces) {  // perf_event_namespaces_output()
  CheckFixedRecord<NamespacesRecord>(
      "00000001 "          // pid
      "00000002 "          // tid
      "0000000000000002 "  // nr_namespaces
      "0000000000000003 "  // net: dev
      "00000000f0000004 "  // net: inode
      "0000000000000003 "  // uts: dev
      "00000000f0000005",  // uts: inode
      "pid=1 tid=2 nr=2 namespaces=[0x3 0xf0000004 0x3 0xf0000005]");
}

TEST(KernelRecordsTest, Ksymbol) {  // perf_event_ksymbol_output()
  CheckFixedRecord<KsymbolRecord>(
      "ffffffffc0001000 "   // addr
      "00000100 "           // len
      "0001 "               // ksym_type: BPF
      "0001 "               // flags: unregister
      "\"bpf_prog_1234\"",  // name
      "addr=0xffffffffc0001000 len=256 ksym_type=1 flags=0x1 "
      "name=bpf_prog_1234");
}

TEST(KernelRecordsTest, BpfEvent) {  // perf_event_bpf_output()
  CheckFixedRecord<BpfEventRecord>(
      "0001 "               // type: load
      "0000 "               // flags
      "00000007 "           // id
      "=0123456789abcdef",  // tag
      "bpf_type=1 flags=0x0 id=7 tag=0123456789abcdef");
}

TEST(KernelRecordsTest, Cgroup) {  // perf_event_cgroup_output()
  CheckFixedRecord<CgroupRecord>(
      "0000000000000042 "     // id
      "\"/system.slice/a\"",  // path
      "id=66 path=/system.slice/a");
}

TEST(KernelRecordsTest, TextPoke) {  // perf_event_text_poke_output()
  CheckFixedRecord<TextPokeRecord>(
      "ffffffff81001000 "  // addr
      "0005 "              // old_len
      "0002 "              // new_len
      "=0f1f440000 "       // old bytes
      "=eb10",             // new bytes
      "addr=0xffffffff81001000 old_len=5 new_len=2 old_bytes=0f1f440000 "
      "new_bytes=eb10");
}

TEST(KernelRecordsTest, AuxOutputHwId) {  // perf_report_aux_output_id()
  CheckFixedRecord<AuxOutputHwIdRecord>("0000000000000009",  // hw_id
                                        "hw_id=9");
}

TEST(KernelRecordsTest, CallchainDeferred) {
  CheckFixedRecord<CallchainDeferredRecord>(
      "0000000100000002 "  // cookie
      "0000000000000002 "  // nr
      "fffffffffffffe00 "  // ips: context marker of user space
      "0000000000401000",  //      an address
      "cookie=0x100000002 nr=2 ips=[0xfffffffffffffe00 0x401000]");
}

// What a newer kernel appends is passed over.
TEST(KernelRecordsTest, AllowsMoreThanItKnows) {
  LostRecord record;
  const auto bytes = Wire(ByteOrder::kLittle,
                          "0000000000000001 0000000000000002 ffffffffffffffff");
  EXPECT_TRUE(Decode(bytes, ByteOrder::kLittle, 0, EventAttr(), &record));
  EXPECT_EQ(record.lost, 2u);
}

// No count is believed that the record has no bytes for.
TEST(KernelRecordsTest, RejectsCountsBeyondTheRecord) {
  for (const char* nr : {"0000000000000002", "1000000000000001",
                         "ffffffffffffffff", "8000000000000000"}) {
    const auto bytes =
        Wire(ByteOrder::kLittle,
             absl::StrCat("00000001 00000002 ", nr, " 0000000000000003 0*8"));
    NamespacesRecord record;
    EXPECT_FALSE(Decode(bytes, ByteOrder::kLittle, 0, EventAttr(), &record))
        << nr;
  }
}

}  // namespace
}  // namespace perf2x
