// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BRANCH_LISTS_BRANCH_LIST_READER_H_
#define PERF2X_BRANCH_LISTS_BRANCH_LIST_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/build_id.h"
#include "converter/base/diagnostics.h"

namespace perf2x {

// Bytes that suffice for IsBranchList.
inline constexpr size_t kBranchListMagicSize = 8;

// Returns true if the first bytes of a file, decompressed, are those of a
// branch list of simpleperf (proto/branch_list.proto), maybe one that
// CheckBranchList refuses.
bool IsBranchList(absl::Span<const uint8_t> first_bytes);

// Fails with Unimplemented if a file for which IsBranchList returned true is of
// a version, or compressed in a way, that ReadBranchLists cannot read.
absl::Status CheckBranchList(absl::Span<const uint8_t> file);

// A file of code that a branch list names.
struct ListedBinary {
  enum class Kind : uint8_t { kFile, kKernel, kKernelModule };
  std::string path;
  BuildId build_id;  // empty: not known
  Kind kind = Kind::kFile;
  // Of kKernel, if not 0: addresses are those at run time, and this is the
  // address of _stext.
  uint64_t kernel_start = 0;

  friend bool operator==(const ListedBinary&, const ListedBinary&) = default;
  template <class H>
  friend H AbslHashValue(H h, const ListedBinary& b) {
    return H::combine(std::move(h), b.path, b.build_id, b.kind, b.kernel_start);
  }
};

// Branches that were reached one after the other, from a trace of CoreSight.
struct EtmBranchList {
  uint64_t address = 0;  // of the first instruction; T32: plus 1
  // A bit for each branch, from the lowest of the first byte on: 1 if taken.
  absl::Span<const uint8_t> bits;
  size_t size = 0;     // bits; at most 8 for each byte of `bits`
  uint64_t count = 0;  // how often this happened

  bool taken(size_t i) const { return (bits[i / 8] >> (i % 8) & 1) != 0; }
};

// A sample of LBR data. A binary is an index of OnBinaries, or kNone.
struct ListedSample {
  static constexpr uint32_t kNone = ~0u;
  struct Place {
    uint32_t binary = kNone;
    uint64_t address = 0;  // link-time
  };
  struct Branch {
    Place source, target;
  };
  Place place;
  std::vector<Branch> branches;  // the latest first
};

// Receives what a file has. Spans are valid during the call. An error ends the
// reading.
class BranchListSink {
 public:
  virtual ~BranchListSink() = default;
  // The next lists are of this binary, which may have come before.
  virtual absl::Status OnBinary(const ListedBinary& binary) = 0;
  virtual absl::Status OnList(const EtmBranchList& list) = 0;
  // The next samples are of these binaries.
  virtual absl::Status OnBinaries(std::vector<ListedBinary> binaries) = 0;
  virtual absl::Status OnSample(const ListedSample& sample) = 0;
};

// Passes the contents of a file to `sink`. Reads everything before damage, and
// counts the damage. Charges decompressed messages to the budget while they are
// read; leaves out and counts those that exceed it. Fails as CheckBranchList
// does, and with the sink's errors.
absl::Status ReadBranchLists(absl::Span<const uint8_t> file, Budget& budget,
                             Diagnostics& diagnostics, BranchListSink& sink);

}  // namespace perf2x

#endif  // PERF2X_BRANCH_LISTS_BRANCH_LIST_READER_H_
