// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_MERGED_TRACE_H_
#define PERF2X_STAGES_MERGED_TRACE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/model/dso_report.h"
#include "converter/model/emitter.h"
#include "converter/model/symbolizer.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Merges the samples of several recordings into one set of tables, one
// recording after the other. Equal events, threads, DSOs and frames of two
// recordings become one. Events are equal by unit and by their recording's
// distinct name (EventNames). So two events of one recording stay apart. Files
// are equal by path and build id. Files without a build id are equal by path,
// inode and Symbolizer::trusts_paths. Kernels, modules and vDSOs are equal by
// name, build id and load address. Two recordings never share generated code,
// anonymous memory, guests, nor kernels, modules and vDSOs without a build id.
// In tables().stacks, callchains consist of frame ids instead of addresses. Not
// thread-safe, except for Resolve and Release as in Symbolizer.
class MergedTrace final : public FrameSource, public Symbolizer {
 public:
  MergedTrace();

  // The merged tables. At first, this object is their frame source and
  // symbolizer.
  TraceTables& tables() { return tables_; }

  // Adds the events of a recording that are not in the tables. To be called for
  // every recording before the first sample.
  void AddEvents(const std::vector<Event>& events);

  // Returns an emitter for one recording, whose tables are `from`. It forwards
  // samples to `to` with merged ids, and OnThread before a thread's first
  // sample. It drops all other events, as their times are not comparable across
  // recordings. It does not call Begin and Finish of `to`; its own Finish sets
  // `*summary` to the recording's summary, with merged ids. Arguments must
  // outlive the emitter. The emitter must not be used after the next call of
  // EmitterFor.
  std::unique_ptr<Emitter> EmitterFor(TraceTables& from, Emitter& to,
                                      TraceSummary* summary);
  // Sets a function that returns the symbolizer of the last EmitterFor's
  // recording, or null. The function is called for every look-up, on any
  // thread, as long as the tables are used. To be called before the recording's
  // first sample; may be called again with another function. If
  // `shares_symbols` is not set, other recordings share no DSO with this one,
  // as its symbols are in the recording itself.
  using SymbolizerOf = std::function<Symbolizer*()>;
  void SetSymbolizer(SymbolizerOf symbolizer, bool shares_symbols = true);

  // Returns the reports on the DSOs of each recording, with the numbers of its
  // own frames. `by_symbolizer` has the reports of each recording's symbolizer.
  // These cover a shared DSO only for its first recording. Both lists are in
  // the order of EmitterFor. To be called once, when all frames are symbolized.
  using Reports = std::vector<std::vector<DsoReport>>;
  Reports ReportsByRecording(const Reports& by_symbolizer);

 private:
  class Source;

  void AppendPlaces(StackId stack, FramePlaces* places) override;
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override;
  void Release(const Dso& dso) override;
  Symbolizer* SymbolizerFor(const Dso& dso) const;  // may be null

  // Returns the merged event of one whose distinct name in its recording is
  // `distinct_name`. Adds a new one: pipe streams may describe events late.
  EventId EventOf(const Event& event, const std::string& distinct_name);
  ThreadId ThreadOf(const Thread& thread, bool* is_new);
  DsoId DsoOf(const Dso& dso);
  MappingId MappingOf(DsoId dso, const Mapping& mapping);

  TraceTables tables_;
  uint32_t source_ = 0;         // counts the recordings, from 1
  bool shares_symbols_ = true;  // of the last one
  // By distinct name and unit.
  absl::flat_hash_map<std::pair<std::string, std::string>, EventId> events_;
  absl::flat_hash_map<std::string, DsoId> dsos_;
  absl::flat_hash_map<std::string, ThreadId> threads_;
  absl::flat_hash_map<std::string, MappingId> mappings_;
  std::vector<uint32_t> source_of_;  // by DsoId: the first recording with it
  std::vector<SymbolizerOf> symbolizers_;  // by source
  // Merged frames of each recording, by source.
  std::vector<std::vector<FrameId>> frames_of_;
  // Addresses that were looked up, true if symbolized, by DsoId.
  std::vector<std::vector<std::pair<uint64_t, bool>>> looked_up_;
  std::vector<uint64_t> chain_;  // scratch
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_MERGED_TRACE_H_
