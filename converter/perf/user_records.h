#ifndef PERF2X_PERF_USER_RECORDS_H_
#define PERF2X_PERF_USER_RECORDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/wire.h"

// The records that perf itself writes, in the manner of kernel_records.h. They
// have no sample_id trailer. Layouts: tools/lib/perf/include/perf/event.h.

namespace perf2x {

struct HeaderAttrRecord {  // perf_event__synthesize_attr()
  static constexpr uint32_t kType = kRecordHeaderAttr;
  static constexpr char kName[] = "HEADER_ATTR";
  uint32_t event_type = 0, size = 0;
  absl::Span<const uint8_t> rest;  // of the attr: DecodeAttr() takes it apart
  WordSpan ids;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("type", r.event_type);
    v("size", r.size);
    v.Bytes("attr", r.size < 8 ? 64 - 8 : r.size - 8, r.rest);
    v.Words("ids", v.left() / 8, 1, r.ids);
  }
};

struct HeaderEventTypeRecord {  // perf_event__synthesize_event_type(),
                                // until 3.10
  static constexpr uint32_t kType = kRecordHeaderEventType;
  static constexpr char kName[] = "HEADER_EVENT_TYPE";
  uint64_t event_id = 0;
  absl::string_view name;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("event_id", r.event_id);
    v.FixedText("name", 64, r.name);
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

struct FinishedRoundRecord {  // record__write(): each pass over all buffers
  static constexpr uint32_t kType = kRecordFinishedRound;
  static constexpr char kName[] = "FINISHED_ROUND";
  template <class V, class R>
  static void Fields(V&, R&) {}
};

struct IdIndexRecord {  // perf_event__synthesize_id_index()
  static constexpr uint32_t kType = kRecordIdIndex;
  static constexpr char kName[] = "ID_INDEX";
  uint64_t nr = 0;
  WordSpan entries;  // nr times id, index, cpu, tid
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("nr", r.nr);
    v.Words("entries", r.nr, 4, r.entries);
  }
};

struct EventUpdateRecord {  // perf_event__synthesize_event_update_*()
  static constexpr uint32_t kType = kRecordEventUpdate;
  static constexpr char kName[] = "EVENT_UPDATE";
  enum Kind : uint64_t { kUnit = 0, kScale = 1, kNameText = 2, kCpus = 3 };
  uint64_t kind = 0, id = 0;
  uint64_t scale_bits = 0;  // of a double
  absl::string_view text;   // unit or name
  absl::Span<const uint8_t> cpus;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("kind", r.kind);
    v("id", r.id);
    if (r.kind == kScale) {
      v.Hex("scale", r.scale_bits);
    } else if (r.kind == kUnit || r.kind == kNameText) {
      v.Text("text", r.text);
    } else {
      v.Bytes("cpus", v.left(), r.cpus);
    }
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
    v.Bytes("data", v.left(), r.data);
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_USER_RECORDS_H_
