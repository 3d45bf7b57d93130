#ifndef PERF2X_STAGES_MERGED_PROFILE_H_
#define PERF2X_STAGES_MERGED_PROFILE_H_

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

// The tables of several recordings' profile in one. Events, threads, code and
// frames that are the same in two recordings are one here: code by build id
// where there is one, else by path and inode; code without a file belongs to
// its recording. A stack is kept as the numbers of its frames.
class MergedProfile final : public FrameSource, public Symbolizer {
 public:
  MergedProfile();

  TraceTables& tables() { return tables_; }

  // All events of a recording; to be called for each before the first sample.
  void AddEvents(const std::vector<Event>& events);

  // What is read of one recording is told to `to` as part of all. Events that
  // are no samples are not: their times say nothing across recordings. What
  // the recording's summary says is left in `*summary`. All must outlive the
  // emitter.
  std::unique_ptr<Emitter> EmitterFor(TraceTables& from, Emitter& to,
                                      TraceSummary* summary);
  // Gives what names the code of the recording that EmitterFor was last called
  // for, or null; asked whenever something is to be named.
  using SymbolizerOf = std::function<Symbolizer*()>;
  void SetSymbolizer(SymbolizerOf symbolizer);

  // What each recording's symbolizer reports, in the order of EmitterFor, as it
  // would had each recording been converted alone: code that several have is
  // looked up once, by the symbolizer of the first. To be called at the end.
  using Reports = std::vector<std::vector<DsoReport>>;
  Reports ReportsByRecording(const Reports& by_symbolizer);

 private:
  class Source;

  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override;
  void Resolve(const Dso& file, absl::Span<const uint64_t> addresses,
               Found found) override;
  void Release(const Dso& file) override;
  Symbolizer* SymbolizerFor(const Dso& file) const;  // may be null

  // An event that is not known yet is added: streams may describe some late.
  EventId EventOf(const Event& event);
  ThreadId ThreadOf(const Thread& thread, bool* is_new);
  DsoId FileOf(const Dso& file);
  MappingId MappingOf(DsoId file, const Mapping& mapping);

  TraceTables tables_;
  uint32_t source_ = 0;  // counts the recordings, from 1
  // By name and unit.
  absl::flat_hash_map<std::pair<std::string, std::string>, EventId> events_;
  absl::flat_hash_map<std::string, DsoId> files_;
  absl::flat_hash_map<std::string, ThreadId> threads_;
  absl::flat_hash_map<std::string, MappingId> mappings_;
  std::vector<uint32_t> source_of_;        // by DsoId: what first had it
  std::vector<SymbolizerOf> symbolizers_;  // by source
  // What of each recording's frames became of them here, by source.
  std::vector<std::vector<FrameId>> frames_of_;
  // Addresses that were looked up and whether they got a name, by DsoId.
  std::vector<std::vector<std::pair<uint64_t, bool>>> looked_up_;
  std::vector<uint64_t> chain_;  // room for the one at hand
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_MERGED_PROFILE_H_
