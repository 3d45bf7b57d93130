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
  // A file that `perf record` wrote, or a pprof profile, compressed or not; a
  // folder of `perf record --threads`; "-" for standard input.
  std::string input;
  // The file to write; with the formats "csv" and "parquet" a folder, unless
  // their option "table" is set. "-" for standard output.
  std::string output;
  std::string format = "pprof";  // one of FormatNames()
  // Options of the format, named as in `perf2x --help` without their dashes. An
  // option without an argument has the value "true" or "false".
  std::map<std::string, std::string> format_options;

  // If false, uses no symbols: functions are named after their files. Files may
  // still be opened to unwind stacks, see `untrusted`.
  bool symbolize = true;
  // A folder that stands for the root of the recorded machine: the prefix for
  // every path of a program in the recording. Empty: paths as recorded, used
  // only if the file is proven to be the recorded one, mostly by its build id.
  std::string symfs;
  // A copy of the recorded kernel's /proc/kallsyms. Empty: none.
  std::string kallsyms;
  // As the option --threads. Values below 1 count as 1.
  int threads = 1;
  // For recordings from strangers. As the option --untrusted, accepts only a
  // regular file as input, opens no symbol files, and bounds memory and time as
  // SECURITY.md says. `symbolize`, `symfs` and `kallsyms` then have no effect.
  // There is no sandbox: a service runs the program perf2x for that.
  bool untrusted = false;
};

// The result of a conversion.
struct ConversionResult {
  // Shows who can fix a failure. kBadRequest: the caller. kNotARecording and
  // kDamaged: the person who made the recording. All other codes: the
  // administrator of the machine. See docs/library.md.
  enum class Code {
    kOk,                 // converted; `problems` lists what is missing
    kBadRequest,         // no such format, option or value of an option; an
                         // output that is missing or must not be written; with
                         // `untrusted`, an input that is no regular file; a
                         // format for recordings, with a profile as input
    kCannotReadInput,    // the input is not there, or reading it failed
    kNotARecording,      // the input is something else, or its header is wrong
    kDamaged,            // the input is damaged before its first record
    kCannotWriteOutput,  // the output cannot be made or written
    kFailed,             // no memory, no room for temporary files, or
                         // more than the limits of SECURITY.md
  };
  Code code = Code::kOk;
  std::string error;  // one line that says why; empty if `code` is kOk
  bool ok() const { return code == Code::kOk; }

  // The samples of one event.
  struct Event {
    std::string name;
    std::string unit;      // of `period`: "count", "nanoseconds"
    uint64_t samples = 0;  // in the recording
    uint64_t period = 0;   // sum of the samples' periods
  };
  std::vector<Event> events;  // in the recording's order
  uint64_t lost_samples = 0;  // by the kernel, which lacked memory or time

  // Something that is missing from the output, or worth knowing.
  struct Problem {
    enum class Severity {
      kNote,     // worth knowing; nothing is missing
      kSkipped,  // a part of the input is not in the output
      kDamage,   // the input is damaged; what could be read was used
    };
    Severity severity = Severity::kNote;
    std::string message;  // one line
    uint64_t count = 0;   // occurrences
  };
  std::vector<Problem> problems;  // sorted by message
};

// Converts one recording. Blocks until the output is complete under its final
// name. On failure, no output is left, and an older file of that name stays
// unchanged; files in an older folder may be gone. The counts in the result are
// filled in as far as the conversion got, also on failure.
//
// Thread-safe: conversions may run at the same time if their outputs differ.
// The first call installs a handler for SIGBUS, which reads of a truncated
// mapped file raise. Other faults go to the previous handler.
ConversionResult ConvertRecording(const ConversionRequest& request);

}  // namespace perf2x

#endif  // PERF2X_INCLUDE_CONVERT_H_
