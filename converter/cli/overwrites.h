// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OVERWRITES_H_
#define PERF2X_CLI_OVERWRITES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace perf2x {

// Fails when one of `written` is one of `read`, or when two of `written` are
// one file: by whatever names, through symbolic and hard links. Of folders that
// are read, the files in them count. Fails also when one of `written` is a file
// of symbols, which the recording may name: ELF, a perf map, a jitdump. "-" is
// standard output, or of `read` standard input. Devices, which lose nothing, do
// not count.
absl::Status CheckOverwrites(const std::vector<std::string>& read,
                             const std::vector<std::string>& written);

}  // namespace perf2x

#endif  // PERF2X_CLI_OVERWRITES_H_
