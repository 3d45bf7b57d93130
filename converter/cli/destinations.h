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
  // The folder that -o names, if outputs in it are named after their inputs;
  // else empty. It need not exist yet.
  std::string folder;
};

// Returns the destinations that -o names. Without -o, text formats
// (EmitterInfo::is_text) go to standard output. Other formats go to a file
// named after the input. If the shell redirected standard output to a new file
// ("> x.pb.gz"), they go there instead. Requires that ResolveInputs has
// replaced `options.inputs`. All errors are errors of usage, such as a binary
// format to a terminal.
absl::StatusOr<Destinations> ChooseDestinations(const CommandLine& options,
                                                const EmitterInfo& format);

// Returns the files that the user named for reading: inputs, "@FILE" lists,
// symbol files, files of filter lists, and the recording that
// EmitterInfo::base_option names. Recordings in DiffOptions are not included.
std::vector<std::string> FilesToRead(const CommandLine& options);
// Returns all files that a conversion writes, the JSON summary included. A
// folder comes once, before its members. Fails with an error of usage if the
// values of the format's options are wrong. Also fails if the JSON summary
// would be in a dataset's folder and have the extension of the dataset's files.
absl::StatusOr<std::vector<std::string>> FilesToWrite(
    const CommandLine& options, const EmitterInfo& format,
    const Destinations& to);

}  // namespace perf2x

#endif  // PERF2X_CLI_DESTINATIONS_H_
