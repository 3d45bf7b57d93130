// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_H_
#define PERF2X_CONVERT_MERGE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/convert/convert.h"
#include "converter/stages/merged_trace.h"

namespace perf2x {

// Returns `status`. If it is an error, adds the name of the input to its
// message.
absl::Status WithInputName(const std::string& input,
                           const absl::Status& status);

// Fails if `format` cannot show several recordings in one output with these
// option values.
absl::Status CheckMerges(const EmitterInfo& format,
                         const std::map<std::string, std::string>& options);

// Fails if a word of the filters, by the number of inputs that it matched
// nothing in, matched nothing in any of them.
absl::Status CheckMissing(const std::map<std::string, size_t>& missing,
                          size_t inputs);

// Converts several recordings and profiles into one output of a format that
// passes CheckMerges. If the format is a profile, or any input is a profile or
// a pipe, that is MergeProfiles, and then a conversion of the merged profile.
// Otherwise opens each recording twice, the first time for its events.
// Durations add up; facts that differ between the recordings (host, kernel, …)
// are left empty. Appends a report for each input to `*reports`, in order. The
// error names the input.
absl::Status Merge(const std::vector<InputIdentity>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports);

// Reads several recordings and profiles into the tables of one MergedTrace. Not
// thread-safe.
class RecordingMerge {
 public:
  // Takes all but `budget` and its filter's `allow_unmatched` from `options`.
  // References must outlive this. The budget is shared by all recordings.
  RecordingMerge(const ConvertOptions& options, Budget& budget,
                 Pipeline& pipeline);

  MergedTrace& trace() { return trace_; }
  // Returns the facts that all recordings share, and adds their events to the
  // trace. To be called for all recordings before the first Read.
  absl::StatusOr<TraceInfo> ReadCommonInfo(
      const std::vector<InputIdentity>& inputs);
  // Passes the samples of a recording to `emitter`, after its Begin.
  absl::Status Read(const InputIdentity& input, Emitter& emitter,
                    bool has_time_line, TraceSummary* summary,
                    ConvertReport* report);
  // Fails if a word of the filter matched nothing in any recording.
  absl::Status CheckFilter() const;
  // Completes the reports, which are those of the calls of Read in order. To be
  // called when all frames are symbolized.
  void Conclude(std::vector<ConvertReport>* reports);

 private:
  ConvertOptions options_;
  Pipeline& pipeline_;
  MergedTrace trace_;
  // Symbolizers are needed until the end; everything else of a Conversion is
  // not, but for a profile, which has symbols of its own.
  std::vector<std::unique_ptr<FileSymbolizer>> symbolizers_;
  std::vector<std::unique_ptr<Conversion>> profiles_;
  // Words of the filter that matched nothing, with the number of recordings in
  // which that is so.
  std::map<std::string, size_t> missing_;
};

// Adds the summary of the recording `input` to `*all`.
void AddToSummary(const std::string& input, const TraceSummary& other,
                  TraceSummary* all);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_H_
