// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/destinations.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/output_target.h"
#include "converter/base/status_macros.h"
#include "converter/convert/convert.h"
#include "converter/convert/named_outputs.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

bool IsFolder(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

bool IsTerminal(const std::string& path) {
  if (path == "-") return isatty(STDOUT_FILENO) != 0;
  struct stat st;
  if (stat(path.c_str(), &st) != 0 || !S_ISCHR(st.st_mode)) return false;
  const FileDescriptor fd(
      open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return fd.get() >= 0 && isatty(fd.get()) != 0;
}

// Returns true if a shell has made standard output for this output: if it is an
// empty file, and not the log to which standard error goes.
bool StdoutIsNewFile() {
  struct stat out, log;
  return fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) &&
         out.st_size == 0 &&
         (fstat(STDERR_FILENO, &log) != 0 || out.st_dev != log.st_dev ||
          out.st_ino != log.st_ino);
}

// Returns true if the format writes a folder with these options.
bool WritesFolder(const EmitterInfo& format, const CommandLine& options) {
  return format.file_names != nullptr &&
         options.convert.emitter_options.count(format.one_file_option) == 0;
}

// Returns the folder that the format's conversions share; empty if there is
// none.
std::string DatasetOf(const EmitterInfo& format, const CommandLine& options) {
  const auto it = options.convert.emitter_options.find(format.dataset_option);
  return it == options.convert.emitter_options.end() ? "" : it->second;
}

// Returns the names of outputs that are named after their inputs, in the
// inputs' order: "perf.pb.gz" or, if two outputs would have the same name,
// "runs-1-perf.pb.gz".
absl::StatusOr<std::vector<std::string>> NamesAfter(
    const std::vector<std::string>& inputs, const EmitterInfo& format) {
  std::map<std::string, int> uses;
  for (const std::string& input : inputs) ++uses[StemOf(input)];
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& input : inputs) {
    std::string stem = StemOf(input);
    if (uses[stem] > 1) {
      absl::string_view folders = input;
      while (absl::ConsumePrefix(&folders, "./") ||
             absl::ConsumePrefix(&folders, "../") ||
             absl::ConsumePrefix(&folders, "/")) {
      }
      folders = folders.substr(0, folders.rfind('/') + 1);
      stem = absl::StrCat(absl::StrReplaceAll(folders, {{"/", "-"}}), stem);
    }
    names.push_back(stem + format.extension);
    if (!taken.insert(names.back()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two inputs would be written to ", names.back(),
                       "; convert them one by one"));
    }
  }
  return names;
}

// Returns true if outputs are named after their inputs, in the folder that -o
// names.
bool NamesAreOfInputs(const CommandLine& options, const EmitterInfo& format) {
  if (options.merge) return false;
  if (options.inputs.size() > 1) return true;
  return !WritesFolder(format, options) &&
         (absl::EndsWith(options.output, "/") || IsFolder(options.output));
}

absl::StatusOr<Destinations> NamedAfter(const CommandLine& options,
                                        const EmitterInfo& format) {
  if (options.output == "-" || (access(options.output.c_str(), F_OK) == 0 &&
                                !IsFolder(options.output))) {
    return absl::InvalidArgumentError(
        absl::StrCat("several inputs need a folder to be written to, not ",
                     options.output == "-" ? "standard output" : options.output,
                     "; or --merge makes one of them"));
  }
  Destinations to;
  ASSIGN_OR_RETURN(to.outputs, NamesAfter(options.inputs, format));
  to.folder = options.output;
  absl::string_view place = options.output;
  while (place.size() > 1 && absl::ConsumeSuffix(&place, "/")) {
  }
  if (!place.empty()) {
    for (std::string& name : to.outputs) name = absl::StrCat(place, "/", name);
  }
  return to;
}

// Returns true if `file` lies in the folder `dataset` and has the extension of
// the files there, whose names are not known yet.
bool MayBeOfDataset(const std::string& file, const std::string& dataset,
                    absl::string_view extension) {
  namespace fs = std::filesystem;
  const auto target = OutputTarget::Resolve(file);
  const auto folder = ResolveOutputFolder(dataset);
  if (!target.ok() || !folder.ok() ||
      !absl::EndsWith(target->final_path, extension)) {
    return false;
  }
  std::error_code error;  // then the paths are empty
  const auto whole = [&error](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  const fs::path inside =
      whole(target->final_path).lexically_relative(whole(*folder));
  return !inside.empty() && *inside.begin() != "..";
}

}  // namespace

absl::StatusOr<Destinations> ChooseDestinations(const CommandLine& options,
                                                const EmitterInfo& format) {
  const std::vector<std::string>& inputs = options.inputs;
  if (options.open &&
      ((inputs.size() > 1 && !options.merge) || options.output == "-")) {
    return absl::InvalidArgumentError(
        "--open shows one file: leave -o - out, and convert several inputs "
        "with "
        "--merge");
  }
  if (const std::string dataset = DatasetOf(format, options);
      !dataset.empty()) {
    if (dataset == "-") {
      return absl::InvalidArgumentError(
          absl::StrCat("--", format.dataset_option,
                       " is a folder, not standard output; ./- is one called "
                       "-"));
    }
    if (options.output.empty()) {
      return Destinations{std::vector<std::string>(inputs.size(), dataset), ""};
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "--", format.dataset_option, " says where to write; leave out -o"));
  }
  if (NamesAreOfInputs(options, format)) {
    return NamedAfter(options, format);
  }
  const bool folder = WritesFolder(format, options);
  const bool lines = format.is_text && !folder;
  std::string output = options.output;
  if (folder && output == "-") {
    return absl::InvalidArgumentError(
        absl::StrCat(format.name, " writes a folder; use --",
                     format.one_file_option, " to write to standard output"));
  }
  if (output.empty()) {
    const bool to_stdout = lines || (!folder && StdoutIsNewFile());
    output =
        to_stdout && !options.open
            ? "-"
            : (options.merge ? "merged" : StemOf(inputs[0])) + format.extension;
  }
  if (!lines && IsTerminal(output)) {
    return absl::InvalidArgumentError(absl::StrCat(
        format.name, " is not for a terminal; leave -o out, or name a file"));
  }
  return Destinations{{std::move(output)}, ""};
}

std::vector<std::string> FilesToRead(const CommandLine& options) {
  std::vector<std::string> files = options.inputs;
  files.insert(files.end(), options.lists.begin(), options.lists.end());
  const SymbolizeOptions& symbols = options.convert.symbols;
  for (const std::string& file :
       {symbols.kallsyms, symbols.vmlinux, symbols.guest_kallsyms,
        symbols.binaries.archive}) {
    if (!file.empty()) files.push_back(file);
  }
  const FilterOptions& filter = options.convert.filter;
  files.insert(files.end(), filter.files.begin(), filter.files.end());
  for (const EmitterInfo& format : Emitters()) {
    const auto base = FindBase(format, options.convert.emitter_options,
                               /*follow_link=*/true);
    if (base.has_value()) files.push_back(base->path);
  }
  return files;
}

absl::StatusOr<std::vector<std::string>> FilesToWrite(
    const CommandLine& options, const EmitterInfo& format,
    const Destinations& to) {
  std::vector<std::string> members;
  if (format.file_names != nullptr) {
    ASSIGN_OR_RETURN(members, format.file_names(WithDefaults(
                                  format, options.convert.emitter_options)));
  }
  std::vector<std::string> files;
  const bool is_shared = !DatasetOf(format, options).empty();
  for (const std::string& output : to.outputs) {
    if (is_shared && !files.empty()) break;
    files.push_back(output);
    for (const std::string& member : members) {
      files.push_back(NamedOutputs::MemberPath(output, member));
    }
  }
  if (options.json_summary.empty()) return files;
  if (is_shared &&
      MayBeOfDataset(options.json_summary, to.outputs[0], format.extension)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--json-summary ", options.json_summary,
                     " may be a file of the dataset ", to.outputs[0],
                     "; name a file outside of it"));
  }
  files.push_back(options.json_summary);
  return files;
}

}  // namespace perf2x
