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

// Returns `status`. If it is an error, puts the name of the input before its
// message, unless the message contains that name already.
absl::Status WithInputName(const std::string& input,
                           const absl::Status& status);

// Fails with InvalidArgument if `format` cannot show several recordings in one
// output with these option values.
absl::Status CheckMerges(const EmitterInfo& format,
                         const std::map<std::string, std::string>& options);

// `missing` has, for each word of the filters, the number of inputs in which it
// matched nothing; `inputs` is the number of all inputs. Fails with
// InvalidArgument if a word matched nothing in any input.
absl::Status CheckMissing(const std::map<std::string, size_t>& missing,
                          size_t inputs);

// Converts several recordings and profiles into one output of a format that
// passes CheckMerges; `inputs` must not be empty. There are three ways. If the
// format is pprof, the output is that of MergeProfiles. Otherwise, if an input
// is a profile or a pipe, the result of MergeProfiles is converted. Otherwise,
// opens each recording twice, the first time for its events, and passes all of
// them to one emitter: durations add up, and facts that differ between the
// recordings (host, kernel, …) are left empty.
//
// ConvertOptions::budget must be null: recordings that are passed to one
// emitter share a budget; for the other ways see MergeProfiles. Appends a
// report for each input to `*reports`, in order; on failure, only for inputs
// whose reading began, and not all complete. Errors of an input name it.
absl::Status Merge(const std::vector<InputIdentity>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports);

// Reads several recordings and profiles into the tables of one MergedTrace. The
// calls are ReadCommonInfo, Read for each input, CheckFilter, Conclude. Errors
// of an input name it. Not thread-safe.
class RecordingMerge {
 public:
  // All recordings share `budget`, whose ReleaseReserve the caller calls.
  // Ignores ConvertOptions::budget and FilterOptions::allow_unmatched.
  // References must outlive this.
  RecordingMerge(const ConvertOptions& options, Budget& budget,
                 Pipeline& pipeline);

  MergedTrace& trace() { return trace_; }
  // Opens each recording and reads its beginning. Returns the facts that all
  // recordings share; those that differ are empty. Adds the events of all
  // recordings to the trace. To be called once, with all recordings; there must
  // be at least one.
  absl::StatusOr<TraceInfo> ReadCommonInfo(
      const std::vector<InputIdentity>& inputs);
  // Passes the threads and samples of a recording to `emitter`, but neither
  // Begin nor Finish: the caller calls these. Sets `*summary`. Fills `*report`
  // as Conversion::Run does. `has_time_line` is EmitterInfo::has_time_line.
  absl::Status Read(const InputIdentity& input, Emitter& emitter,
                    bool has_time_line, TraceSummary* summary,
                    ConvertReport* report);
  // Fails with InvalidArgument if a word of the filter matched nothing in any
  // recording that was read.
  absl::Status CheckFilter() const;
  // Completes the reports: `*reports` must have those of all calls of Read, in
  // order. To be called once, when all frames are symbolized.
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

// Adds the summary `other` of the recording `input` to `*all`. Durations and
// counts add up; the first time and the main file are those of the first
// recording that has one. Losses are listed with the name `input`.
void AddToSummary(const std::string& input, const TraceSummary& other,
                  TraceSummary* all);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_H_
