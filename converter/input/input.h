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
#include "converter/input/found_input.h"
#include "converter/input/read_stop.h"

namespace perf2x {

// A recording, opened and unwrapped: gzip, bzip2, xz or zstd around it are
// gone.
struct Input {
  std::string name;  // as the user gave it; "-" for standard input
  // Either the whole file, mapped, or bytes in order.
  BlockRef mapped;
  std::unique_ptr<ByteSource> stream;
  // Ends reads of `stream` that wait for bytes; null where none can.
  std::shared_ptr<ReadStop> stop;

  // A directory recording's data.N files, by N; empty ones left out.
  struct DataFile {
    std::string name;
    BlockRef mapped;
  };
  std::vector<DataFile> data_files;
  std::string directory;  // the folder's path; empty for other inputs
  // Bytes of the file (of a folder: of `data`) on disk; of a pipe, those read
  // so far. Null: not known.
  Budget::Size size;

  // When it was last written to, in ns since 1970; 0: not known.
  int64_t written_at = 0;
  // Whether others than root and who runs this may have written it: it, or one
  // of its files, belongs to them, or everyone may write to it.
  bool by_others = false;

  // Adds the size of all its files.
  void AddTo(Budget* budget) const;
};

// Opens a file, FIFO or device, a folder that `perf record` wrote ("data" and
// "data.N" in it), or standard input ("-"). The error says which and why.
absl::StatusOr<Input> OpenInput(const FoundInput& found);
absl::StatusOr<Input> OpenInput(const std::string& path);

// Writes what is left of `source` to an unlinked temporary file and maps that:
// for containers that must be read out of order. When `source` fails midway,
// what came before is mapped and the reason is left in `*damage`.
absl::StatusOr<BlockRef> Spool(ByteSource& source, absl::Status* damage);

// A recording that is in memory already; `bytes` must outlive its use.
Input MemoryInput(absl::Span<const uint8_t> bytes);

}  // namespace perf2x

#endif  // PERF2X_INPUT_INPUT_H_
