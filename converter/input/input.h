// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_INPUT_H_
#define PERF2X_INPUT_INPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "converter/base/block.h"
#include "converter/base/budget.h"
#include "converter/base/byte_source.h"
#include "converter/input/input_identity.h"
#include "converter/input/read_stop.h"

namespace perf2x {

// An opened input: a recording or a pprof profile. If it is compressed with
// gzip, bzip2, xz or zstd, it is decompressed.
struct Input {
  std::string name;  // as the user gave it; "-" for standard input
  // Either the whole file, mapped, or a stream of its bytes; the other is null.
  // A stream is used for compressed files, pipes and devices. For a directory
  // recording, its file `data` counts.
  BlockRef mapped;
  std::unique_ptr<ByteSource> stream;
  // Ends reads of `stream` that wait for bytes; null if no read can wait.
  std::shared_ptr<ReadStop> stop;

  // The data.N files of a directory recording, in order of N, without empty
  // files. They are not decompressed.
  struct DataFile {
    std::string name;
    BlockRef mapped;
  };
  std::vector<DataFile> data_files;
  std::string directory;  // the folder's path; empty for other inputs
  // Size of the file on disk, in bytes (of a directory: of its `data`); of a
  // pipe, the bytes read so far. Null if not known.
  Budget::Size size;

  // When the file was last modified, in ns since 1970; 0: not known, as for
  // standard input and files that are not regular.
  int64_t written_at = 0;
  // True if users other than root and the current one may have written the
  // recording: one of its files belongs to another user, or everyone may write
  // to it.
  bool by_others = false;

  // Adds the sizes of all its files to `budget`.
  void AddTo(Budget* budget) const;
};

// Opens a file, FIFO or device, a folder that `perf record` wrote ("data" and
// "data.N" in it), or standard input ("-"). Waits for the first bytes of a
// pipe. Does not check that these are a recording. Fails with InvalidArgument
// for a folder without "data", otherwise with Unavailable. The error names the
// file and the reason.
//
// Opens the very file that was `found`, and fails if there is another one now.
// A `path` is looked up first, and links are followed.
absl::StatusOr<Input> OpenInput(const InputIdentity& found);
absl::StatusOr<Input> OpenInput(const std::string& path);

// Writes the rest of `source` to an unlinked temporary file and maps that file,
// for containers that must be read out of order. If `source` fails midway, maps
// the bytes before that and stores the reason in `*damage`, which otherwise
// keeps its value. Fails if the temporary file cannot be made, written or
// mapped.
absl::StatusOr<BlockRef> Spool(ByteSource& source, absl::Status* damage);

// Returns an input that is in memory already, with the name "memory". `bytes`
// must outlive all use of the input.
Input MemoryInput(absl::Span<const uint8_t> bytes);

}  // namespace perf2x

#endif  // PERF2X_INPUT_INPUT_H_
