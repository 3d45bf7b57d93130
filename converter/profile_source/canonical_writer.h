// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_CANONICAL_WRITER_H_
#define PERF2X_PROFILE_SOURCE_CANONICAL_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/base/radix_sort.h"
#include "converter/profile_source/merged_profile.h"
#include "converter/profile_source/profile.h"
#include "converter/profile_source/profile_encoder.h"

namespace perf2x {

// Returns true if mapping `a` of `profile` sorts before mapping `b`; both are
// indexes. The order is by name, build id, offset and size. If the mapping's
// addresses are no file offsets (IsInFile), then also by start.
bool MappingBefore(const Profile& profile, uint32_t a, uint32_t b);

// Writes a merged profile with all tables sorted by their contents, except that
// the main program's mapping comes first. Samples are ordered by their stacks,
// leaf first, and then by their labels. Not thread-safe.
class CanonicalWriter {
 public:
  // `header` has the sample types, comments and single-value fields. Its
  // StringIndexes refer to the strings of `merged`. All arguments must outlive
  // this.
  CanonicalWriter(const MergedProfile& merged, const Profile& header,
                  Output& output);

  // Writes the profile. Does not close the output; fails with its errors. To be
  // called once.
  absl::Status Write();

 private:
  // The ids of one table in their order, and their places in it.
  struct Order {
    std::vector<uint32_t> ids, place_of;
    // Sorts `ids`, of which the table has `size`.
    template <class Before>
    void Sort(size_t size, Before before);
  };
  using Samples = std::vector<Keyed<StackId>>;
  // Samples that are next to each other and whose first `frames` frames are
  // equal.
  struct Run {
    absl::Span<Keyed<StackId>> samples;
    size_t frames;
  };

  void OrderStrings();
  void OrderMappings();
  void OrderFunctions();
  void OrderLocations();
  void OrderLabelSets();
  // Sets the labels of `sample_`, by place, to those of a set.
  void SetLabels(StringId set);
  Samples OrderSamples();
  bool LocationBefore(uint32_t a, uint32_t b) const;
  // Returns the place of the i-th frame of a chain plus one; 0: there is none.
  uint64_t PlaceIn(absl::Span<const uint8_t> chain, size_t i) const;
  void OrderRun(const Run& run);
  void OrderByNextFrames(const Run& run, std::vector<Run>* equal);
  absl::Status WriteSamples();
  absl::Status WriteSample(StackId stack);
  absl::Status WriteCode();
  absl::Status WriteHeader();
  absl::Status WriteStrings();

  const MergedProfile& merged_;
  const Profile& tables_;
  const Profile& header_;
  ProfileEncoder to_;
  Order strings_, mappings_, functions_, locations_, label_sets_;
  std::vector<size_t> type_of_;  // by column: the index in the header's types
  ProfileSample sample_;
  std::vector<uint64_t> room_;
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_CANONICAL_WRITER_H_
