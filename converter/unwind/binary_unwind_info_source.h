// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_BINARY_UNWIND_INFO_SOURCE_H_
#define PERF2X_UNWIND_BINARY_UNWIND_INFO_SOURCE_H_

#include <memory>
#include <utility>

#include "converter/model/trace_tables.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

// Unwind information of programs, libraries and the vDSO, from the files that
// BinaryFinder also finds for symbols. The vDSO comes from the archive, perf's
// build-id cache or this process, and must have the recorded build id.
// Generated code has its unwind information in Dso::eh_frame.
class BinaryUnwindInfoSource final : public UnwindInfoSource {
 public:
  // `tables` must outlive the source and hold the DSOs that are asked for.
  BinaryUnwindInfoSource(const TraceTables& tables, BinaryFinderOptions options)
      : tables_(tables), finder_(std::move(options)) {}
  // Opens the files of kinds kFile and kVdso; null for all others.
  std::shared_ptr<const ElfFile> OpenBinary(DsoId dso) override;
  // Returns the first symbol file of the DSO that has .debug_frame.
  std::shared_ptr<const ElfFile> OpenDebugFile(DsoId dso,
                                               const ElfFile& code) override;
  // Returns Dso::eh_frame, at the address that `perf inject --jit` gives it.
  Generated GeneratedCfi(DsoId dso) override;

 private:
  const TraceTables& tables_;
  const BinaryFinder finder_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_BINARY_UNWIND_INFO_SOURCE_H_
