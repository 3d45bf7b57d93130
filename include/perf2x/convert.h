// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INCLUDE_CONVERT_H_
#define PERF2X_INCLUDE_CONVERT_H_

// The public interface of the library perf2x::convert. C++17.
//
// Nothing here throws for what is wrong with an input, prints, or ends the
// process; only running out of memory throws std::bad_alloc. All values are
// plain copies: nothing refers to a request or to a result after the call.

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
  // The file to write; of the format "csv" a folder. "-" for standard output.
  std::string output;
  std::string format = "pprof";
  // Options of the format, as `perf2x --help` lists them without their dashes.
  std::map<std::string, std::string> format_options;

  // Off: opens no symbol file; functions have the names of their files.
  bool symbolize = true;
  // Prefix for every path of a program in the recording. Empty: paths as
  // recorded, used where a build id proves the file.
  std::string symfs;
  // A copy of the recorded kernel's /proc/kallsyms. Empty: none.
  std::string kallsyms;
  // Threads that one conversion may use.
  int threads = 1;
  // For recordings of strangers: opens no file to unwind stacks, and bounds
  // memory and time as SECURITY.md says. There is no sandbox: a service runs
  // the program perf2x for that.
  bool untrusted = false;
};

struct ConversionResult {
  // Says who can mend a failure: the caller (kBadRequest), who made the
  // recording (kNotARecording, kDamaged), who runs the machine (the others).
  // See docs/library.md.
  enum class Code {
    kOk,                 // converted; `problems` lists what is missing
    kBadRequest,         // no such format, option or value of an option
    kCannotReadInput,    // the input is not there, or reading it failed
    kNotARecording,      // the input is something else, or its header is wrong
    kDamaged,            // the input is damaged before its first record
    kCannotWriteOutput,  // the output cannot be made or written
    kFailed,             // for want of memory, or of room for temporary files
  };
  Code code = Code::kOk;
  std::string error;  // one line that says why; empty if `code` is kOk
  bool ok() const { return code == Code::kOk; }

  struct Event {
    std::string name, unit;
    uint64_t samples = 0, period = 0;
  };
  std::vector<Event> events;  // in the recording's order
  uint64_t lost_samples = 0;  // by the kernel, for want of memory or time

  struct Problem {
    enum class Severity { kNote, kSkipped, kDamage };
    Severity severity = Severity::kNote;
    std::string message;
    uint64_t count = 0;
  };
  std::vector<Problem> problems;  // by message
};

// Converts one recording. Blocks until the output is complete under its final
// name; on failure no output is left behind. Reports what it counted on failure
// too.
//
// Thread-safe: conversions may run at the same time if their outputs differ.
// The first call installs a handler for SIGBUS, which stands for a mapped file
// that was cut short; other faults go to the handler that was there before.
ConversionResult ConvertRecording(const ConversionRequest& request);

}  // namespace perf2x

#endif  // PERF2X_INCLUDE_CONVERT_H_
