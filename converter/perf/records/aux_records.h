// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_AUX_RECORDS_H_
#define PERF2X_PERF_RECORDS_AUX_RECORDS_H_

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/wire.h"

// perf's records about AUX area traces (Intel PT, Arm SPE, CoreSight, …),
// described as in kernel_records.h. Writers are in tools/perf/util/auxtrace.c.

namespace perf2x {

// perf_record_auxtrace_info.type: the kind of trace, and so of its decoder.
enum AuxtraceType : uint32_t {
  kAuxtraceUnknown = 0,
  kAuxtraceIntelPt = 1,
  kAuxtraceIntelBts = 2,
  kAuxtraceCsEtm = 3,
  kAuxtraceArmSpe = 4,
  kAuxtraceS390Cpumsf = 5,
  kAuxtraceHisiPtt = 6,
  kAuxtraceVpaDtl = 7,
};
// Returns the name of an AuxtraceType: "Intel PT". Returns "unknown" for all
// other numbers.
inline const char* AuxtraceTypeName(uint32_t type) {
  constexpr const char* kNames[] = {
      "unknown", "Intel PT",       "Intel BTS",     "CoreSight ETM",
      "Arm SPE", "s390 CPU-MF SF", "HiSilicon PTT", "PowerPC VPA DTL"};
  return type < std::size(kNames) ? kNames[type] : kNames[0];
}

// Returns true for the types of traces that have a decoder.
inline bool IsDecodedTrace(uint32_t type) {
  return type == kAuxtraceArmSpe || type == kAuxtraceIntelPt ||
         type == kAuxtraceCsEtm;
}

struct AuxtraceInfoRecord {  // perf_event__synthesize_auxtrace_info()
  static constexpr uint32_t kType = kRecordAuxtraceInfo;
  static constexpr char kName[] = "AUXTRACE_INFO";
  uint32_t trace_type = 0;
  uint64_t nr_priv = 0;  // not stored; follows from the record's size
  WordSpan priv;         // contents depend on the trace type
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("type", r.trace_type);
    v.Skip(4);
    v.Derive(r.nr_priv, [](size_t left) { return left / 8; });
    v.Words("priv", r.nr_priv, 1, r.priv);
  }
};

struct AuxtraceRecord {  // perf_event__synthesize_auxtrace()
  static constexpr uint32_t kType = kRecordAuxtrace;
  static constexpr char kName[] = "AUXTRACE";
  uint64_t size = 0;  // bytes of trace that follow the record
  uint64_t offset = 0, reference = 0;
  uint32_t idx = 0;
  int32_t tid = 0, cpu = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("size", r.size);
    v.Hex("offset", r.offset);
    v.Hex("reference", r.reference);
    v("idx", r.idx);
    v("tid", r.tid);
    v("cpu", r.cpu);
    v.Skip(4);
  }
};

struct AuxtraceErrorRecord {  // auxtrace_synth_guest_error()
  static constexpr uint32_t kType = 72;
  static constexpr char kName[] = "AUXTRACE_ERROR";
  static constexpr uint64_t kMessageSize = 64;
  uint32_t error_type = 0, code = 0;
  int32_t cpu = 0, pid = 0, tid = 0;
  uint32_t fmt = 0;
  uint64_t ip = 0;
  uint64_t time = 0;  // since fmt 1
  // The size of `message` in bytes; not a field of the record. In fmt 2,
  // `message` has kMessageSize bytes. In fmt 0 and 1 it is the last field: its
  // text, NUL and padding extend to the end of the record.
  uint64_t message_size = 0;
  absl::string_view message;
  int32_t machine_pid = 0, vcpu = 0;  // since fmt 2
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("type", r.error_type);
    v("code", r.code);
    v("cpu", r.cpu);
    v("pid", r.pid);
    v("tid", r.tid);
    v("fmt", r.fmt);
    v.Hex("ip", r.ip);
    if (r.fmt >= 1) v("time", r.time);
    v.Derive(r.message_size, [](size_t left) {
      return std::min<uint64_t>(left, kMessageSize);
    });
    v.FixedText("message", r.message_size, r.message);
    if (r.fmt >= 2) {
      v("machine_pid", r.machine_pid);
      v("vcpu", r.vcpu);
    }
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_AUX_RECORDS_H_
