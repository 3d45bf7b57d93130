// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_CONVERT_BRANCH_LIST_H_
#define PERF2X_CONVERT_CONVERT_BRANCH_LIST_H_

#include "absl/status/status.h"
#include "converter/base/pipeline.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Returns true if the input is a branch list of simpleperf, judged by its first
// bytes. If the input is a stream, reads the first bytes, which may block. Then
// replaces `input->stream` by a stream that begins with them. A read error
// counts as the end of the stream.
bool IsBranchListInput(Input* input);

// Converts a branch list to a format about the code of one file. Ignores
// ConvertOptions::progress and ConvertOptions::budget: has a budget of its own.
// Fails with FailedPrecondition if the format is another one, or if the options
// filter samples; with DataLoss if the input cannot be read or needs more
// memory than its size allows; with the errors of BranchListSource and the
// emitter. Fills and completes `*report`, also on failure, once the input is
// read.
absl::Status ConvertBranchList(Input input, const EmitterInfo& format,
                               OutputFactory& outputs,
                               const ConvertOptions& options,
                               Pipeline& pipeline, ConvertReport* report);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_CONVERT_BRANCH_LIST_H_
