// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_DATA_SRC_H_
#define PERF2X_PERF_RECORDS_DATA_SRC_H_

#include <cstdint>
#include <string>

#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

// Appends what a sample's data_src says of a memory access, in words:
// "op=load level=L1,hit snoop=none tlb=L1,hit lock=no". Parts that the hardware
// did not tell are left out. union perf_mem_data_src; a big-endian kernel lists
// its fields in reverse, so that the number is the same.
void AppendDataSource(uint64_t data_src, std::string* out);

// Appends a branch stack as "0xfrom>0xto/flags" entries, newest first, with a
// space between them. Flags are M or P (mispredicted, predicted), X (in a
// transaction), A (aborts one), cycles=N and the kind of branch, as far as
// recorded. struct perf_branch_entry; `branches` holds from, to and flags.
// What the third word of a branch says (struct perf_branch_entry).
struct BranchFlags {
  bool mispredicted = false;
  uint16_t cycles = 0;  // since the branch before; 0: not known
};
BranchFlags BranchFlagsOf(uint64_t word, ByteOrder order);

void AppendBranches(const WordSpan& branches, std::string* out);

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_DATA_SRC_H_
