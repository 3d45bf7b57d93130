// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_OUTPUT_CHECK_H_
#define PERF2X_CONVERT_OUTPUT_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace perf2x {

// Fails if a file of `outputs` is also in `inputs`, or is in `outputs` twice:
// under any names, through symbolic and hard links. A folder in `inputs` also
// stands for the files in it. Also fails if an output is a symbol file, which
// the recording may refer to: an ELF file, a perf map or a jitdump. "-" is
// standard input in `inputs` and standard output in `outputs`. Character
// devices and sockets, which lose nothing, are ignored; FIFOs and block devices
// are not.
absl::Status CheckOutputs(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_OUTPUT_CHECK_H_
