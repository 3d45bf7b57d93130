// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/input_list.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

absl::Status AppendListed(const std::string& list,
                          std::vector<std::string>* inputs) {
  std::ifstream lines(list);
  size_t names = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    inputs->push_back(std::move(line));
    ++names;
  }
  if (names > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      lines.is_open() ? absl::StrCat("the list ", list, " names no input")
                      : absl::StrCat("cannot read the list ", list, ": ",
                                     std::strerror(errno),
                                     "; ./@… is a file of that name"));
}

bool IsInput(const std::string& name) {
  constexpr absl::string_view kExtensions[] = {".pb", ".pb.gz", ".pprof",
                                               ".data"};
  return std::any_of(std::begin(kExtensions), std::end(kExtensions),
                     [&](absl::string_view extension) {
                       return absl::EndsWith(name, extension);
                     });
}

// Returns the inputs in a folder; empty if it is a recording or cannot be read.
std::vector<std::string> InputsIn(const std::string& folder) {
  std::vector<std::string> inputs;
  std::error_code error;
  if (!fs::is_directory(folder, error) || fs::exists(folder + "/data", error)) {
    return inputs;
  }
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder, error)) {
    if (IsInput(entry.path().filename().string())) {
      inputs.push_back(entry.path().string());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@') {
      RETURN_IF_ERROR(AppendListed(argument.substr(1), &inputs));
      continue;
    }
    const std::vector<std::string> in_folder = InputsIn(argument);
    if (in_folder.empty()) {
      inputs.push_back(argument);
    } else {
      inputs.insert(inputs.end(), in_folder.begin(), in_folder.end());
    }
  }
  return inputs;
}

}  // namespace perf2x
