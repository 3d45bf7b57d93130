#include "converter/open_result.h"

#include <unistd.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/interrupt.h"
#include "converter/report.h"
#include "converter/run_convert.h"

namespace perf2x {

void OpenResult(const EmitterInfo& format, const std::string& output) {
  UnblockSignals();
  for (const char* viewer : format.viewers) {
    std::vector<std::string> words = absl::StrSplit(viewer, ' ');
    // No viewer takes it for an option.
    words.push_back(absl::StartsWith(output, "-") ? "./" + output : output);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());  // returns where there is none
  }
  Say(absl::StrCat("perf2x: to look at ", Printable(output), ", ",
                   format.advice, "\n"));
}

}  // namespace perf2x
