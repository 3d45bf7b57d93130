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
  std::error_code error;
  if (fs::is_directory(list, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the list ", list, " is a folder; name it without the @"));
  }
  std::ifstream lines(list);
  size_t names = 0;
  for (std::string line; std::getline(lines, line);) {
    if (absl::EndsWith(line, "\r")) line.pop_back();
    if (line.empty()) continue;
    if (line.find('\0') != line.npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("the list ", list,
                       " has a NUL in a name; write one name a line (find "
                       "-print, not -print0)"));
    }
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

// Returns true for a folder that `perf record` wrote.
bool IsFolderRecording(const std::string& path) {
  std::error_code error;
  return fs::exists(path + "/data", error);
}

// Adds the inputs in a folder: none if it is a recording or cannot be read.
void AppendMembers(const std::string& folder, InputNames* names) {
  std::error_code error;
  if (!fs::is_directory(folder, error) || IsFolderRecording(folder)) return;
  std::vector<std::string> members;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (!IsInput(path)) continue;
    // To open another file could block, or have effects.
    const bool is_file =
        entry.is_regular_file(error) || IsFolderRecording(path);
    (is_file ? members : names->skipped).push_back(path);
  }
  std::sort(members.begin(), members.end());
  names->inputs.insert(names->inputs.end(), members.begin(), members.end());
}

}  // namespace

absl::StatusOr<InputNames> ExpandInputs(
    const std::vector<std::string>& arguments) {
  InputNames names;
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@') {
      names.lists.push_back(argument.substr(1));
      RETURN_IF_ERROR(AppendListed(names.lists.back(), &names.inputs));
      continue;
    }
    const size_t before = names.inputs.size();
    AppendMembers(argument, &names);
    if (names.inputs.size() == before) names.inputs.push_back(argument);
  }
  std::sort(names.skipped.begin(), names.skipped.end());
  return names;
}

}  // namespace perf2x
