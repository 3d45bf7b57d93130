#include "converter/sandbox_policy.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "converter/base/temp_file.h"

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

// Where elfutils' client keeps what it has got.
std::string DebuginfodCache() {
  const std::string home = VariableOr("HOME", "");
  return VariableOr(
      "DEBUGINFOD_CACHE_PATH",
      VariableOr("XDG_CACHE_HOME", absl::StrCat(home, "/.cache")));
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
  policy->may_connect =
      binaries.debuginfod || !VariableOr("DEBUGINFOD_URLS", "").empty();
  if (!policy->may_connect) return;
  // Name resolution, certificates, and the libraries that do both.
  readable.insert(readable.end(),
                  {"/etc", "/usr", "/lib", "/lib64", "/run", "/dev/urandom"});
  const std::string cache = DebuginfodCache();
  mkdir(cache.c_str(), 0700);
  policy->writable_folders.push_back(cache);
}

void AllowOutput(const std::string& path, SandboxPolicy* policy) {
  if (path.empty() || path == "-") return;
  std::string target = path;
  if (char* real = realpath(path.c_str(), nullptr); real != nullptr) {
    target = real;
    free(real);
  }
  struct stat st;
  if (stat(target.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) {
    (S_ISDIR(st.st_mode) ? policy->writable_folders : policy->writable_files)
        .push_back(target);
    // The folder itself may be the output, to be removed if that fails.
  }
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  const size_t slash = target.rfind('/');
  policy->writable_folders.push_back(slash == target.npos ? "."
                                     : slash == 0         ? "/"
                                                  : target.substr(0, slash));
}

}  // namespace

SandboxPolicy PolicyFor(const CommandLine& options,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
  SandboxPolicy policy;
  for (const std::string& input : inputs) {
    if (input != "-") policy.readable.push_back(input);
  }
  for (const std::string& output : outputs) AllowOutput(output, &policy);
  policy.readable.push_back(TempFile::Folder());
  policy.writable_folders.push_back(TempFile::Folder());
  AllowSymbols(options.convert.symbols, &policy);
  return policy;
}

}  // namespace perf2x
