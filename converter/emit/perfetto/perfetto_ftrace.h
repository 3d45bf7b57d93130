// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_FTRACE_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_FTRACE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/proto_writer.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes the kernel's events as ftrace bundles (FtraceEventBundle). A bundle
// has events of one CPU. Skips events whose CPU is negative or not below
// kMaxCpus, and counts them in the diagnostics. Charges memory to the budget;
// does not check it. Not thread-safe.
class PerfettoFtrace {
 public:
  // Readers refuse traces with CPUs of this number or above.
  static constexpr int32_t kMaxCpus = 1024;

  // A thread as the kernel's events name it.
  struct Task {
    int32_t tid = 0;
    absl::string_view name;
  };

  // All must outlive this; `diagnostics` may be null.
  PerfettoFtrace(PerfettoPackets& packets, Budget& budget,
                 Diagnostics* diagnostics)
      : packets_(packets), memory_(budget), diagnostics_(diagnostics) {}

  // Writes that a CPU began to run `next`. `previous_state` is the state of the
  // thread that the CPU ran before (see TaskStateBits). The times for one CPU
  // must not descend.
  void Switch(int32_t cpu, uint64_t time, uint64_t previous_state,
              const Task& next);
  // Writes that the thread with the tid `waker`, on `cpu`, made `woken`
  // runnable. `target_cpu` is the CPU on which `woken` will run; -1: not known.
  void Waking(int32_t cpu, uint64_t time, int32_t waker, const Task& woken,
              int32_t target_cpu);
  // Writes a sample of the tracepoint `name`, taken in the thread `tid`.
  // `sample.cpu` must not be negative; `sample.time` is not used. Fields after
  // the 31st are skipped and counted.
  void Tracepoint(const Sample& sample, int32_t tid, uint64_t time,
                  absl::string_view name);
  // Counts a switch or wake-up without a known CPU as skipped. Writes nothing.
  void CountSkippedWithoutCpu();
  // Marks that the CPU lost events, in its bundle. Does nothing if `cpu` has no
  // events so far.
  void OnLost(int32_t cpu);
  // Writes the bundles that are not full. To be called once, last, but before
  // PerfettoPackets::Finish.
  void Finish();

 private:
  static constexpr size_t kBundleSize = 8 << 10;

  // The bundle of a CPU.
  struct Bundle {
    ProtoWriter events;  // fields of FtraceEventBundle
    // Columns of switches. Empty: there are none.
    ProtoWriter times, states, tids, priorities, names;
    uint64_t latest = 0;  // time of the last switch
    ProtoWriter strings;  // the intern_table
    std::map<std::string, uint32_t, std::less<>> indexes;  // in it
    bool lost = false;
    size_t size() const {
      return events.size() + times.size() + names.size() + strings.size();
    }
  };
  struct Cpu {
    bool has_switched = false;
    Bundle bundle;
  };
  // The form of a tracepoint: its fields' names and types.
  struct Form {
    uint32_t field = 0;  // in FtraceEvent
    std::vector<std::string> names;
    std::vector<int> types;
    bool Matches(Fields fields) const;
  };
  // The forms of an event. Samples of one event mostly have the same fields,
  // but fields that cannot be decoded are missing.
  struct Forms {
    std::vector<Form> forms;
    size_t latest = 0;  // index of the form that was used last
    absl::flat_hash_map<std::string, size_t> indexes;  // by KeyOf
  };

  static std::string KeyOf(Fields fields);
  Cpu* CpuOf(int32_t cpu);
  void FirstSwitch(Bundle& bundle, uint64_t time, const Task& next);
  uint32_t NameIndex(Bundle& bundle, absl::string_view name);
  const Form& FormOf(EventId event, absl::string_view name, Fields fields,
                     Bundle& bundle);
  void WriteForm(const Form& form, absl::string_view name, Bundle& bundle);
  size_t OpenEvent(Bundle& bundle, uint64_t time, int32_t tid);
  void MaybeFlush(int32_t cpu, Bundle& bundle);
  void Flush(int32_t cpu, Bundle& bundle);

  PerfettoPackets& packets_;
  Budget::Share memory_;  // of forms_
  Diagnostics* const diagnostics_;
  std::map<int32_t, Cpu> cpus_;
  std::vector<Forms> forms_;  // by event
  uint32_t form_count_ = 0;
  std::string scratch_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_FTRACE_H_
