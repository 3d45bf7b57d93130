// SPDX-License-Identifier: Apache-2.0

// Whole runs of perf2x on recordings whose records are rearranged.

#include "tests/fuzz/record_trial.h"
#include "tests/fuzz/targets.h"

namespace perf2x {

// The pieces are the files of a folder or, for half of the inputs, two
// recordings to be merged. The bytes decide how they are converted.
void FuzzRecords(FuzzInput bytes) {
  std::vector<ByteVector> files;
  for (const FuzzInput piece : FuzzPieces(bytes)) {
    files.emplace_back(piece.begin(), piece.end());
  }
  Random random(FuzzChoice(bytes));
  std::vector<ByteVector> second;
  if (files.size() == 2 && random.OneIn(2)) {
    second.push_back(std::move(files[1]));
    files.pop_back();
  }
  const RecordSequence list = ParseRecordSequence(files[0]);
  RecordTrial trial = AnyTrial(std::move(files), list, random);
  trial.second = std::move(second);
  TrialCost cost;
  const std::string bad = RunTrial(trial, &cost);
  FuzzPromise(bad.empty(), bad.c_str());
}

}  // namespace perf2x
