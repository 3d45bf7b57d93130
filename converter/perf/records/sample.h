// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SAMPLE_H_
#define PERF2X_PERF_RECORDS_SAMPLE_H_

#include <bit>
#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// The block that follows the sampled registers if their ABI has kAbiSimd:
// perf_output_sample_simd_regs() in kernel/events/core.c. The attr says which
// registers these are.
struct SimdRegisters {
  uint16_t vectors = 0, vector_words = 0;  // count, words per register
  uint16_t predicates = 0, predicate_words = 0;
  WordSpan words;  // of all vector registers, then of all predicate registers

  struct Names {
    const char *vectors, *vector_words, *predicates, *predicate_words, *words;
  };
  template <class V, class R>
  static void Fields(V& v, const Names& names, R& r) {
    v(names.vectors, r.vectors);
    v(names.vector_words, r.vector_words);
    v(names.predicates, r.predicates);
    v(names.predicate_words, r.predicate_words);
    v.Words(names.words,
            uint64_t{r.vectors} * r.vector_words +
                uint64_t{r.predicates} * r.predicate_words,
            1, r.words);
  }
};

// PERF_RECORD_SAMPLE. Fields are in the order of perf_output_sample() in
// kernel/events/core.c. The comment in perf_event.h has another order. Fields
// that the attr's sample_type does not select keep their defaults. Spans point
// into the record.
struct SampleRecord {
  static constexpr uint32_t kType = kRecordSample;
  static constexpr char kName[] = "SAMPLE";

  uint64_t id = 0;  // IDENTIFIER or ID
  uint64_t ip = 0;
  int32_t pid = -1, tid = -1;
  uint64_t time = 0;
  uint64_t addr = 0;
  uint64_t stream_id = 0;
  uint32_t cpu = ~0u, cpu_reserved = 0;
  uint64_t period = 0;
  ReadValues read;
  uint64_t nr = 0;  // callchain entries
  WordSpan ips;
  uint32_t raw_size = 0;
  absl::Span<const uint8_t> raw;
  uint64_t branch_nr = 0, branch_hw_index = ~uint64_t{0};
  WordSpan branches;         // branch_nr times from, to, flags; newest first
  WordSpan branch_counters;  // branch_nr words
  uint64_t user_abi = kAbiNone;
  WordSpan user_regs;
  SimdRegisters user_simd;
  uint64_t stack_size = 0, stack_dyn_size = 0;
  // Only the first stack_dyn_size bytes are valid. stack_dyn_size is not
  // checked: it may exceed stack_size.
  absl::Span<const uint8_t> stack;
  uint64_t weight = 0;  // WEIGHT, or WEIGHT_STRUCT as one word
  uint64_t data_src = 0;
  uint64_t transaction = 0;
  uint64_t intr_abi = kAbiNone;
  WordSpan intr_regs;
  SimdRegisters intr_simd;
  uint64_t phys_addr = 0;
  uint64_t cgroup = 0;
  uint64_t data_page_size = 0, code_page_size = 0;
  uint64_t aux_size = 0;
  absl::Span<const uint8_t> aux;

  template <class V, class R>
  static void Fields(V& v, R& r) {
    const EventAttr& attr = v.attr();
    const uint64_t type = attr.sample_type;
    if (type & kSampleIdentifier) v("identifier", r.id);
    if (type & kSampleIp) v.Hex("ip", r.ip);
    if (type & kSampleTid) {
      v("pid", r.pid);
      v("tid", r.tid);
    }
    if (type & kSampleTime) v("time", r.time);
    if (type & kSampleAddr) v.Hex("addr", r.addr);
    if (type & kSampleId) v("id", r.id);
    if (type & kSampleStreamId) v("stream_id", r.stream_id);
    if (type & kSampleCpu) {
      v("cpu", r.cpu);
      v("cpu_reserved", r.cpu_reserved);
    }
    if (type & kSamplePeriod) v("period", r.period);
    if (type & kSampleRead) ReadValues::Fields(v, r.read);
    if (type & kSampleCallchain) {
      v("nr", r.nr);
      v.Words("ips", r.nr, 1, r.ips);
    }
    if (type & kSampleRaw) {
      v("raw_size", r.raw_size);
      v.Bytes("raw", r.raw_size, r.raw);
    }
    if (type & kSampleBranchStack) {
      v("branch_nr", r.branch_nr);
      if (attr.branch_sample_type & kBranchHwIndex) {
        v("branch_hw_index", r.branch_hw_index);
      }
      v.Words("branches", r.branch_nr, 3, r.branches);
      if (attr.branch_sample_type & kBranchCounters) {
        v.Words("branch_counters", r.branch_nr, 1, r.branch_counters);
      }
    }
    if (type & kSampleRegsUser) {
      v("user_abi", r.user_abi);
      if (r.user_abi != kAbiNone) {
        v.Words("user_regs", std::popcount(attr.sample_regs_user), 1,
                r.user_regs);
        if (r.user_abi & kAbiSimd) {
          static constexpr SimdRegisters::Names kNames = {
              "user_vectors", "user_vector_words", "user_predicates",
              "user_predicate_words", "user_simd"};
          SimdRegisters::Fields(v, kNames, r.user_simd);
        }
      }
    }
    if (type & kSampleStackUser) {
      v("stack_size", r.stack_size);
      if (r.stack_size != 0) {
        v.Bytes("stack", r.stack_size, r.stack);
        v("stack_dyn_size", r.stack_dyn_size);
      }
    }
    if (type & (kSampleWeight | kSampleWeightStruct)) v("weight", r.weight);
    if (type & kSampleDataSrc) v.Hex("data_src", r.data_src);
    if (type & kSampleTransaction) v.Hex("transaction", r.transaction);
    if (type & kSampleRegsIntr) {
      v("intr_abi", r.intr_abi);
      if (r.intr_abi != kAbiNone) {
        v.Words("intr_regs", std::popcount(attr.sample_regs_intr), 1,
                r.intr_regs);
        if (r.intr_abi & kAbiSimd) {
          static constexpr SimdRegisters::Names kNames = {
              "intr_vectors", "intr_vector_words", "intr_predicates",
              "intr_predicate_words", "intr_simd"};
          SimdRegisters::Fields(v, kNames, r.intr_simd);
        }
      }
    }
    if (type & kSamplePhysAddr) v.Hex("phys_addr", r.phys_addr);
    if (type & kSampleCgroup) v("cgroup", r.cgroup);
    if (type & kSampleDataPageSize) v("data_page_size", r.data_page_size);
    if (type & kSampleCodePageSize) v("code_page_size", r.code_page_size);
    if (type & kSampleAux) {
      v("aux_size", r.aux_size);
      v.Bytes("aux", r.aux_size, r.aux);
    }
  }
};

// The sample_id trailer: __perf_event__output_id_sample(). Ends all kernel
// records but SAMPLE if the attr has sample_id_all. The trailer's size depends
// on the attr alone, so the trailer is found from the end of the record. Fields
// that the attr's sample_type does not select keep their defaults.
struct SampleId {
  int32_t pid = -1, tid = -1;
  uint64_t time = 0;
  uint64_t id = 0;
  uint64_t stream_id = 0;
  uint32_t cpu = ~0u, cpu_reserved = 0;

  template <class V, class R>
  static void Fields(V& v, R& r) {
    const uint64_t type = v.attr().sample_type;
    if (type & kSampleTid) {
      v("pid", r.pid);
      v("tid", r.tid);
    }
    if (type & kSampleTime) v("time", r.time);
    if (type & kSampleId) v("id", r.id);
    if (type & kSampleStreamId) v("stream_id", r.stream_id);
    if (type & kSampleCpu) {
      v("cpu", r.cpu);
      v("cpu_reserved", r.cpu_reserved);
    }
    if (type & kSampleIdentifier) v("identifier", r.id);
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SAMPLE_H_
