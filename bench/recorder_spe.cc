// SPDX-License-Identifier: Apache-2.0

// The recorder's operations, as Arm's Statistical Profiling Extension traces
// them: records of 64 bytes, with the packets that a Neoverse N1 writes.

#include "bench/random.h"
#include "bench/recorder.h"

namespace perf2x::bench {
namespace {

constexpr uint64_t kKernel = uint64_t{1} << 63;
constexpr uint64_t kAddressBits = (uint64_t{1} << 56) - 1;
constexpr uint64_t kTicksOfTimer = 40;  // ns: 25 MHz
constexpr uint32_t kTraceArmSpe = 4;

// Headers of packets.
enum : uint8_t {
  kEventsPacket = 0x52,
  kSourcePacket = 0x43,
  kContextPacket = 0x65,
  kOperationPacket = 0x48,
  kPcPacket = 0xb0,
  kTargetPacket = 0xb1,
  kDataPacket = 0xb2,
  kIssuePacket = 0x99,
  kTotalPacket = 0x98,
  kTranslationPacket = 0x9a,
  kTimePacket = 0x71,
};
// Bits of the events packet.
enum : uint16_t {
  kRetired = 1 << 1,
  kL1dAccess = 1 << 2,
  kL1dRefill = 1 << 3,
  kTlbAccess = 1 << 4,
  kTlbWalk = 1 << 5,
  kNotTaken = 1 << 6,
  kMispredicted = 1 << 7,
  kLlcAccess = 1 << 8,
  kLlcMiss = 1 << 9,
};

void Packet(uint8_t header, uint64_t payload, RecordBuffer& out) {
  out.Bytes(&header, 1);
  out.Bytes(&payload, size_t{1} << (header >> 4 & 3));
}

// A code address with its exception level in bits [62:61] and the non-secure
// state in bit 63.
uint64_t CodePayload(uint64_t address) {
  const uint64_t level = address >= kKernel ? 1 : 0;
  return (address & kAddressBits) | level << 61 | uint64_t{1} << 63;
}

// A load's or a store's packets: one in 16 misses the first level.
void Access(uint64_t hash, bool kernel, bool store, RecordBuffer& out) {
  const bool miss = hash % 16 == 0, far = hash % 128 == 0,
             walk = hash % 64 == 1;
  Packet(kOperationPacket | 1, store ? 1 : 0, out);
  uint16_t events = kRetired | kL1dAccess | kTlbAccess;
  if (miss) events |= kL1dRefill | kLlcAccess;
  if (far) events |= kLlcMiss;
  if (walk) events |= kTlbWalk;
  Packet(kEventsPacket, events, out);
  Packet(kIssuePacket, 2 + hash % 8, out);
  Packet(kTotalPacket, 10 + hash % 16 + (far ? 300 : 0), out);
  const uint64_t base = kernel ? 0xff'8000'2000'0000 : 0xffff'8000'0000;
  Packet(kDataPacket, base + SkewedBelow(Mix(hash), 1 << 28) / 8 * 8, out);
  Packet(kTranslationPacket, 1 + (walk ? 40 : 0), out);
  if (!store) Packet(kSourcePacket, far ? 0xe : miss ? 8 : 0, out);
}

void Branch(uint64_t hash, uint64_t target, RecordBuffer& out) {
  Packet(kOperationPacket | 2, 1, out);
  uint16_t events = kRetired;
  if (hash % 32 == 0) events |= kMispredicted;
  if (hash % 4 == 1) events |= kNotTaken;
  Packet(kEventsPacket, events, out);
  Packet(kIssuePacket, 1 + hash % 8, out);
  Packet(kTotalPacket, 4 + hash % 16, out);
  Packet(kTargetPacket, CodePayload(target), out);
}

}  // namespace

void AppendSpeInfo(RecordBuffer& out) {
  // perf wants the times first.
  constexpr uint64_t kShift = 24;
  out.Begin(kTimeConv);
  out.U64(kShift);
  out.U64(kTicksOfTimer << kShift);
  out.U64(0);
  out.U64(0);             // time_cycles
  out.U64(~uint64_t{0});  // time_mask
  out.U64(1);             // cap_user_time_zero
  out.End();
  out.Begin(kAuxtraceInfo);
  out.U32(kTraceArmSpe);
  out.U32(0);
  out.U64(kSpeEventType);
  out.U64(1);  // one buffer for each CPU
  out.End();
}

// Writes a record for an operation of the CPU's task to the CPU's trace.
void Recorder::TraceOperation(Cpu& cpu) {
  constexpr size_t kRecord = 64, kTime = 9;
  const Task& task = population_.tasks()[cpu.task];
  const Process& process = population_.processes()[task.process];
  bool user_mode = true;
  population_.MakeCallchain(cpu.task, PickStack(cpu.task), &chain_, &user_mode);
  RecordBuffer& out = cpu.trace;
  const size_t end = out.size() + kRecord;
  Packet(kPcPacket, CodePayload(chain_[1]), out);
  Packet(kContextPacket, process.pid + task.thread, out);
  const uint64_t hash = random_.Next(), kind = hash >> 32 & 15;
  if (kind < 9) {
    Access(hash, !user_mode, /*store=*/kind < 3, out);
  } else if (kind < 12) {
    Branch(hash, chain_.back(), out);
  } else {
    Packet(kOperationPacket, 0, out);
    Packet(kEventsPacket, kRetired, out);
    Packet(kIssuePacket, 1 + hash % 4, out);
    Packet(kTotalPacket, 3 + hash % 16, out);
  }
  out.Zeros(end - kTime - out.size());
  Packet(kTimePacket, cpu.next_tick / kTicksOfTimer, out);
  ++samples_;
}

// Appends the AUX record of the CPU's trace.
void Recorder::NameTrace(const Cpu& cpu, uint64_t time, RecordBuffer& out) {
  if (cpu.trace.size() == 0) return;
  const Process& process =
      population_.processes()[population_.tasks()[cpu.task].process];
  trailer_ = {process.pid, process.pid, time, events_[0].ids[cpu.number],
              cpu.number};
  out.Begin(kAux);
  out.U64(cpu.trace_offset);
  out.U64(cpu.trace.size());
  out.U64(0);  // flags
  Trailer(out);
  out.End();
  trailer_ = {};
}

// Writes the CPU's trace, and begins the next part.
void Recorder::WriteTrace(Cpu& cpu) {
  if (cpu.trace.size() == 0) return;
  RecordBuffer out;
  out.Begin(kAuxtrace);
  out.U64(cpu.trace.size());
  out.U64(cpu.trace_offset);
  out.U64(random_.Next());  // reference
  out.U32(cpu.number);      // index of the buffer
  out.U32(static_cast<uint32_t>(-1));
  out.U32(cpu.number);
  out.U32(0);
  out.End();
  writer_.WriteSynthesized(out);
  writer_.WriteSynthesized(cpu.trace);
  cpu.trace_offset += cpu.trace.size();
  cpu.trace.Clear();
}

}  // namespace perf2x::bench
