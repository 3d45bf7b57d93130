// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SIMPLEPERF_RECORDS_H_
#define PERF2X_PERF_RECORDS_SIMPLEPERF_RECORDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/wire.h"

// The records that simpleperf, Android's recorder, writes besides the kernel's,
// described as in kernel_records.h (simpleperf/record.cpp). They have no
// sample_id trailer.

namespace perf2x {

struct SimpleperfKernelSymbolRecord {  // KernelSymbolRecord
  static constexpr uint32_t kType = kRecordSimpleperfKernelSymbol;
  static constexpr char kName[] = "SIMPLEPERF_KERNEL_SYMBOL";
  uint32_t size = 0;
  absl::Span<const uint8_t> kallsyms;  // text of /proc/kallsyms
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("size", r.size);
    v.Bytes("kallsyms", r.size, r.kallsyms);
  }
};

// A file with code. Written before the first sample in that file, by versions
// of simpleperf before the FILE feature.
struct SimpleperfDsoRecord {  // DsoRecord
  static constexpr uint32_t kType = kRecordSimpleperfDso;
  static constexpr char kName[] = "SIMPLEPERF_DSO";
  uint64_t dso_type = 0;  // RecordedFile::Type
  uint64_t dso_id = 0;    // number of the file in this recording
  uint64_t min_vaddr = 0;
  absl::string_view dso_name;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("dso_type", r.dso_type);
    v("dso_id", r.dso_id);
    v.Hex("min_vaddr", r.min_vaddr);
    v.Text("dso_name", r.dso_name);
  }
};

// A function in the file `dso_id`. Written before the first sample in that
// function, by versions that write SimpleperfDsoRecord.
struct SimpleperfSymbolRecord {  // SymbolRecord
  static constexpr uint32_t kType = kRecordSimpleperfSymbol;
  static constexpr char kName[] = "SIMPLEPERF_SYMBOL";
  uint64_t addr = 0, len = 0, dso_id = 0;
  absl::string_view name;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("addr", r.addr);
    v("len", r.len);
    v("dso_id", r.dso_id);
    v.Text("name", r.name);
  }
};

// A slice of a record whose size does not fit into one header. The bodies of
// consecutive SPLIT records, joined, are that record's header and body. A
// SPLIT_END record follows the last slice.
struct SimpleperfSplitRecord {
  static constexpr uint32_t kType = kRecordSimpleperfSplit;
  static constexpr char kName[] = "SIMPLEPERF_SPLIT";
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Rest("data", r.data);
  }
};

struct SimpleperfSplitEndRecord {
  static constexpr uint32_t kType = kRecordSimpleperfSplitEnd;
  static constexpr char kName[] = "SIMPLEPERF_SPLIT_END";
  template <class V, class R>
  static void Fields(V&, R&) {}
};

// Ids of events that were opened while recording.
struct SimpleperfEventIdRecord {  // EventIdRecord
  static constexpr uint32_t kType = kRecordSimpleperfEventId;
  static constexpr char kName[] = "SIMPLEPERF_EVENT_ID";
  uint64_t count = 0;
  WordSpan entries;  // count times: index of the event's attr, id
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("count", r.count);
    v.Words("entries", r.count, 2, r.entries);
  }
};

// A callchain before simpleperf joined it with others of its thread. The
// SAMPLE records that follow have the result.
struct SimpleperfCallchainRecord {  // CallChainRecord
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 7;
  static constexpr char kName[] = "SIMPLEPERF_CALLCHAIN";
  uint32_t pid = 0, tid = 0;
  uint64_t chain_type = 0, time = 0, ip_nr = 0;
  WordSpan ips, sps;  // ip_nr instruction and stack pointers
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
    v("chain_type", r.chain_type);
    v("time", r.time);
    v("ip_nr", r.ip_nr);
    v.Words("ips", r.ip_nr, 1, r.ips);
    v.Words("sps", r.ip_nr, 1, r.sps);
  }
};

// How simpleperf unwound the stack of the next sample
// (`--keep-failed-unwinding-result`). `data`: registers and user stack dump.
struct SimpleperfUnwindingResultRecord {  // UnwindingResultRecord
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 8;
  static constexpr char kName[] = "SIMPLEPERF_UNWINDING_RESULT";
  uint64_t time = 0, used_time = 0, error_code = 0, error_addr = 0;
  uint64_t stack_start = 0, stack_end = 0;
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("time", r.time);
    v("used_time", r.used_time);
    v("error_code", r.error_code);
    v.Hex("error_addr", r.error_addr);
    v.Hex("stack_start", r.stack_start);
    v.Hex("stack_end", r.stack_end);
    v.Rest("data", r.data);
  }
};

struct SimpleperfTracingDataRecord {  // TracingDataRecord
  static constexpr uint32_t kType = kRecordSimpleperfTracingData;
  static constexpr char kName[] = "SIMPLEPERF_TRACING_DATA";
  uint32_t size = 0;
  absl::Span<const uint8_t> data;  // as in the TRACING_DATA feature
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("size", r.size);
    v.Bytes("data", r.size, r.data);
  }
};

// A message that simpleperf left for its developers.
struct SimpleperfDebugRecord {  // DebugRecord
  static constexpr uint32_t kType = kRecordSimpleperfFirst + 10;
  static constexpr char kName[] = "SIMPLEPERF_DEBUG";
  uint64_t time = 0;
  absl::string_view message;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("time", r.time);
    v.Text("message", r.message);
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SIMPLEPERF_RECORDS_H_
