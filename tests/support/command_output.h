// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_COMMAND_OUTPUT_H_
#define PERF2X_TESTS_SUPPORT_COMMAND_OUTPUT_H_

#include <cstdio>
#include <string>

namespace perf2x {

// Returns what a command of the shell prints; empty if it cannot be run.
inline std::string OutputOf(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char chunk[4096];
  for (size_t n; (n = fread(chunk, 1, sizeof(chunk), pipe)) > 0;) {
    text.append(chunk, n);
  }
  pclose(pipe);
  return text;
}

// Returns true if the shell finds a program of this name.
inline bool Installed(const std::string& program) {
  return !OutputOf("command -v " + program).empty();
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_COMMAND_OUTPUT_H_
