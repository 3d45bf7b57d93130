// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_OUTPUT_CHECK_H_
#define PERF2X_CONVERT_OUTPUT_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace perf2x {

// Fails with InvalidArgument if a file is in both `inputs` and `outputs`, or
// twice in `outputs`, whatever names and links lead to it. A folder in `inputs`
// also stands for the files in it and in its folders. Also fails if an output
// exists and is an ELF file, a perf map or a jitdump: the recording may refer
// to such symbol files. "-" is standard input in `inputs` and standard output
// in `outputs`. Character devices and sockets, which lose nothing, are ignored;
// FIFOs and block devices are not.
absl::Status CheckOutputs(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);

// Returns true if standard error is one of the files that `inputs` names, in
// the sense of CheckOutputs. A message would then be written into that file.
bool HasStandardError(const std::vector<std::string>& inputs);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_OUTPUT_CHECK_H_
