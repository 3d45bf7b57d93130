// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_FORMAT_OPTIONS_H_
#define PERF2X_CLI_FORMAT_OPTIONS_H_

#include "converter/cli/command_line.h"

namespace CLI {
class App;
}  // namespace CLI

namespace perf2x {

// Adds the options of the formats, each to the group of the formats that have
// it; their values go to ConvertOptions::emitter_options.
void AddFormatOptions(CLI::App* app, CommandLine* options);

}  // namespace perf2x

#endif  // PERF2X_CLI_FORMAT_OPTIONS_H_
