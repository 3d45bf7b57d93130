// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_MAPPED_ETM_CODE_H_
#define PERF2X_SESSION_MAPPED_ETM_CODE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/hwtrace/etm_element.h"
#include "converter/model/code_image.h"
#include "converter/model/trace_tables.h"
#include "converter/session/address_spaces.h"
#include "converter/session/host_environment.h"
#include "converter/session/jit_code.h"
#include "converter/session/kernel_memory.h"
#include "converter/session/thread_table.h"

namespace perf2x {

// The code in the current memory maps of threads. Reads it from the binaries
// that the symbolizer finds, and generated code from jitdumps; that of the
// kernel and its modules from the recording's copy of the kernel's memory, if
// there is one. Without a symbolizer, no code is known. Not thread-safe.
class MappedEtmCode final : public EtmCode {
 public:
  // All must outlive this object.
  MappedEtmCode(TraceTables& tables, AddressSpaces& spaces,
                ThreadTable& threads, const JitCode& jit_code,
                HostEnvironment& environment)
      : tables_(tables),
        spaces_(spaces),
        threads_(threads),
        jit_code_(jit_code),
        kernel_memory_(environment) {}

  // Sets the thread to use if Read is called with thread -1. If it is -1 too,
  // or was never seen, only the kernel's code is known.
  void set_default_thread(int32_t tid) { default_thread_ = tid; }
  // See EtmCode. Reads the code that is mapped now, also of the kernel. Does
  // not use `cpu`.
  uint32_t Read(int32_t cpu, int32_t thread, uint64_t address,
                absl::Span<uint8_t> to) override;

  // Returns the approximate memory, in bytes, without the files.
  uint64_t memory() const { return images_.size() * kOfImage; }

 private:
  static constexpr uint64_t kOfImage = 512;

  absl::Span<const uint8_t> BytesAt(std::optional<AddressSpaceId> space,
                                    uint64_t address);
  absl::Span<const uint8_t> OfFile(DsoId dso, uint64_t frame_address);
  absl::Span<const uint8_t> OfJit(DsoId dso, uint64_t address) const;

  TraceTables& tables_;
  AddressSpaces& spaces_;
  ThreadTable& threads_;
  const JitCode& jit_code_;
  KernelMemory kernel_memory_;
  int32_t default_thread_ = -1;
  // Null: the file was not found.
  absl::flat_hash_map<DsoId, std::shared_ptr<const CodeImage>> images_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_MAPPED_ETM_CODE_H_
