// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INPUT_INPUT_H_
#define PERF2X_INPUT_INPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "converter/base/block.h"
#include "converter/base/budget.h"
#include "converter/base/byte_source.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input_identity.h"
#include "converter/input/read_stop.h"

namespace perf2x {

// An opened input: a recording or a pprof profile. Inputs in gzip, bzip2, xz or
// zstd are decompressed.
struct Input {
  std::string name;  // as the user gave it; "-" for standard input
  // The bytes of the input; of a directory recording, the bytes of its `data`.
  // Exactly one of `mapped` and `stream` is set. `mapped` is a whole file that
  // is not compressed. `stream` is for compressed inputs, pipes, devices, and
  // standard input whose file offset is not 0.
  BlockRef mapped;
  // How many bytes of `mapped` are no holes of the file, as far as it is known.
  std::optional<uint64_t> stored;
  std::unique_ptr<ByteSource> stream;
  // Ends reads of `stream` that wait for bytes; null if no read can wait.
  std::shared_ptr<ReadStop> stop;

  // The data.N files of a directory recording, in order of N, without empty
  // files. They are not decompressed.
  struct DataFile {
    std::string name;
    BlockRef mapped;
    std::optional<uint64_t> stored;  // as that of Input
    // Returns the size on disk, in bytes, without holes.
    uint64_t size() const { return stored.value_or(mapped->bytes().size()); }
  };
  std::vector<DataFile> data_files;
  std::string directory;  // the folder's path; empty for other inputs
  // Size of the file on disk, in bytes, without holes. Of a directory
  // recording: size of its `data`. Of a pipe: number of bytes read so far. Not
  // null after OpenInput.
  Budget::Size size;

  // Time of the file's last modification, in ns since 1970. 0 (not known) for
  // standard input and for all but regular files.
  int64_t written_at = 0;
  // True if one of the input's files is writable for everyone, or if its owner
  // is neither root nor the current user.
  bool may_be_from_others = false;

  // Adds the sizes of all the input's files to `budget`.
  void AddSizesTo(Budget* budget) const;
};

// Opens a file, FIFO or device, a directory recording ("data" and "data.N" in a
// folder), or standard input ("-"). Waits for the first bytes of a pipe. Does
// not check that the bytes are a recording. Fails with InvalidArgument for a
// folder without "data". All other errors are Unavailable. The error names the
// file and the reason.
//
// With `found`, opens the identified file, and fails if another file has its
// path now. With `path`, follows symbolic links.
absl::StatusOr<Input> OpenInput(const InputIdentity& found);
absl::StatusOr<Input> OpenInput(const std::string& path);

// Writes the unread bytes of `source` to a TempFile and maps them, for
// containers that must be read out of order. If `source` fails, maps the bytes
// before the failure and stores the error in `*damage`. If not, `*damage` keeps
// its value. Fails with ResourceExhausted if the file cannot be made, written
// or mapped.
absl::StatusOr<BlockRef> Spool(ByteSource& source, absl::Status* damage);

// Spools the stream of an input: sets `input->mapped` in its place. Adds
// damage, which ends the stream, to `*diagnostics`. Fails as Spool does.
absl::Status SpoolStream(Input* input, Diagnostics* diagnostics);

// Returns an input of `bytes` with the name "memory". Does not copy `bytes`.
// `bytes` must outlive the input and all BlockRefs to it.
Input MemoryInput(absl::Span<const uint8_t> bytes);

}  // namespace perf2x

#endif  // PERF2X_INPUT_INPUT_H_
