// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/sandbox_policy.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/base/temp_file.h"
#include "converter/cli/run_convert.h"
#include "converter/symbolize/find/debuginfod.h"
#include "converter/symbolize/find/held_folders.h"
#include "converter/symbolize/jit/process_namespace.h"
#include "converter/symbolize/symbol_sources.h"

namespace perf2x {
namespace {

std::string VariableOr(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Makes everything in the root folder readable except /proc, /sys and /dev,
// which are no storage.
void AllowFileSystem(std::vector<std::string>* readable) {
  const std::unique_ptr<DIR, int (*)(DIR*)> root(opendir("/"), closedir);
  if (root == nullptr) return;
  while (const dirent* entry = readdir(root.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && name != "proc" && name != "sys" &&
        name != "dev") {
      readable->push_back("/" + name);
    }
  }
}

// Returns the folder in which elfutils' client keeps the files that it has
// fetched, see debuginfod_find_debuginfo(3).
std::string DebuginfodCache() {
  const std::string home = VariableOr("HOME", "");
  std::string old = home + "/.debuginfod_client_cache";
  if (access(old.c_str(), F_OK) == 0) return old;
  return VariableOr(
      "DEBUGINFOD_CACHE_PATH",
      VariableOr("XDG_CACHE_HOME", home + "/.cache") + "/debuginfod_client");
}

void AllowSymbols(const SymbolizeOptions& symbols, SandboxPolicy* policy) {
  const BinaryFinderOptions& binaries = symbols.binaries;
  std::vector<std::string>& readable = policy->readable;
  if (binaries.symfs.empty()) AllowFileSystem(&readable);
  for (const SymbolSourceEntry& source : SymbolSourceList()) {
    if (source.add_places != nullptr) source.add_places(symbols, &readable);
  }
  policy->may_connect =
      CanAskDebuginfod() &&
      (binaries.debuginfod || !VariableOr("DEBUGINFOD_URLS", "").empty());
  if (!policy->may_connect) return;
  // For name resolution, certificates, and the libraries that do both.
  readable.insert(readable.end(),
                  {"/etc", "/usr", "/lib", "/lib64", "/run", "/dev/urandom"});
  const std::string cache = DebuginfodCache();
  std::error_code error;  // the client says so, if it has no cache
  std::filesystem::create_directories(cache, error);
  readable.push_back(cache);
  policy->writable_folders.push_back(cache);
}

// Returns the folder of `path`, or the nearest one above it that exists, in
// which the missing folders are made.
std::string ExistingFolderOf(std::string path) {
  struct stat st;
  do {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    path = FolderOf(path);
  } while (path != "/" && path != "./" && stat(path.c_str(), &st) != 0);
  return path;
}

void AllowOutput(const OutputTarget& target, SandboxPolicy* policy) {
  if (target.method == OutputTarget::Method::kInPlace) {
    policy->writable_files.push_back(target.final_path);
  } else if (target.method == OutputTarget::Method::kReplace) {
    policy->writable_folders.push_back(ExistingFolderOf(target.final_path));
  }
}

// Returns true if the input may have been made since this machine was started,
// so that processes in it may still run.
bool MayBeOfThisBoot(const InputIdentity& input) {
  if (input.is_stdin() || input.error != 0 || input.HasType(S_IFIFO))
    return true;
  timespec now, up;
  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &up);
  return input.st.st_mtim.tv_sec >= now.tv_sec - up.tv_sec - 1;
}

// Returns true if the command looks for the recorded code and its symbols in
// files. Unwinding needs the code even with --no-symbols.
bool ReadsSymbolFiles(const CommandLine& options) {
  return !options.untrusted &&
         (options.command == CommandLine::Command::kConvert ||
          options.command == CommandLine::Command::kDiff ||
          options.info_symbols);
}

// Holds the folders with symbols that the sandbox could not open.
void HoldFolders(SymbolizeOptions* symbols) {
  auto held = std::make_shared<HeldFolders>();
  held->Hold(&symbols->binaries.symfs);
  for (auto& [pid, folder] : symbols->binaries.symfs_of) held->Hold(&folder);
  for (std::string& folder : symbols->perf_map_dirs) held->Hold(&folder);
  symbols->held_folders = std::move(held);
}

}  // namespace

SandboxPolicy PolicyFor(const CommandLine& options,
                        const std::vector<InputIdentity>& inputs,
                        const OutputTargets& outputs) {
  SandboxPolicy policy;
  for (const InputIdentity& input : inputs) {
    if (input.is_stdin() || input.error != 0) continue;
    policy.known_files.push_back(
        {input.path, input.st.st_dev, input.st.st_ino});
  }
  for (const auto& [path, target] : outputs.all()) {
    if (target.ok()) AllowOutput(*target, &policy);
  }
  policy.readable.push_back(TempFile::Folder());
  policy.writable_folders.push_back(TempFile::Folder());
  if (ReadsSymbolFiles(options)) AllowSymbols(options.convert.symbols, &policy);
  return policy;
}

absl::Status EnterSandboxFor(CommandLine* options,
                             const std::vector<InputIdentity>& inputs,
                             const OutputTargets& outputs) {
  if (options->untrusted) {
    for (const InputIdentity& input : inputs) {
      RETURN_IF_ERROR(input.CheckRegular());
    }
  }
  SymbolizeOptions& symbols = options->convert.symbols;
  if (ReadsSymbolFiles(*options) && options->convert.symbolize &&
      std::any_of(inputs.begin(), inputs.end(), MayBeOfThisBoot)) {
    symbols.containers = std::make_shared<const ContainerProcesses>();
  }
  if (!options->sandbox) return absl::OkStatus();
  if (ReadsSymbolFiles(*options)) HoldFolders(&symbols);
  const SandboxState state = EnterSandbox(PolicyFor(*options, inputs, outputs));
  if (state.error != 0) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot set up the sandbox: ", strerror(state.error),
        state.error == EMFILE ? "; raise the limit of open files (ulimit -n)"
                              : "; --no-sandbox does without"));
  }
  if (IsFullyEnforced(state)) return absl::OkStatus();
  if (options->untrusted) {
    return absl::FailedPreconditionError(
        absl::StrCat("--untrusted needs a whole sandbox, and here there is ",
                     Describe(state), "; --no-sandbox does without"));
  }
  if (options->verbose) {
    PrintError(absl::StrCat(
        "perf2x: the sandbox is not whole: ", Describe(state), "\n"));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
