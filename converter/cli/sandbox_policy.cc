#include "converter/cli/sandbox_policy.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/base/temp_file.h"
#include "converter/symbolize/jit/process_namespace.h"

namespace perf2x {
namespace {

std::string VariableOr(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Everything in the root folder but what is no storage.
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

// Where elfutils' client keeps what it has got, see
// debuginfod_find_debuginfo(3).
std::string DebuginfodCache() {
  const std::string home = VariableOr("HOME", "");
  const std::string old = home + "/.debuginfod_client_cache";
  if (access(old.c_str(), F_OK) == 0) return old;
  return VariableOr(
      "DEBUGINFOD_CACHE_PATH",
      VariableOr("XDG_CACHE_HOME", home + "/.cache") + "/debuginfod_client");
}

void AllowSymbols(const SymbolizeOptions& symbols, SandboxPolicy* policy) {
  const BinaryFinderOptions& binaries = symbols.binaries;
  std::vector<std::string>& readable = policy->readable;
  if (binaries.symfs.empty()) {
    AllowFileSystem(&readable);
  } else {
    readable.insert(readable.end(), {binaries.symfs, "/boot", "/lib/modules",
                                     "/usr/lib/debug", "/tmp"});
    readable.push_back(binaries.buildid_dir.empty()
                           ? VariableOr("HOME", "") + "/.debug"
                           : binaries.buildid_dir);
  }
  for (const auto* folders : {&binaries.debug_dirs, &symbols.perf_map_dirs}) {
    readable.insert(readable.end(), folders->begin(), folders->end());
  }
  readable.insert(readable.end(),
                  {binaries.buildid_dir, binaries.archive, symbols.kallsyms,
                   symbols.guest_kallsyms, symbols.vmlinux, "/proc/kallsyms",
                   "/sys/kernel/notes"});
  if (symbols.containers != nullptr) {
    const std::vector<std::string> roots = symbols.containers->Roots();
    readable.insert(readable.end(), roots.begin(), roots.end());
  }
  policy->may_connect =
      binaries.debuginfod || !VariableOr("DEBUGINFOD_URLS", "").empty();
  if (!policy->may_connect) return;
  // Name resolution, certificates, and the libraries that do both.
  readable.insert(readable.end(),
                  {"/etc", "/usr", "/lib", "/lib64", "/run", "/dev/urandom"});
  const std::string cache = DebuginfodCache();
  std::error_code error;  // the client says so, if it has no cache
  std::filesystem::create_directories(cache, error);
  readable.push_back(cache);
  policy->writable_folders.push_back(cache);
}

// The folder of `path`, or the nearest one above it that exists: others are
// made in it.
std::string FolderOf(std::string path) {
  struct stat st;
  do {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const size_t slash = path.rfind('/');
    if (slash == path.npos) return ".";
    path.resize(std::max<size_t>(slash, 1));
  } while (path != "/" && stat(path.c_str(), &st) != 0);
  return path;
}

void AllowOutput(const std::string& path, bool in_place,
                 SandboxPolicy* policy) {
  if (path.empty() || path == "-") return;
  struct stat st;
  const bool exists = stat(path.c_str(), &st) == 0;
  if (exists && S_ISDIR(st.st_mode)) {
    policy->writable_folders.push_back(path);
  } else if (exists && (in_place || !S_ISREG(st.st_mode))) {
    policy->writable_files.push_back(path);
  } else {
    // A new file takes the place of the one that a link leads to.
    char* real = realpath(path.c_str(), nullptr);
    policy->writable_folders.push_back(FolderOf(real != nullptr ? real : path));
    free(real);
  }
}

// Whether the input may have been made since this machine was started, so that
// processes which it names may still run.
bool MayBeOfThisBoot(const std::string& input) {
  struct stat st;
  if (input == "-" || stat(input.c_str(), &st) != 0 || S_ISFIFO(st.st_mode)) {
    return true;
  }
  timespec now, up;
  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &up);
  return st.st_mtim.tv_sec >= now.tv_sec - up.tv_sec - 1;
}

// Whether the command looks for files with the code and the symbols of what was
// recorded. Unwinding needs the code even with --no-symbols.
bool ReadsSymbolFiles(const CommandLine& options) {
  return !options.untrusted &&
         (options.command == CommandLine::Command::kConvert ||
          options.info_symbols);
}

// Opening anything else may wait, do things, or lead elsewhere.
absl::Status CheckUntrusted(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    struct stat st;
    if (input == "-") {
      return absl::InvalidArgumentError(
          "--untrusted reads regular files only, not standard input");
    }
    if (lstat(input.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--untrusted reads regular files only, and ", input, " is ",
          S_ISLNK(st.st_mode)   ? "a symbolic link"
          : S_ISDIR(st.st_mode) ? "a folder"
                                : "a pipe or device"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

SandboxPolicy PolicyFor(const CommandLine& options,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
  SandboxPolicy policy;
  for (const std::string& input : inputs) {
    if (input != "-") policy.readable.push_back(input);
  }
  for (const std::string& output : outputs) {
    AllowOutput(output, options.in_place, &policy);
  }
  policy.readable.push_back(TempFile::Folder());
  policy.writable_folders.push_back(TempFile::Folder());
  if (ReadsSymbolFiles(options)) AllowSymbols(options.convert.symbols, &policy);
  return policy;
}

absl::Status EnterSandboxFor(CommandLine* options,
                             const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs) {
  if (options->untrusted) RETURN_IF_ERROR(CheckUntrusted(inputs));
  SymbolizeOptions& symbols = options->convert.symbols;
  if (ReadsSymbolFiles(*options) && options->convert.symbolize &&
      std::any_of(inputs.begin(), inputs.end(), MayBeOfThisBoot)) {
    symbols.containers = std::make_shared<const ContainerProcesses>();
  }
  if (!options->sandbox) return absl::OkStatus();
  const SandboxState state = EnterSandbox(PolicyFor(*options, inputs, outputs));
  if (options->untrusted && !IsWhole(state)) {
    return absl::FailedPreconditionError(
        absl::StrCat("--untrusted needs a whole sandbox, and here there is ",
                     Describe(state), "; --no-sandbox does without"));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
