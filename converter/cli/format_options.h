// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_FORMAT_OPTIONS_H_
#define PERF2X_CLI_FORMAT_OPTIONS_H_

#include "converter/cli/command_line.h"

namespace perf2x {

class OptionApp;

// Adds the options of all formats to `app`. In the help, an option is in the
// group named after the formats that have it. Parsing stores values in
// ConvertOptions::emitter_options of `*options`, which must outlive `app`.
void AddFormatOptions(OptionApp* app, CommandLine* options);

}  // namespace perf2x

#endif  // PERF2X_CLI_FORMAT_OPTIONS_H_
