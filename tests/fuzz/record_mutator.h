// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_RECORD_MUTATOR_H_
#define PERF2X_TESTS_FUZZ_RECORD_MUTATOR_H_

#include "tests/fuzz/random.h"
#include "tests/fuzz/record_sequence.h"

namespace perf2x {

// Makes a few changes to `*list`: moves, reverses, shuffles, duplicates, drops
// and repeats records, copies some from `other`, puts attributes after samples,
// and changes single fields, types and sizes.
void MutateRecords(const RecordSequence& other, Random& random,
                   RecordSequence* list);

// Returns a random way to store a list.
Storage AnyStorage(const RecordSequence& list, Random& random);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_RECORD_MUTATOR_H_
