// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_DATA_SRC_H_
#define PERF2X_PERF_RECORDS_DATA_SRC_H_

#include <cstdint>
#include <string>

#include "converter/base/branch_details.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"
#include "converter/base/data_access.h"
#include "converter/perf/records/attr.h"

namespace perf2x {

// Appends a sample's data_src (union perf_mem_data_src) in words: "op=load
// level=hit,L1 snoop=none tlb=hit,L1". It describes a memory access. Omits
// parts that the hardware did not report; appends nothing if it reported none.
// The number does not depend on the byte order: big-endian kernels declare the
// union's fields in reverse.
void AppendDataSource(uint64_t data_src, std::string* out);

// Decodes a data_src by the rules of `perf c2c`: c2c_decode_stats() in
// tools/perf/util/mem-events.c.
DataAccess DataAccessOf(uint64_t data_src);
// Returns true if `data_src` has an operation, even PERF_MEM_OP_NA. Samples of
// Arm SPE records that are no memory access have none.
inline bool HasMemoryOperation(uint64_t data_src) {
  return (data_src & 0x1f) != 0;
}

// Flags of a branch, from the third word of a struct perf_branch_entry.
struct BranchFlags {
  bool mispredicted = false;
  uint16_t cycles = 0;  // since the previous branch; 0: not known
  // Speculated on the wrong path (PERF_BR_SPEC_WRONG_PATH): it did not retire.
  bool wrong_path = false;
};
// Returns the flags in `word`, which was loaded from a recording of byte order
// `order`.
inline BranchFlags BranchFlagsOf(uint64_t word, ByteOrder order) {
  constexpr uint64_t kWrongPath = 1;  // PERF_BR_SPEC_WRONG_PATH
  return {BitField(word, 0, 1, order) != 0,
          static_cast<uint16_t>(BitField(word, 4, 16, order)),
          BitField(word, 24, 2, order) == kWrongPath};
}
// Returns the flags in `word` that BranchFlags lacks. The parameters are as for
// BranchFlagsOf.
BranchDetails BranchDetailsOf(uint64_t word, ByteOrder order);

// Appends a branch stack, as in "0x10>0x20/P,cycles=5,call 0x8>0xc/M": from, to
// and flags of each branch. `branches` holds the three words of each struct
// perf_branch_entry. Keeps their order, newest branch first. The flags, as far
// as they are recorded: M (mispredicted) or P (predicted), X (in a
// transaction), A (aborts a transaction), cycles=N, the kind of branch.
void AppendBranches(const WordSpan& branches, std::string* out);

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_DATA_SRC_H_
