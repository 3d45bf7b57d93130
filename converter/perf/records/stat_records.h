// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_STAT_RECORDS_H_
#define PERF2X_PERF_RECORDS_STAT_RECORDS_H_

#include <cstdint>

#include "converter/base/byte_reader.h"
#include "converter/perf/records/number_span.h"
#include "converter/perf/records/wire.h"

// The records that `perf stat record` and `perf sched stats record` write,
// described as in kernel_records.h. Writers are in
// tools/perf/util/synthetic-events.c.

namespace perf2x {

struct StatConfigRecord {  // perf_event__synthesize_stat_config()
  static constexpr uint32_t kType = 75;
  static constexpr char kName[] = "STAT_CONFIG";
  enum Tag : uint64_t { kAggrMode = 0, kInterval = 1, kScale = 2 };
  uint64_t nr = 0;
  WordSpan entries;  // nr times tag, value
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("nr", r.nr);
    v.Words("entries", r.nr, 2, r.entries);
  }
};

struct StatRecord {  // perf_event__synthesize_stat()
  static constexpr uint32_t kType = kRecordStat;
  static constexpr char kName[] = "STAT";
  uint64_t id = 0;
  uint32_t cpu = 0;     // the CPU's number (old perf: its index); ~0: any
  uint32_t thread = 0;  // index into THREAD_MAP
  uint64_t value = 0, enabled = 0, running = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("id", r.id);
    v("cpu", r.cpu);
    v("thread", r.thread);
    v("value", r.value);
    v("enabled", r.enabled);
    v("running", r.running);
  }
};

struct StatRoundRecord {  // perf_event__synthesize_stat_round()
  static constexpr uint32_t kType = kRecordStatRound;
  static constexpr char kName[] = "STAT_ROUND";
  enum Kind : uint64_t { kInterval = 0, kFinal = 1 };
  uint64_t kind = 0;  // a Kind
  uint64_t time = 0;  // ns since perf stat began
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("kind", r.kind);
    v("time", r.time);
  }
};

struct SchedstatCpuRecord {  // __synthesize_schedstat_cpu()
  static constexpr uint32_t kType = 85;
  static constexpr char kName[] = "SCHEDSTAT_CPU";
  uint64_t timestamp = 0;  // as in /proc/schedstat: jiffies
  uint32_t cpu = 0;
  // Version of /proc/schedstat. Versions 15 to 17 have the fields below. For
  // other versions, these keep their defaults.
  uint16_t version = 0;
  uint32_t yld_count = 0, array_exp = 0, sched_count = 0, sched_goidle = 0,
           ttwu_count = 0, ttwu_local = 0;
  uint64_t rq_cpu_time = 0, run_delay = 0, pcount = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("timestamp", r.timestamp);
    v("cpu", r.cpu);
    v("version", r.version);
    v.Skip(2);
    if (r.version < 15 || r.version > 17) return;
    v("yld_count", r.yld_count);
    v("array_exp", r.array_exp);
    v("sched_count", r.sched_count);
    v("sched_goidle", r.sched_goidle);
    v("ttwu_count", r.ttwu_count);
    v("ttwu_local", r.ttwu_local);
    v("rq_cpu_time", r.rq_cpu_time);
    v("run_delay", r.run_delay);
    v("pcount", r.pcount);
  }
};

struct SchedstatDomainRecord {  // __synthesize_schedstat_domain()
  static constexpr uint32_t kType = 86;
  static constexpr char kName[] = "SCHEDSTAT_DOMAIN";
  uint64_t timestamp = 0;  // as in /proc/schedstat: jiffies
  uint32_t cpu = 0;
  uint16_t version = 0, domain = 0;
  uint64_t nr_counters = 0;  // not stored; follows from the record's size
  NumberSpan counters;       // order depends on the version
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("timestamp", r.timestamp);
    v("cpu", r.cpu);
    v("version", r.version);
    v("domain", r.domain);
    v.Derive(r.nr_counters, [](size_t left) { return left / 4; });
    v.Numbers("counters", r.nr_counters, 4, r.counters);
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_STAT_RECORDS_H_
