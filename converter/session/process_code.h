// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_PROCESS_CODE_H_
#define PERF2X_SESSION_PROCESS_CODE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/hwtrace/traced_code.h"
#include "converter/model/code_image.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/header/features.h"
#include "converter/session/address_map.h"
#include "converter/session/address_spaces.h"
#include "converter/session/host_environment.h"
#include "converter/session/jit_code.h"
#include "converter/session/kernel_memory.h"
#include "converter/session/thread_table.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

// The mappings of a process at one moment: ProcessState::map and
// ::replaced_map. Copies cost little; see AddressMap.
struct ProcessMaps {
  AddressMap map, replaced;
  friend bool operator==(const ProcessMaps&, const ProcessMaps&) = default;
};

// The machine code that one process and the kernel have mapped. Reads programs,
// libraries and the vDSO from the files of the UnwindInfoSource, generated code
// from jitdumps. Reads the kernel and its modules from the recording's copy of
// the kernel's memory. Without that, reads the kernel proper from the file that
// the symbolizer uses, and does not know the code of modules. Not thread-safe.
class ProcessCode final : public TracedCode {
 public:
  // All must outlive the object. Opens no files: only Read does. Before the
  // first Read, `features` must be complete and `tables` must have a
  // symbolizer.
  ProcessCode(TraceTables& tables, const AddressSpaces& spaces,
              const JitCode& jit_code, HostEnvironment& environment,
              const HeaderFeatures& features)
      : tables_(tables),
        spaces_(spaces),
        jit_code_(jit_code),
        environment_(environment),
        features_(features),
        kernel_memory_(environment) {}

  // Sets the mappings of the process whose code Read returns; if empty, only
  // the kernel's code is known. To be called again when these or the kernel's
  // mappings may have changed.
  void Select(const ProcessMaps& maps);
  // Until the next Select, Read returns no code.
  void SelectNone();
  // Copies code of the selected process or of the kernel; see TracedCode. May
  // open files.
  size_t Read(uint64_t address, absl::Span<uint8_t> to) override;
  // Returns the work (Budget::kWork) of look-ups since the last call. The
  // caller charges it.
  uint64_t TakeWork() { return std::exchange(work_, 0); }

 private:
  CodeBytes Find(uint64_t address);
  CodeBytes OfFile(const MapEntry& entry);
  CodeBytes OfKernel(const MapEntry& entry, uint64_t address);
  CodeBytes OfJit(const MapEntry& entry);

  TraceTables& tables_;
  const AddressSpaces& spaces_;
  const JitCode& jit_code_;
  HostEnvironment& environment_;
  const HeaderFeatures& features_;
  bool is_selected_ = false;
  ProcessMaps maps_;
  std::array<CodeBytes, 4> recent_;  // found since Select
  size_t next_recent_ = 0;
  uint64_t work_ = 0;
  bool has_source_ = false;
  std::unique_ptr<UnwindInfoSource> source_;  // null: no files are read
  absl::flat_hash_map<DsoId, std::shared_ptr<const ElfFile>>
      files_;  // null: none
  absl::flat_hash_map<DsoId, std::shared_ptr<CodeImage>> kernels_;
  KernelMemory kernel_memory_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PROCESS_CODE_H_
