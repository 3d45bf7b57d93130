// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OVERWRITES_H_
#define PERF2X_CLI_OVERWRITES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace perf2x {

// Fails if a file of `written` is also in `read`, or is in `written` twice:
// under any names, through symbolic and hard links. A folder in `read` also
// stands for the files in it. Also fails if a file of `written` is a symbol
// file, which the recording may refer to: an ELF file, a perf map or a jitdump.
// "-" is standard input in `read` and standard output in `written`. Character
// devices and sockets, which lose nothing, are ignored; FIFOs and block devices
// are not.
absl::Status CheckOverwrites(const std::vector<std::string>& read,
                             const std::vector<std::string>& written);

}  // namespace perf2x

#endif  // PERF2X_CLI_OVERWRITES_H_
