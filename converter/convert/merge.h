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
#include "converter/convert/conversion.h"
#include "converter/convert/convert.h"
#include "converter/stages/merged_trace.h"

namespace perf2x {

// Returns `status`. Puts the name of the input before the message of an error.
// Leaves a message that contains the name already.
absl::Status WithInputName(const std::string& input,
                           const absl::Status& status);

// Returns OK if `format` can show several recordings in one output with these
// values of its options, by option name. Else fails with InvalidArgument.
absl::Status CheckCanMerge(const EmitterInfo& format,
                           const std::map<std::string, std::string>& options);

// Fails with InvalidArgument if a word of the filters matched nothing in any
// input. `unmatched` has, by word, the number of inputs in which the word
// matched nothing. `inputs` is the number of all inputs.
absl::Status CheckUnmatched(const std::map<std::string, size_t>& unmatched,
                            size_t inputs);

// Converts several recordings and profiles into one output of a format that
// passes CheckCanMerge. `inputs` must not be empty. There are three ways:
// - For pprof, writes the result of MergeProfiles.
// - For other formats, if an input is a profile or a pipe, converts the result
//   of MergeProfiles.
// - Otherwise, opens each recording twice, first for its events. Passes all
//   recordings to one emitter. Durations add up. Facts that differ between the
//   recordings (host, kernel, …) are empty.
//
// ConvertOptions::budget must be null. Recordings that are passed to one
// emitter share a budget; for the other ways see MergeProfiles. Appends a
// report for each input, in order, to `*reports`, which must be empty. On
// failure, only inputs whose reading began have a report, which may be
// incomplete. Errors of an input name it.
absl::Status Merge(const std::vector<InputIdentity>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports);

// Reads several recordings and profiles into the tables of one MergedTrace. To
// be called in this order: ReadCommonInfo, Read for each input, CheckFilter,
// CompleteReports. Errors of an input name it. Not thread-safe.
class RecordingMerge {
 public:
  // All recordings share `budget`, whose ReleaseReserve the caller calls.
  // Ignores ConvertOptions::budget and FilterOptions::allow_unmatched.
  // References must outlive this.
  RecordingMerge(const ConvertOptions& options, Budget& budget,
                 Pipeline& pipeline);

  // The events, threads and code of all inputs. Valid as long as this.
  MergedTrace& trace() { return trace_; }
  // Opens each input and reads its beginning. Adds the events of all inputs to
  // the trace. Returns the TraceInfo of the first input, with the names of all
  // inputs in TraceInfo::input. Clears facts about host, kernel, CPU, perf and
  // command line that differ between inputs. To be called once, with all
  // inputs, at least one.
  absl::StatusOr<TraceInfo> ReadCommonInfo(
      const std::vector<InputIdentity>& inputs);
  // Opens inputs that will not be merged, and adds their events to the trace.
  // So a merge of some inputs has the same distinct event names (EventNames) as
  // a merge of all. To be called before ReadCommonInfo.
  absl::Status AddEventsOf(const std::vector<InputIdentity>& inputs);
  // Calls OnThread and OnSample of `emitter` for one input; the caller calls
  // Begin and Finish. Sets `*summary` to the input's summary. Fills `*report`
  // as Conversion::Run does. `has_time_line` is EmitterInfo::has_time_line.
  absl::Status Read(const InputIdentity& input, Emitter& emitter,
                    bool has_time_line, TraceSummary* summary,
                    ConvertReport* report);
  // Fails as CheckUnmatched does, for the inputs that were read.
  absl::Status CheckFilter() const;
  // Completes the reports (CompleteReport). Requires that `*reports` has the
  // reports of all calls of Read, in order. To be called once, when all frames
  // are symbolized.
  void CompleteReports(std::vector<ConvertReport>* reports);

 private:
  absl::StatusOr<TraceInfo> ReadHead(const InputIdentity& input);

  ConvertOptions options_;
  Pipeline& pipeline_;
  MergedTrace trace_;
  // Symbolizers are needed until the end; everything else of a Conversion is
  // not, but for a profile, which has symbols of its own.
  std::vector<std::unique_ptr<FileSymbolizer>> symbolizers_;
  std::vector<std::unique_ptr<Conversion>> profiles_;
  // Words of the filter that matched nothing, with the number of recordings in
  // which that is so.
  std::map<std::string, size_t> unmatched_;
};

// Adds the summary `other` of the recording `input` to `*all`. Durations and
// counts add up. The first time and the main file are from the first recording
// that has one. Puts "INPUT: " before each of its losses.
void AddToSummary(const std::string& input, const TraceSummary& other,
                  TraceSummary* all);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_H_
