// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/out_of_memory.h"

#include <unistd.h>

#include <atomic>
#include <new>

#include "absl/strings/string_view.h"
#include "converter/base/early_exit_cleanup.h"
#include "converter/cli/run_convert.h"

namespace perf2x {
namespace {

// Allocates nothing.
void Write(absl::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

void EndWhenOutOfMemory() { std::set_new_handler(EndOutOfMemory); }

void EndOutOfMemory() {
  static std::atomic_flag ends;
  while (ends.test_and_set()) pause();  // another thread is ending the process
  RunEarlyExitCleanups();
  if (isatty(STDERR_FILENO) != 0) Write("\r\x1b[K");  // erases a progress line
  Write(
      "perf2x: out of memory; --threads 1 and a smaller --max-memory need "
      "less\n");
  _exit(kFailed);
}

}  // namespace perf2x
