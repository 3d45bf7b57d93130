// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_PERF_MAP_H_
#define PERF2X_SYMBOLIZE_JIT_PERF_MAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// Symbols of JIT'd code from a perf-PID.map. Lines have start, size (both
// hexadecimal) and name, with run-time addresses: see the kernel's
// tools/perf/Documentation/jit-interface.txt. Other lines are ignored. Of
// several functions that start at one address, the last in the file is used.
// Names are not demangled.
class PerfMap : public DsoSymbolizer {
 public:
  // Opens a file that no other user may have written. Fails with the errors of
  // SafeFile::Open, SafeFile::CheckWriters and Parse.
  static absl::StatusOr<std::unique_ptr<PerfMap>> Open(const FilePlace& place);
  // Fails with InvalidArgument if there are no functions in `file`.
  static absl::StatusOr<std::unique_ptr<PerfMap>> Parse(
      std::shared_ptr<const SafeFile> file);

  // See DsoSymbolizer. `addresses` are run-time addresses.
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override;
  const std::string& path() const { return file_->path(); }

 private:
  std::shared_ptr<const SafeFile> file_;
  SymbolIndex index_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_PERF_MAP_H_
