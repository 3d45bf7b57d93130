// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SANDBOX_H_
#define PERF2X_CLI_SANDBOX_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace perf2x {

// The files and the network that a process in the sandbox may access.
struct SandboxPolicy {
  // A file, or a folder with all that is below it, identified by device and
  // inode. Readable only if `path`, with links followed, still leads there when
  // the sandbox is entered.
  struct KnownFile {
    std::string path;
    dev_t device;
    ino_t inode;
  };
  std::vector<KnownFile> known_files;  // readable
  // Files, and folders with all that is below them. Paths that do not exist are
  // ignored.
  std::vector<std::string> readable;
  // In these folders and all folders below, files may be made, replaced and
  // removed. The folders may be listed, but their files may not be read.
  std::vector<std::string> writable_folders;
  // Files that exist and are written in place: devices, FIFOs.
  std::vector<std::string> writable_files;
  // If set, connections to servers are allowed, for debuginfod.
  bool may_connect = false;
};

// The parts of the sandbox that the kernel enforces.
struct SandboxState {
  int landlock_abi = 0;  // version of the interface; 0: no Landlock
  bool seccomp = false;  // the filter of system calls
  // The errno if a part that the kernel supports could not be set up because
  // descriptors or memory ran out; else 0.
  int error = 0;
};

// Confines this process, with all threads that it will start, for good. It can
// then open only what `policy` lists. It cannot start programs, trace processes
// or write a core file. It cannot use the network unless the policy allows it.
// To be called once, before the first thread starts. Parts that the kernel
// lacks or that cannot be set up are skipped; the result says which parts are
// enforced.
SandboxState EnterSandbox(const SandboxPolicy& policy);

// Returns what EnterSandbox would enforce if it was called now. Tries it in a
// child process; this process stays as it is.
SandboxState AvailableSandbox();

// Returns true if both Landlock, of any version, and seccomp are enforced. In a
// build with sanitizers, Landlock suffices.
bool IsFullyEnforced(const SandboxState& state);

// Returns the state as text: "Landlock ABI 7, seccomp", or "none: …".
std::string Describe(const SandboxState& state);

}  // namespace perf2x

#endif  // PERF2X_CLI_SANDBOX_H_
