// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_DESTINATIONS_H_
#define PERF2X_CLI_DESTINATIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "converter/cli/command_line.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Where the outputs of a conversion go. "-" is standard output.
struct Destinations {
  // A path for each input, in order; with --merge one for all.
  std::vector<std::string> outputs;
  // The folder that -o names for outputs which are named after their inputs;
  // empty: there is none. It need not exist yet.
  std::string folder;
};

// What -o says. Without it, lines of text (EmitterInfo::lines) go to standard
// output. Everything else goes to a file named after its input, or to standard
// output where that is a new file of its own ("> x.pb.gz"). Whether there is a
// terminal makes no difference. Errors are of usage; one is to send anything
// but lines of text to a terminal.
absl::StatusOr<Destinations> ChooseDestinations(
    const CommandLine& options, const EmitterInfo& format,
    const std::vector<std::string>& inputs);

// All files that a conversion reads and that the user named: the inputs, and
// the files of symbols. Fit for CheckOverwrites.
std::vector<std::string> FilesRead(const CommandLine& options,
                                   const std::vector<std::string>& inputs);
// All files that it writes; a folder stands before its members. Fails, with an
// error of usage, where the values of the format's options make no sense.
absl::StatusOr<std::vector<std::string>> FilesWritten(
    const CommandLine& options, const EmitterInfo& format,
    const Destinations& to);

}  // namespace perf2x

#endif  // PERF2X_CLI_DESTINATIONS_H_
