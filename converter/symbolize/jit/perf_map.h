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

// The functions that a JIT compiler told of in a perf-PID.map: lines of start,
// size (both hexadecimal) and name. See the kernel's
// tools/perf/Documentation/jit-interface.txt. Addresses are run-time ones. Of
// functions that began at one address the last one counts.
class PerfMap : public DsoSymbolizer {
 public:
  // Fails when the file is not there, has no functions in it or may be someone
  // else's; see SafeFile::CheckWriters.
  static absl::StatusOr<std::unique_ptr<PerfMap>> Open(const FilePlace& place);
  static absl::StatusOr<std::unique_ptr<PerfMap>> Parse(
      std::shared_ptr<const SafeFile> file);

  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override;
  const std::string& path() const { return file_->path(); }

 private:
  std::shared_ptr<const SafeFile> file_;
  SymbolIndex index_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_PERF_MAP_H_
