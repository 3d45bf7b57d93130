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
  // A path for each input, in order; with --merge a single path. If the inputs
  // share a folder (EmitterInfo::dataset_option), each path is that folder.
  std::vector<std::string> outputs;
  // The folder, named by -o, of outputs that are named after their inputs;
  // empty if there is none. It need not exist yet.
  std::string folder;
};

// Returns the destinations that -o names. Without -o, formats that are lines of
// text (EmitterInfo::is_text) go to standard output. Other formats go to a file
// named after the input, or to standard output if the shell redirected it to a
// new file ("> x.pb.gz"). Requires that ResolveInputs has replaced
// `options.inputs`. All errors are errors of usage, such as a binary format
// that would go to a terminal.
absl::StatusOr<Destinations> ChooseDestinations(const CommandLine& options,
                                                const EmitterInfo& format);

// Returns the files that the user named for reading: inputs (without those of
// DiffOptions), "@FILE" lists, symbol files, files of filter lists, and the
// recording that EmitterInfo::base_option names.
std::vector<std::string> FilesRead(const CommandLine& options);
// Returns all files that a conversion writes, the JSON summary included. A
// folder comes once, before its members. Fails with an error of usage if the
// values of the format's options are wrong, or if the summary would be written
// over what may be a file of a dataset.
absl::StatusOr<std::vector<std::string>> FilesWritten(
    const CommandLine& options, const EmitterInfo& format,
    const Destinations& to);

}  // namespace perf2x

#endif  // PERF2X_CLI_DESTINATIONS_H_
