// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INCLUDE_CONVERT_H_
#define PERF2X_INCLUDE_CONVERT_H_

// The public interface of the library perf2x::convert. C++17.
//
// Nothing here prints or throws because of a faulty input. If memory runs out,
// a conversion with one thread throws std::bad_alloc; with more threads the
// process ends. All values are plain copies: nothing refers to a request or to
// a result after the call.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace perf2x {

// The library's version, "0.1.0". While the first number is 0, the second
// changes with every incompatible change.
const char* LibraryVersion();

// The names of the formats that ConvertRecording writes: "pprof", "chrome", …
std::vector<std::string> FormatNames();

// What to convert, and how.
struct ConversionRequest {
  // A file that `perf record` wrote, compressed or not; a folder of
  // `perf record --threads`; "-" for standard input.
  std::string input;
  // The file to write; with the format "csv" a folder, unless its option
  // "table" is set. "-" for standard output.
  std::string output;
  std::string format = "pprof";
  // Options of the format, as `perf2x --help` lists them without their dashes;
  // the value of one without an argument is "true" or "false".
  std::map<std::string, std::string> format_options;

  // If false, uses no symbols: functions are named after their files. Files may
  // still be opened to unwind stacks, see `untrusted`.
  bool symbolize = true;
  // A folder, the prefix for every path of a program in the recording. Empty:
  // paths as recorded, used only if the file is proven to be the recorded one,
  // mostly by its build id.
  std::string symfs;
  // A copy of the recorded kernel's /proc/kallsyms. Empty: none.
  std::string kallsyms;
  // Threads that one conversion may use.
  int threads = 1;
  // For recordings from strangers: opens regular files only, no symbol files,
  // and bounds memory and time as SECURITY.md says, as the option --untrusted
  // does. There is no sandbox: a service runs the program perf2x for that.
  bool untrusted = false;
};

struct ConversionResult {
  // Tells who can fix a failure: the caller (kBadRequest), whoever made the
  // recording (kNotARecording, kDamaged), whoever runs the machine (the
  // others). See docs/library.md.
  enum class Code {
    kOk,                 // converted; `problems` lists what is missing
    kBadRequest,         // no such format, option or value of an option; or an
                         // output that must not be written, see docs
    kCannotReadInput,    // the input is not there, or reading it failed
    kNotARecording,      // the input is something else, or its header is wrong
    kDamaged,            // the input is damaged before its first record
    kCannotWriteOutput,  // the output cannot be made or written
    kFailed,             // no memory, or no room for temporary files
  };
  Code code = Code::kOk;
  std::string error;  // one line that says why; empty if `code` is kOk
  bool ok() const { return code == Code::kOk; }

  struct Event {
    std::string name, unit;
    uint64_t samples = 0, period = 0;
  };
  std::vector<Event> events;  // in the recording's order
  uint64_t lost_samples = 0;  // by the kernel, which lacked memory or time

  struct Problem {
    enum class Severity { kNote, kSkipped, kDamage };
    Severity severity = Severity::kNote;
    std::string message;
    uint64_t count = 0;
  };
  std::vector<Problem> problems;  // sorted by message
};

// Converts one recording. Blocks until the output is complete under its final
// name; on failure no output is left behind. The counts in the result are
// filled in on failure, too.
//
// Thread-safe: conversions may run at the same time if their outputs differ.
// The first call installs a handler for SIGBUS, the signal of reading a mapped
// file that was truncated; other faults go to the handler that was installed
// before.
ConversionResult ConvertRecording(const ConversionRequest& request);

}  // namespace perf2x

#endif  // PERF2X_INCLUDE_CONVERT_H_
