// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_KERNEL_RECORDS_H_
#define PERF2X_PERF_RECORDS_KERNEL_RECORDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/wire.h"

// The records that the kernel writes, except SAMPLE. Each is a struct with one
// Fields template that lists the stored fields in order. Decoding, encoding,
// dumping, names and statistics derive from it. The sample_id trailer is not
// among the fields. The header's misc and the event's attr may exclude fields:
// these keep their defaults. Spans and strings point into the record's bytes.
// Writers are in kernel/events/core.c.
//
// A visitor (decode.h, encode.h, dump.h) has these functions:
//   v(name, number), v.Hex(name, number)
//   v.Words(name, n, stride, words): n elements of `stride` u64 words each
//   v.Numbers(name, n, width, numbers): n numbers of `width` bytes each
//   v.Bytes(name, n, bytes); v.Rest(name, bytes): all bytes that are left
//   v.Text(name, text): NUL-terminated; v.FixedText(name, n, text): n bytes,
//       whose first NUL ends the text
//   v.List(name, n, vector): n structs that have Fields and kSize
//   v.Derive(field, f): a decoder sets `field`, which is not stored, to
//       f(bytes left); other visitors leave it as it is
//   v.Skip(n): padding; v.misc(): of the header; v.attr(): of the event

namespace perf2x {

struct MmapRecord {  // perf_event_mmap_output()
  static constexpr uint32_t kType = 1;
  static constexpr char kName[] = "MMAP";
  int32_t pid = 0, tid = 0;
  uint64_t addr = 0, len = 0, pgoff = 0;
  absl::string_view filename;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
    v.Hex("addr", r.addr);
    v.Hex("len", r.len);
    v.Hex("pgoff", r.pgoff);
    v.Text("filename", r.filename);
  }
};

struct LostRecord {  // perf_output_begin(): records lost before this
  static constexpr uint32_t kType = kRecordLost;
  static constexpr char kName[] = "LOST";
  uint64_t id = 0, lost = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("id", r.id);
    v("lost", r.lost);
  }
};

struct CommRecord {  // perf_event_comm_output()
  static constexpr uint32_t kType = kRecordComm;
  static constexpr char kName[] = "COMM";
  int32_t pid = 0, tid = 0;
  absl::string_view comm;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
    v.Text("comm", r.comm);
  }
};

struct TaskRecord {  // perf_event_task_output(): FORK and EXIT
  int32_t pid = 0, ppid = 0, tid = 0, ptid = 0;
  uint64_t time = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("ppid", r.ppid);
    v("tid", r.tid);
    v("ptid", r.ptid);
    v("time", r.time);
  }
};
struct ForkRecord : TaskRecord {
  static constexpr uint32_t kType = 7;
  static constexpr char kName[] = "FORK";
};
struct ExitRecord : TaskRecord {
  static constexpr uint32_t kType = 4;
  static constexpr char kName[] = "EXIT";
};

struct ThrottleFields {  // perf_log_throttle()
  uint64_t time = 0, id = 0, stream_id = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("time", r.time);
    v("id", r.id);
    v("stream_id", r.stream_id);
  }
};
struct ThrottleRecord : ThrottleFields {
  static constexpr uint32_t kType = 5;
  static constexpr char kName[] = "THROTTLE";
};
struct UnthrottleRecord : ThrottleFields {
  static constexpr uint32_t kType = 6;
  static constexpr char kName[] = "UNTHROTTLE";
};

// Counter values as perf_output_read() writes them: perf_output_read_one(), or
// perf_output_read_group() where the attr's read_format has GROUP.
struct ReadValues {
  uint64_t value = 0, id = 0, lost = 0;  // without GROUP
  uint64_t nr = 0;                       // members, with GROUP
  uint64_t time_enabled = 0, time_running = 0;
  WordSpan members;  // nr times value, id (if ID), lost (if LOST)

  // Returns the number of words per member of a group.
  static int Stride(uint64_t read_format) {
    return 1 + ((read_format & kReadId) != 0) +
           ((read_format & kReadLost) != 0);
  }
  template <class V, class R>
  static void Fields(V& v, R& r) {
    const uint64_t format = v.attr().read_format;
    const bool group = (format & kReadGroup) != 0;
    if (group) {
      v("nr", r.nr);
    } else {
      v("value", r.value);
    }
    if ((format & kReadTotalTimeEnabled) != 0) v("enabled", r.time_enabled);
    if ((format & kReadTotalTimeRunning) != 0) v("running", r.time_running);
    if (group) {
      v.Words("members", r.nr, Stride(format), r.members);
    } else {
      if ((format & kReadId) != 0) v("id", r.id);
      if ((format & kReadLost) != 0) v("lost", r.lost);
    }
  }
};

struct ReadRecord {  // perf_event_read_event()
  static constexpr uint32_t kType = kRecordRead;
  static constexpr char kName[] = "READ";
  int32_t pid = 0, tid = 0;
  ReadValues read;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
    ReadValues::Fields(v, r.read);
  }
};

struct Mmap2Record {  // perf_event_mmap_output()
  static constexpr uint32_t kType = 10;
  static constexpr char kName[] = "MMAP2";
  int32_t pid = 0, tid = 0;
  uint64_t addr = 0, len = 0, pgoff = 0;
  // Either the inode or, with misc MMAP_BUILD_ID, the build id.
  uint32_t maj = 0, min = 0;
  uint64_t ino = 0, ino_generation = 0;
  uint8_t build_id_size = 0;
  absl::Span<const uint8_t> build_id;  // 20 bytes, of which build_id_size count
  uint32_t prot = 0, flags = 0;
  absl::string_view filename;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
    v.Hex("addr", r.addr);
    v.Hex("len", r.len);
    v.Hex("pgoff", r.pgoff);
    if ((v.misc() & kMiscMmapBuildId) != 0) {
      v("build_id_size", r.build_id_size);
      v.Skip(3);
      v.Bytes("build_id", 20, r.build_id);
    } else {
      v("maj", r.maj);
      v("min", r.min);
      v("ino", r.ino);
      v("ino_generation", r.ino_generation);
    }
    v.Hex("prot", r.prot);
    v.Hex("flags", r.flags);
    v.Text("filename", r.filename);
  }
};

struct AuxRecord {  // perf_event_aux_event()
  static constexpr uint32_t kType = 11;
  static constexpr char kName[] = "AUX";
  // PERF_AUX_FLAG_*: the bits of `flags` which say that data is missing.
  enum Flag : uint64_t { kTruncated = 1, kPartial = 4, kCollision = 8 };
  uint64_t aux_offset = 0, aux_size = 0, flags = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("aux_offset", r.aux_offset);
    v.Hex("aux_size", r.aux_size);
    v.Hex("flags", r.flags);
  }
};

struct ItraceStartRecord {  // perf_log_itrace_start()
  static constexpr uint32_t kType = 12;
  static constexpr char kName[] = "ITRACE_START";
  int32_t pid = 0, tid = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
  }
};

struct LostSamplesRecord {  // perf_log_lost_samples(); perf writes one at exit
  static constexpr uint32_t kType = kRecordLostSamples;
  static constexpr char kName[] = "LOST_SAMPLES";
  uint64_t lost = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("lost", r.lost);
  }
};

struct SwitchRecord {  // perf_event_switch_output()
  static constexpr uint32_t kType = kRecordSwitch;
  static constexpr char kName[] = "SWITCH";
  template <class V, class R>
  static void Fields(V&, R&) {}
};

struct SwitchCpuWideRecord {  // perf_event_switch_output()
  static constexpr uint32_t kType = kRecordSwitchCpuWide;
  static constexpr char kName[] = "SWITCH_CPU_WIDE";
  // The next task when switching out, the previous one when switching in.
  int32_t next_prev_pid = 0, next_prev_tid = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("next_prev_pid", r.next_prev_pid);
    v("next_prev_tid", r.next_prev_tid);
  }
};

struct NamespacesRecord {  // perf_event_namespaces_output()
  static constexpr uint32_t kType = 16;
  static constexpr char kName[] = "NAMESPACES";
  int32_t pid = 0, tid = 0;
  uint64_t nr = 0;
  // nr times device, inode; in the order net, uts, ipc, pid, user, mnt, cgroup.
  WordSpan namespaces;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("pid", r.pid);
    v("tid", r.tid);
    v("nr", r.nr);
    v.Words("namespaces", r.nr, 2, r.namespaces);
  }
};

struct KsymbolRecord {  // perf_event_ksymbol_output()
  static constexpr uint32_t kType = 17;
  static constexpr char kName[] = "KSYMBOL";
  static constexpr uint16_t kUnregister = 1;  // in flags
  uint64_t addr = 0;
  uint32_t len = 0;
  uint16_t ksym_type = 0, flags = 0;
  absl::string_view name;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("addr", r.addr);
    v("len", r.len);
    v("ksym_type", r.ksym_type);
    v.Hex("flags", r.flags);
    v.Text("name", r.name);
  }
};

struct BpfEventRecord {  // perf_event_bpf_output()
  static constexpr uint32_t kType = 18;
  static constexpr char kName[] = "BPF_EVENT";
  uint16_t bpf_type = 0, flags = 0;
  uint32_t id = 0;
  absl::Span<const uint8_t> tag;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("bpf_type", r.bpf_type);
    v.Hex("flags", r.flags);
    v("id", r.id);
    v.Bytes("tag", 8, r.tag);
  }
};

struct CgroupRecord {  // perf_event_cgroup_output()
  static constexpr uint32_t kType = 19;
  static constexpr char kName[] = "CGROUP";
  uint64_t id = 0;
  absl::string_view path;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("id", r.id);
    v.Text("path", r.path);
  }
};

struct TextPokeRecord {  // perf_event_text_poke_output()
  static constexpr uint32_t kType = 20;
  static constexpr char kName[] = "TEXT_POKE";
  uint64_t addr = 0;
  uint16_t old_len = 0, new_len = 0;
  absl::Span<const uint8_t> old_bytes, new_bytes;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("addr", r.addr);
    v("old_len", r.old_len);
    v("new_len", r.new_len);
    v.Bytes("old_bytes", r.old_len, r.old_bytes);
    v.Bytes("new_bytes", r.new_len, r.new_bytes);
  }
};

struct AuxOutputHwIdRecord {  // perf_report_aux_output_id()
  static constexpr uint32_t kType = 21;
  static constexpr char kName[] = "AUX_OUTPUT_HW_ID";
  uint64_t hw_id = 0;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v("hw_id", r.hw_id);
  }
};

struct CallchainDeferredRecord {  // perf_event_callchain_deferred_output()
  static constexpr uint32_t kType = kRecordCallchainDeferred;
  static constexpr char kName[] = "CALLCHAIN_DEFERRED";
  uint64_t cookie = 0, nr = 0;
  WordSpan ips;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Hex("cookie", r.cookie);
    v("nr", r.nr);
    v.Words("ips", r.nr, 1, r.ips);
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_KERNEL_RECORDS_H_
