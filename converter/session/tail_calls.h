// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_TAIL_CALLS_H_
#define PERF2X_SESSION_TAIL_CALLS_H_

#include <cstdint>
#include <memory>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "converter/model/code_image.h"
#include "converter/model/trace_tables.h"
#include "converter/session/address_spaces.h"
#include "converter/session/thread_table.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Tells which jumps of a traced program stand for a call and a return. Reads
// the symbol tables of the files that the symbolizer finds, but only for jumps
// within one file. Keeps what it found for recent jumps. Not thread-safe.
class TailCalls {
 public:
  // All must outlive the object.
  TailCalls(TraceTables& tables, AddressSpaces& spaces, WorkMeter& work)
      : tables_(tables), spaces_(spaces), work_(work) {}

  // Returns true if a jump from `from` to `to`, in the current mappings of
  // `process`, leads to another file or to the first instruction of another
  // function. Parts that compilers split off from a function (".cold") belong
  // to it, and the kernel's return thunks are returns. May open files. Before
  // the first call, the tables must have a symbolizer.
  bool Has(ProcessState& process, uint64_t from, uint64_t to);

  // Returns the approximate memory, in bytes, without the files.
  uint64_t memory() const {
    constexpr uint64_t kOfJump = 2 * (sizeof(Jump) + 8), kOfImage = 512;
    return jumps_.size() * kOfJump + images_.size() * kOfImage;
  }

 private:
  using Jump = std::tuple<AddressSpaceId, uint64_t, uint64_t>;  // from, to

  bool Find(AddressSpaceId space, uint64_t from, uint64_t to);
  const CodeImage* ImageOf(DsoId dso);

  TraceTables& tables_;
  AddressSpaces& spaces_;
  WorkMeter& work_;
  absl::flat_hash_map<Jump, bool> jumps_;
  // Null: the file was not found.
  absl::flat_hash_map<DsoId, std::shared_ptr<CodeImage>> images_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_TAIL_CALLS_H_
