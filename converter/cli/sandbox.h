// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SANDBOX_H_
#define PERF2X_CLI_SANDBOX_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace perf2x {

// What the process may still open once it reads untrusted bytes.
struct SandboxPolicy {
  // A file, or a folder with all that is below it, if it still has its path
  // when the sandbox is entered: links are followed only where that leads to
  // it.
  struct KnownFile {
    std::string path;
    dev_t device;
    ino_t inode;
  };
  std::vector<KnownFile> known_files;  // readable
  // Files, and folders with all that is below them. Those that do not exist are
  // passed over.
  std::vector<std::string> readable;
  // Folders in which files may be made, replaced and removed.
  std::vector<std::string> writable_folders;
  // Files that exist and are written in place: devices, FIFOs.
  std::vector<std::string> writable_files;
  // Network connections, for debuginfod.
  bool may_connect = false;
};

// What of the sandbox the kernel enforces.
struct SandboxState {
  int landlock_abi = 0;  // version of the interface; 0: no Landlock
  bool seccomp = false;
  // Why a part is missing that the kernel has, an errno: no descriptor or no
  // memory was left to set it up with. 0: none is.
  int error = 0;
};

// Confines this process, and every thread it starts from now on, for good: it
// opens only what `policy` lists, starts no program, traces no process, makes
// no network connection and writes no core file. Call it before the first
// thread starts. What the kernel lacks is passed over: the result says so.
SandboxState EnterSandbox(const SandboxPolicy& policy);

// What EnterSandbox would enforce if it was called now. A child tries it.
SandboxState AvailableSandbox();

// Whether nothing is missing of what this build can use.
bool IsWhole(const SandboxState& state);

// "Landlock ABI 7, seccomp", or "none: …".
std::string Describe(const SandboxState& state);

}  // namespace perf2x

#endif  // PERF2X_CLI_SANDBOX_H_
