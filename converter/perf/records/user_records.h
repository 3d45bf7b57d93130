// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_USER_RECORDS_H_
#define PERF2X_PERF_RECORDS_USER_RECORDS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/number_span.h"
#include "converter/perf/records/wire.h"

// The records that perf itself writes, described as in kernel_records.h.
// Records of AUX area traces are in aux_records.h, records of perf stat in
// stat_records.h. User records have no sample_id trailer. Layouts:
// tools/lib/perf/include/perf/event.h.

namespace perf2x {

// A bit of perf_event_header.misc in LOST_SAMPLES records. If set, perf's BPF
// filter (`perf record --filter`) dropped the samples; else the kernel lost
// them.
inline constexpr uint16_t kMiscLostSamplesBpf = 1 << 15;

struct HeaderAttrRecord {  // perf_event__synthesize_attr()
  static constexpr uint32_t kType = kRecordHeaderAttr;
  static constexpr char kName[] = "HEADER_ATTR";
  uint32_t event_type = 0, size = 0;
  absl::Span<const uint8_t> rest;  // rest of the attr; see DecodeAttr()
  uint64_t nr_ids = 0;             // not stored; follows from the record's size
  WordSpan ids;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("type", r.event_type);
    v("size", r.size);
    v.Bytes("attr", r.size < 8 ? 64 - 8 : r.size - 8, r.rest);
    v.Derive(r.nr_ids, [](size_t left) { return left / 8; });
    v.Words("ids", r.nr_ids, 1, r.ids);
  }
};

struct HeaderEventTypeRecord {  // perf_event__synthesize_event_type(),
                                // until 3.10
  static constexpr uint32_t kType = kRecordHeaderEventType;
  static constexpr char kName[] = "HEADER_EVENT_TYPE";
  uint64_t event_id = 0;
  // perf writes the words of the name that are used, perhaps without NUL.
  uint64_t name_size = 0;
  absl::string_view name;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("event_id", r.event_id);
    v.Derive(r.name_size, [](size_t left) -> size_t {
      return left > 0 && left < 64 && left % 8 == 0 ? left : 64;
    });
    v.FixedText("name", r.name_size, r.name);
  }
};

struct HeaderTracingDataRecord {  // perf_event__synthesize_tracing_data()
  static constexpr uint32_t kType = kRecordHeaderTracingData;
  static constexpr char kName[] = "HEADER_TRACING_DATA";
  uint32_t size = 0;  // bytes that follow the record
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("size", r.size);
  }
};

struct HeaderBuildIdRecord {  // perf_event__synthesize_build_id()
  static constexpr uint32_t kType = kRecordHeaderBuildId;
  static constexpr char kName[] = "HEADER_BUILD_ID";
  int32_t pid = 0;
  absl::Span<const uint8_t> build_id;  // 20 bytes
  uint8_t size = 0;                    // valid with misc BUILD_ID_SIZE
  absl::string_view filename;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v.Bytes("build_id", 20, r.build_id);
    v("size", r.size);
    v.Skip(3);
    v.Text("filename", r.filename);
  }
};

struct FinishedRoundRecord {  // record__write(): after a pass over all buffers
  static constexpr uint32_t kType = kRecordFinishedRound;
  static constexpr char kName[] = "FINISHED_ROUND";
  template <class V, class R>
  static void Fields(V&, R&) {}
};

struct IdIndexRecord {  // perf_event__synthesize_id_index()
  static constexpr uint32_t kType = 69;
  static constexpr char kName[] = "ID_INDEX";
  uint64_t nr = 0;
  WordSpan entries;  // nr times id, index, cpu, tid
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("nr", r.nr);
    v.Words("entries", r.nr, 4, r.entries);
  }
};

// A set of CPUs, in one of three forms: cpu_map_data__synthesize().
struct CpuMapData {
  enum Kind : uint16_t { kList = 0, kMask = 1, kRange = 2 };
  static constexpr uint16_t kAnyCpu = 0xffff;  // in a list
  uint16_t kind = 0;
  uint16_t nr = 0;         // number of CPUs, or of words of the mask
  uint16_t long_size = 0;  // bytes in a word of the mask
  NumberSpan cpus, mask;
  uint8_t any_cpu = 0;
  uint16_t start_cpu = 0, end_cpu = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("kind", r.kind);
    if (r.kind == kList) {
      v("nr", r.nr);
      v.Numbers("cpus", r.nr, 2, r.cpus);
    } else if (r.kind == kMask) {
      v("nr", r.nr);
      v("long_size", r.long_size);
      // perf_record_mask_cpu_map64 has 4 bytes of padding before the words.
      if (r.long_size == 8) v.Skip(4);
      v.Numbers("mask", r.nr, r.long_size == 8 ? 8 : 4, r.mask);
    } else if (r.kind == kRange) {
      v("any_cpu", r.any_cpu);
      v.Skip(1);
      v("start_cpu", r.start_cpu);
      v("end_cpu", r.end_cpu);
    }
  }
};

struct CpuMapRecord {  // perf_event__synthesize_cpu_map()
  static constexpr uint32_t kType = 74;
  static constexpr char kName[] = "CPU_MAP";
  CpuMapData map;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    CpuMapData::Fields(v, r.map);
  }
};

struct ThreadMapRecord {  // perf_event__synthesize_thread_map2()
  static constexpr uint32_t kType = kRecordThreadMap;
  static constexpr char kName[] = "THREAD_MAP";
  struct Entry {
    static constexpr size_t kSize = 24;
    int64_t pid = 0;  // -1: all
    absl::string_view comm;
    template <class V, class R>
    static void Fields(V& v, R& r) {
      v("pid", r.pid);
      v.FixedText("comm", 16, r.comm);
    }
  };
  uint64_t nr = 0;
  std::vector<Entry> threads;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("nr", r.nr);
    v.List("threads", r.nr, r.threads);
  }
};

struct EventUpdateRecord {  // perf_event__synthesize_event_update_*()
  static constexpr uint32_t kType = kRecordEventUpdate;
  static constexpr char kName[] = "EVENT_UPDATE";
  enum Kind : uint64_t { kUnit = 0, kScale = 1, kNameText = 2, kCpus = 3 };
  uint64_t kind = 0, id = 0;
  uint64_t scale_bits = 0;  // bits of a double
  absl::string_view text;   // unit or name
  CpuMapData cpus;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("kind", r.kind);
    v("id", r.id);
    if (r.kind == kScale) {
      v.Hex("scale", r.scale_bits);
    } else if (r.kind == kUnit || r.kind == kNameText) {
      v.Text("text", r.text);
    } else {
      CpuMapData::Fields(v, r.cpus);
    }
  }
};

struct TimeConvRecord {  // perf_event__synth_time_conv()
  static constexpr uint32_t kType = kRecordTimeConv;
  static constexpr char kName[] = "TIME_CONV";
  uint64_t time_shift = 0, time_mult = 0, time_zero = 0;
  bool has_cycles = false;  // not stored; set if fields of perf 5.10 follow
  uint64_t time_cycles = 0, time_mask = 0;
  uint8_t cap_user_time_zero = 0, cap_user_time_short = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("time_shift", r.time_shift);
    v("time_mult", r.time_mult);
    v("time_zero", r.time_zero);
    v.Derive(r.has_cycles, [](size_t left) { return left >= 24; });
    if (!r.has_cycles) return;
    v("time_cycles", r.time_cycles);
    v.Hex("time_mask", r.time_mask);
    v("cap_user_time_zero", r.cap_user_time_zero);
    v("cap_user_time_short", r.cap_user_time_short);
    v.Skip(6);
  }
};

struct HeaderFeatureRecord {  // perf_event__synthesize_features()
  static constexpr uint32_t kType = kRecordHeaderFeature;
  static constexpr char kName[] = "HEADER_FEATURE";
  uint64_t feature = 0;
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("feature", r.feature);
    v.Rest("data", r.data);
  }
};

// The reader decompresses COMPRESSED and COMPRESSED2 records and never returns
// them (decompressor.h). They are listed for their names and for code that
// writes recordings.
struct CompressedRecord {  // zstd_compress(), builtin-record.c
  static constexpr uint32_t kType = kRecordCompressed;
  static constexpr char kName[] = "COMPRESSED";
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Rest("data", r.data);
  }
};

struct Compressed2Record {  // zstd_compress() since 6.16
  static constexpr uint32_t kType = kRecordCompressed2;
  static constexpr char kName[] = "COMPRESSED2";
  uint64_t data_size = 0;
  absl::Span<const uint8_t> data;  // padding to 8 may follow
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("data_size", r.data_size);
    v.Bytes("data", r.data_size, r.data);
  }
};

struct FinishedInitRecord {  // record__write_finished_init()
  static constexpr uint32_t kType = 82;
  static constexpr char kName[] = "FINISHED_INIT";
  template <class V, class R>
  static void Fields(V&, R&) {}
};

struct BpfMetadataRecord {  // synthesize_final_bpf_metadata()
  static constexpr uint32_t kType = 84;
  static constexpr char kName[] = "BPF_METADATA";
  struct Entry {
    static constexpr size_t kSize = 64 + 256;
    absl::string_view key, value;
    template <class V, class R>
    static void Fields(V& v, R& r) {
      v.FixedText("key", 64, r.key);
      v.FixedText("value", 256, r.value);
    }
  };
  uint64_t name_size = 256;  // not stored: KSYM_NAME_LEN of the writer
  absl::string_view prog_name;
  uint64_t nr = 0;
  std::vector<Entry> entries;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Derive(r.name_size, [](size_t left) {
      // 256, in newer kernels 512: the size that leaves a whole number of
      // entries.
      return left >= 264 && (left - 264) % Entry::kSize == 0 ? 256 : 512;
    });
    v.FixedText("prog_name", r.name_size, r.prog_name);
    v("nr", r.nr);
    v.List("entries", r.nr, r.entries);
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_USER_RECORDS_H_
