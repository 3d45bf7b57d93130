// SPDX-License-Identifier: Apache-2.0
#include "bench/sched_events.h"

#include <string_view>

namespace perf2x::bench {
namespace {

constexpr uint32_t kPriority = 120;
constexpr size_t kCommBytes = 16;

// As in /sys/kernel/tracing/events/header_page on a 64-bit kernel.
constexpr std::string_view kHeaderPage =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
constexpr std::string_view kHeaderEvent =
    "# compressed entry header\n"
    "\ttype_len    :    5 bits\n"
    "\ttime_delta  :   27 bits\n"
    "\tarray       :   32 bits\n";

constexpr std::string_view kCommonFields =
    "format:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char "
    "common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\n";
constexpr std::string_view kSwitchFields =
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
    "\n"
    "print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> "
    "next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, "
    "REC->prev_prio, __print_flags(REC->prev_state, \"|\", { 0x00000001, \"S\" "
    "}, "
    "{ 0x00000002, \"D\" }, { 0x00000100, \"R\" }), REC->next_comm, "
    "REC->next_pid, REC->next_prio\n";
constexpr std::string_view kWakeupFields =
    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
    "\n"
    "print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, "
    "REC->pid, "
    "REC->prio, REC->target_cpu\n";

void AppendFormat(std::string_view name, uint64_t id, std::string_view fields,
                  RecordBuffer& out) {
  std::string text =
      "name: " + std::string(name) + "\nID: " + std::to_string(id) + "\n";
  text += kCommonFields;
  text += fields;
  out.U64(text.size());
  out.Bytes(text.data(), text.size());
}

void AppendCString(std::string_view s, RecordBuffer& out) {
  out.Bytes(s.data(), s.size());
  out.Zeros(1);
}

void AppendComm(const std::string& comm, RecordBuffer& out) {
  out.Bytes(comm.data(), comm.size());
  out.Zeros(kCommBytes - comm.size());
}

void AppendCommon(uint64_t id, uint32_t pid, RecordBuffer& out) {
  out.U16(static_cast<uint16_t>(id));
  out.U16(0);
  out.U32(pid);
}

}  // namespace

// In the format of record_saved_cmdline() and the functions around it,
// tools/perf/util/trace-event-info.c.
std::vector<uint8_t> SchedTracingData() {
  RecordBuffer out;
  constexpr char kMagic[] = "\x17\x08\x44tracing";
  out.Bytes(kMagic, sizeof kMagic - 1);
  AppendCString("0.6", out);
  constexpr uint8_t kLittleEndian64[] = {0, 8};
  out.Bytes(kLittleEndian64, sizeof kLittleEndian64);
  out.U32(4096);
  AppendCString("header_page", out);
  out.U64(kHeaderPage.size());
  out.Bytes(kHeaderPage.data(), kHeaderPage.size());
  AppendCString("header_event", out);
  out.U64(kHeaderEvent.size());
  out.Bytes(kHeaderEvent.data(), kHeaderEvent.size());
  out.U32(0);  // formats of ftrace's own events
  out.U32(1);  // systems
  AppendCString("sched", out);
  out.U32(2);
  AppendFormat("sched_switch", kSchedSwitchId, kSwitchFields, out);
  AppendFormat("sched_wakeup", kSchedWakeupId, kWakeupFields, out);
  out.U32(0);  // kallsyms
  out.U32(0);  // printk formats
  out.U64(0);  // saved command lines
  return out.bytes();
}

void AppendSwitchRaw(const SchedTask& prev, bool sleeps, const SchedTask& next,
                     RecordBuffer& out) {
  constexpr uint32_t kBytes = 64;
  constexpr uint64_t kInterruptible = 1, kPreempted = 256;
  out.U32(kBytes + 4);
  AppendCommon(kSchedSwitchId, prev.tid, out);
  AppendComm(prev.comm, out);
  out.U32(prev.tid);
  out.U32(kPriority);
  out.U64(sleeps ? kInterruptible : kPreempted);
  AppendComm(next.comm, out);
  out.U32(next.tid);
  out.U32(kPriority);
  out.Zeros(4);  // pads size and data to 8 bytes
}

void AppendWakeupRaw(uint32_t current_tid, const SchedTask& woken, uint32_t cpu,
                     RecordBuffer& out) {
  constexpr uint32_t kBytes = 36;
  out.U32(kBytes);
  AppendCommon(kSchedWakeupId, current_tid, out);
  AppendComm(woken.comm, out);
  out.U32(woken.tid);
  out.U32(kPriority);
  out.U32(cpu);
}

}  // namespace perf2x::bench
