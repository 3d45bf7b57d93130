// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/open_result.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/base/text.h"
#include "converter/cli/interrupt.h"
#include "converter/cli/report.h"
#include "converter/cli/run_convert.h"

namespace perf2x {
namespace {

// Returns the commands that EmitterInfo::viewers stands for.
std::vector<std::string> CommandsOf(const EmitterInfo& format) {
  std::vector<std::string> commands;
  for (const absl::string_view viewer : format.viewers) {
    if (!absl::StartsWith(viewer, "$")) {
      commands.emplace_back(viewer);
      continue;
    }
    const char* value = getenv(std::string(viewer.substr(1)).c_str());
    if (value == nullptr) continue;
    for (const absl::string_view one :
         absl::StrSplit(value, ':', absl::SkipWhitespace())) {
      commands.emplace_back(one);
    }
  }
  return commands;
}

// Replaces this process by the first viewer that is installed. If none is, says
// what to do with the file and returns.
void Open(const EmitterInfo& format, const std::string& output) {
  for (const std::string& viewer : CommandsOf(format)) {
    std::vector<std::string> words = absl::StrSplit(viewer, ' ');
    // Makes sure that no viewer takes the name for an option.
    words.push_back(absl::StartsWith(output, "-") ? "./" + output : output);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());  // returns if it is not installed
  }
  PrintError(absl::StrCat("perf2x: to look at ", PlainText(output), ", ",
                          format.advice, "\n"));
}

// Waits for the request. Returns false if there will be none. Ignores SIGINT
// meanwhile: an interrupt that ends the recording of a live input is not meant
// for the viewer.
bool IsRequested(int pipe) {
  struct sigaction ignore = {}, old;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &old);
  char byte;
  ssize_t n;
  do {
    n = read(pipe, &byte, 1);
  } while (n < 0 && errno == EINTR);
  sigaction(SIGINT, &old, nullptr);
  return n == 1;
}

}  // namespace

ResultViewer::ResultViewer(const EmitterInfo& format,
                           const std::string& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  FileDescriptor read_end(ends[0]), write_end(ends[1]);
  process_ = fork();
  if (process_ != 0) {
    request_ = std::move(write_end);
    return;
  }
  close(write_end.get());
  if (IsRequested(read_end.get())) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    Open(format, output);
  }
  _exit(kDone);
}

int ResultViewer::Show() {
  UnblockSignals();
  int status = 0;
  if (process_ < 0 || write(request_.get(), "", 1) != 1 ||
      waitpid(process_, &status, 0) < 0) {
    return PrintErrorLine(
        kFailed, absl::StrCat("cannot start a viewer: ", std::strerror(errno)));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return kDone;
  // Its own status might mean something else of perf2x.
  return PrintErrorLine(
      kFailed,
      WIFEXITED(status)
          ? absl::StrCat("the result is written; its viewer ended with status ",
                         WEXITSTATUS(status))
          : absl::StrCat("the result is written; its viewer ended by signal ",
                         WTERMSIG(status)));
}

}  // namespace perf2x
