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
// recordings become one. Events are equal by name and unit. Files are equal by
// path and build id or, without one, by path and inode; then either both
// symbolizers must trust paths or neither. Kernels, modules and vDSOs are equal
// by name, build id and load address. Without a build id, they belong to their
// recording, as do generated code, anonymous memory and guests. The
// "callchains" in tables().stacks are frame ids. Not thread-safe, except for
// Resolve and Release as in Symbolizer.
class MergedTrace final : public FrameSource, public Symbolizer {
 public:
  MergedTrace();

  // The merged tables. At first, this object is their frame source and
  // symbolizer.
  TraceTables& tables() { return tables_; }

  // Adds the events of a recording that are not in the tables. To be called for
  // every recording before the first sample.
  void AddEvents(const std::vector<Event>& events);

  // Returns an emitter that forwards the samples of one recording to `to`, with
  // merged ids, and each thread before its first sample. It drops all else, as
  // times are not comparable across recordings: the caller must call Begin and
  // Finish of `to`. Its Finish sets `*summary` to the recording's summary, with
  // merged ids. Arguments must outlive the emitter, which must not be used
  // after the next call of EmitterFor.
  std::unique_ptr<Emitter> EmitterFor(TraceTables& from, Emitter& to,
                                      TraceSummary* summary);
  // Sets the symbolizer of the recording of the last EmitterFor: a function
  // that returns it, or null. It is called for every look-up, on any thread, as
  // long as the tables are used. Without it, the recording's code is not
  // symbolized. Unless `shares_symbols`, the recording's DSOs are not those of
  // others: the symbols are in the recording itself, of its addresses alone.
  using SymbolizerOf = std::function<Symbolizer*()>;
  void SetSymbolizer(SymbolizerOf symbolizer, bool shares_symbols = true);

  // Returns the reports of each recording as if it had been converted alone,
  // although a shared DSO is symbolized only for its first recording.
  // `by_symbolizer` has the reports of each recording's symbolizer. Both are in
  // the order of EmitterFor. To be called once, when all is symbolized.
  using Reports = std::vector<std::vector<DsoReport>>;
  Reports ReportsByRecording(const Reports& by_symbolizer);

 private:
  class Source;

  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override;
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override;
  void Release(const Dso& dso) override;
  Symbolizer* SymbolizerFor(const Dso& dso) const;  // may be null

  // Returns the merged event. Adds a new one: pipe streams may describe events
  // late.
  EventId EventOf(const Event& event);
  ThreadId ThreadOf(const Thread& thread, bool* is_new);
  DsoId DsoOf(const Dso& dso);
  MappingId MappingOf(DsoId dso, const Mapping& mapping);

  TraceTables tables_;
  uint32_t source_ = 0;         // counts the recordings, from 1
  bool shares_symbols_ = true;  // of the last one
  // By name and unit.
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
