// SPDX-License-Identifier: Apache-2.0

// SAMPLE as perf_output_sample() in kernel/events/core.c writes it, and the
// sample_id trailer of __perf_event__output_id_sample().

#include "converter/perf/records/sample.h"

#include <gtest/gtest.h>

#include "tests/support/record_check.h"

namespace perf2x {
namespace {

TEST(SampleTest, EveryFieldInTheOrderOfTheKernel) {
  EventAttr attr;
  attr.sample_type = kSampleKnown & ~kSampleWeight;
  attr.read_format = kReadTotalTimeEnabled | kReadId;
  attr.branch_sample_type = kBranchHwIndex | kBranchCounters;
  attr.sample_regs_user = 0b101;
  attr.sample_regs_intr = 0b1000;
  CheckFixedRecord<SampleRecord>(
      "0000000000000001 "           // IDENTIFIER
      "0000000000401000 "           // IP
      "00000002 00000003 "          // TID: pid, tid
      "0000000000000004 "           // TIME
      "0000000000000005 "           // ADDR
      "0000000000000001 "           // ID
      "0000000000000006 "           // STREAM_ID
      "00000007 00000000 "          // CPU: cpu, reserved
      "0000000000000008 "           // PERIOD
      "0000000000000009 "           // READ: value
      "000000000000000a "           //   time_enabled
      "000000000000000b "           //   id
      "0000000000000002 "           // CALLCHAIN: nr
      "fffffffffffffe00 "           //   user space
      "0000000000401000 "           //   an address
      "0000000c "                   // RAW: size
      "=000102030405060708090a0b "  //   data
      "0000000000000001 "           // BRANCH_STACK: nr
      "000000000000000d "           //   hw_idx
      "0000000000401010 "           //   from
      "0000000000401020 "           //   to
      "0000000000000001 "           //   flags
      "000000000000000e "           //   counters
      "0000000000000002 "           // REGS_USER: abi
      "000000000000000f "           //   lowest register of the mask
      "0000000000000010 "           //   the next
      "0000000000000008 "           // STACK_USER: size
      "=a0a1a2a3a4a5a6a7 "          //   data
      "0000000000000004 "           //   dyn_size
      "0003000200000001 "           // WEIGHT_STRUCT: var3, var2, var1
      "0000000000000011 "           // DATA_SRC
      "0000000000000012 "           // TRANSACTION
      "0000000000000002 "           // REGS_INTR: abi
      "0000000000000013 "           //   the one register of the mask
      "0000000000000014 "           // PHYS_ADDR
      "0000000000000015 "           // CGROUP
      "0000000000001000 "           // DATA_PAGE_SIZE
      "0000000000200000 "           // CODE_PAGE_SIZE
      "0000000000000008 "           // AUX: size
      "=b0b1b2b3b4b5b6b7",          //   data
      "identifier=1 ip=0x401000 pid=2 tid=3 time=4 addr=0x5 id=1 stream_id=6 "
      "cpu=7 cpu_reserved=0 period=8 value=9 enabled=10 id=11 nr=2 "
      "ips=[0xfffffffffffffe00 0x401000] raw_size=12 "
      "raw=000102030405060708090a0b branch_nr=1 branch_hw_index=13 "
      "branches=[0x401010 0x401020 0x1] branch_counters=[0xe] user_abi=2 "
      "user_regs=[0xf 0x10] stack_size=8 stack=a0a1a2a3a4a5a6a7 "
      "stack_dyn_size=4 weight=844433520066561 data_src=0x11 transaction=0x12 "
      "intr_abi=2 intr_regs=[0x13] phys_addr=0x14 cgroup=21 "
      "data_page_size=4096 code_page_size=2097152 aux_size=8 "
      "aux=b0b1b2b3b4b5b6b7",
      0, attr);
}

// A kernel thread has neither user registers nor a user stack.
TEST(SampleTest, EmptyRegistersAndStackHaveNothingBehindThem) {
  EventAttr attr;
  attr.sample_type = kSampleRegsUser | kSampleStackUser | kSampleTransaction;
  attr.sample_regs_user = ~uint64_t{0};
  CheckFixedRecord<SampleRecord>(
      "0000000000000000 "  // REGS_USER: abi none
      "0000000000000000 "  // STACK_USER: size
      "0000000000000007",  // TRANSACTION
      "user_abi=0 stack_size=0 transaction=0x7", 0, attr);
}

// perf_output_sample_simd_regs(): each number in 16 bits, whatever the byte
// order.
TEST(SampleTest, SimdRegistersFollowTheOthers) {
  EventAttr attr;
  attr.sample_type = kSampleRegsUser | kSampleStackUser | kSampleTransaction |
                     kSampleRegsIntr | kSamplePhysAddr;
  attr.sample_regs_user = attr.sample_regs_intr = 0b1;
  CheckFixedRecord<SampleRecord>(
      "0000000000000006 "     // REGS_USER: abi, 64-bit and SIMD
      "000000000000000f "     //   the one register of the mask
      "0002 0002 0001 0001 "  //   nr_vectors, qwords, nr_pred, qwords
      "00000000000000a0 "     //   first vector register
      "00000000000000a1 "     //
      "00000000000000b0 "     //   second
      "00000000000000b1 "     //
      "00000000000000c0 "     //   predicate register
      "0000000000000008 "     // STACK_USER: size
      "=a0a1a2a3a4a5a6a7 "    //   data
      "0000000000000008 "     //   dyn_size
      "0000000000000011 "     // TRANSACTION
      "0000000000000006 "     // REGS_INTR
      "0000000000000012 "     //   the one register of the mask
      "0000 0002 0000 0001 "  //   none was there to be had
      "0000000000000013",     // PHYS_ADDR
      "user_abi=6 user_regs=[0xf] user_vectors=2 user_vector_words=2 "
      "user_predicates=1 user_predicate_words=1 "
      "user_simd=[0xa0 0xa1 0xb0 0xb1 0xc0] stack_size=8 "
      "stack=a0a1a2a3a4a5a6a7 stack_dyn_size=8 transaction=0x11 intr_abi=6 "
      "intr_regs=[0x12] intr_vectors=0 intr_vector_words=2 intr_predicates=0 "
      "intr_predicate_words=1 intr_simd=[] phys_addr=0x13",
      0, attr);
}

TEST(SampleTest, GroupOfCounters) {  // perf_output_read_group()
  EventAttr attr;
  attr.sample_type = kSampleRead;
  attr.read_format = kReadGroup | kReadId | kReadLost;
  CheckFixedRecord<SampleRecord>(
      "0000000000000002 "  // nr
      "0000000000000011 "  // value of the leader
      "0000000000000012 "  // its id
      "0000000000000013 "  // its lost
      "0000000000000021 "  // value of the other member
      "0000000000000022 "  // its id
      "0000000000000023",  // its lost
      "nr=2 members=[0x11 0x12 0x13 0x21 0x22 0x23]", 0, attr);
}

TEST(SampleTest, NoFieldsAtAll) { CheckFixedRecord<SampleRecord>("", ""); }

struct SampleIdAsRecord : SampleId {
  static constexpr uint32_t kType = kRecordSample;
  static constexpr char kName[] = "SAMPLE";
};

TEST(SampleTest, Trailer) {
  EventAttr attr;
  attr.sample_type = kSampleKnown;
  CheckFixedRecord<SampleIdAsRecord>(
      "00000001 00000002 "  // TID: pid, tid
      "0000000000000003 "   // TIME
      "0000000000000004 "   // ID
      "0000000000000005 "   // STREAM_ID
      "00000006 00000000 "  // CPU: cpu, reserved
      "0000000000000004",   // IDENTIFIER
      "pid=1 tid=2 time=3 id=4 stream_id=5 cpu=6 cpu_reserved=0 identifier=4",
      0, attr);
}

TEST(SampleTest, RejectsCountsBeyondTheRecord) {
  struct Case {
    uint64_t type;
    const char* wire;
  };
  for (const Case& c : std::initializer_list<Case>{
           {kSampleCallchain, "2000000000000001 0*8"},
           {kSampleBranchStack, "0aaaaaaaaaaaaaab 0*24"},
           {kSampleRaw, "ffffffff 0*12"},
           {kSampleStackUser, "fffffffffffffff8 0*16"},
           {kSampleRegsUser, "0000000000000004 0001 0002 0000 0000 0*8"},
           {kSampleRegsUser, "0000000000000004 ffff ffff ffff ffff 0*64"},
           {kSampleRegsIntr, "0000000000000006 0000 0000 0001 0001"},
           {kSampleAux, "0000000000000009 0*8"}}) {
    EventAttr attr;
    attr.sample_type = c.type;
    SampleRecord record;
    EXPECT_FALSE(Decode(Wire(ByteOrder::kLittle, c.wire), ByteOrder::kLittle, 0,
                        attr, &record))
        << c.wire;
  }
}

}  // namespace
}  // namespace perf2x
