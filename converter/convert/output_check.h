// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_OUTPUT_CHECK_H_
#define PERF2X_CONVERT_OUTPUT_CHECK_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"

namespace perf2x {

// Checks that outputs replace neither inputs nor each other, whatever names and
// links lead to a file. "-" is standard input as an input and standard output
// as an output. Character devices and sockets, which lose nothing, are ignored;
// FIFOs and block devices are not.
class OutputCheck {
 public:
  // Which files in a folder are inputs, too.
  enum class Members {
    kAll,   // all in it and in its direct subfolders
    kRead,  // of these, the ones that may be read, by their names
  };
  void AddInput(const std::string& input, Members members = Members::kAll);
  // Fails with InvalidArgument if `output` is one of the inputs or of the
  // outputs added before. Also fails if `output` exists and is an ELF file, a
  // perf map or a jitdump: the recording may refer to such symbol files.
  // Thread-safe if no input or output is added meanwhile.
  absl::Status Check(const std::string& output) const;
  // As Check, and adds the output.
  absl::Status AddOutput(const std::string& output);

  // Identifies a file under any of its names, by device and inode. A file that
  // does not exist yet has only a path, with all links followed.
  using FileId = std::tuple<dev_t, ino_t, std::string>;
  // Returns true if the file is among the inputs.
  bool IsInput(const FileId& id) const { return read_.contains(id); }

 private:
  std::map<FileId, std::string> read_, written_;  // with a name of each
};

// Checks `outputs` one by one, see OutputCheck. Returns the first error.
absl::Status CheckOutputs(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);

// Returns true if standard error is one of the files that `inputs` names,
// judged as OutputCheck does. A message would then be written into that file.
bool IncludesStandardError(const std::vector<std::string>& inputs);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_OUTPUT_CHECK_H_
