// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_CONVERT_BRANCH_LIST_H_
#define PERF2X_CONVERT_CONVERT_BRANCH_LIST_H_

#include <optional>

#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/base/pipeline.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/model/emitter.h"
#include "converter/perf/header/file_header.h"

namespace perf2x {

// Returns the branch list that `simpleperf record --decode-etm` writes into a
// recording in place of the trace (feature ETM_BRANCH_LIST); nullopt if the
// input has none, or if it is damaged. If a stream has one, spools it. Adds
// damage, and a note if the recording also has samples with branch stacks, to
// `*diagnostics`. Fails if the stream cannot be spooled.
absl::StatusOr<std::optional<FileSection>> FindRecordedBranchList(
    Input* input, Diagnostics* diagnostics);

// Converts a branch list to a format about the code of one file: the input's
// bytes, or those `in_recording`. Ignores ConvertOptions::progress and
// ConvertOptions::budget: has a budget of its own. Fails with
// FailedPrecondition if the format is another one, or if the options filter
// samples; with Unimplemented as CheckBranchList does; with DataLoss if the
// input cannot be read or needs more memory than its size allows; with the
// errors of BranchListSource and the emitter. Fills and completes `*report`,
// also on failure, once the input is read.
absl::Status ConvertBranchList(Input input,
                               const std::optional<FileSection>& in_recording,
                               const EmitterInfo& format,
                               OutputFactory& outputs,
                               const ConvertOptions& options,
                               Pipeline& pipeline, ConvertReport* report);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_CONVERT_BRANCH_LIST_H_
