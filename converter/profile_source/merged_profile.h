// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_MERGED_PROFILE_H_
#define PERF2X_PROFILE_SOURCE_MERGED_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "converter/base/budget.h"
#include "converter/base/hash.h"
#include "converter/base/output.h"
#include "converter/base/string_table.h"
#include "converter/base/worker_pool.h"
#include "converter/model/symbolizer.h"
#include "converter/model/trace_tables.h"
#include "converter/profile_source/merged_header.h"
#include "converter/profile_source/profile.h"
#include "converter/profile_source/profile_encoder.h"
#include "converter/profile_source/profile_trace.h"
#include "converter/profile_source/stack_sums.h"

namespace perf2x {

// The sum of any number of profiles (docs/merging.md). The written profile does
// not depend on their order, or on how they were grouped into earlier sums.
// Entries of tables are distinct and sorted by their contents. Not thread-safe.
class MergedProfile {
 public:
  // `budget` must outlive this; the memory of the sum is charged to it.
  explicit MergedProfile(Budget& budget) : memory_(budget), budget_(budget) {}

  // Adds the samples of `*profile` for which `gate` returns true, and frees the
  // samples of the profile. Fails with DataLoss if a sample is damaged, and
  // with ResourceExhausted if the budget is exhausted or the sum would have
  // more than kMaxValueTypes. After a failure, only a part of the samples is
  // added and freed.
  absl::Status Add(Profile* profile, SampleGate gate);
  // Symbolizes locations without a symbol; does nothing if there are none. Adds
  // the DSOs of all mappings to `tables`, which must be empty. Then calls
  // `files` for a symbolizer; null: symbolizes nothing. Uses `workers` to help.
  // To be called at most once, after the last Add. `tables` must not be used
  // afterwards.
  void Symbolize(TraceTables& tables, absl::FunctionRef<Symbolizer*()> files,
                 WorkerPool& workers);
  // Writes the profile. Does not close the output; fails with its errors. To be
  // called once, last.
  absl::Status Write(Output& output);

 private:
  friend class CanonicalWriter;
  // One profile's indexes, translated. kNoId: not yet.
  struct Translation {
    std::vector<StringId> strings;
    std::vector<uint32_t> mappings, functions, locations;
    StringTable label_sets;  // by the profile's own indexes
    std::vector<uint32_t> merged_label_sets;
    std::vector<size_t> columns;
  };
  using FunctionKey = std::tuple<StringId, StringId, StringId, int64_t>;
  // File name, build id, offset, size, and the start. The start is 0 if the
  // mapping's addresses are file offsets.
  using MappingKey =
      std::tuple<StringId, StringId, uint64_t, uint64_t, uint64_t>;

  StringId Intern(absl::string_view s);
  StringId StringOf(const Profile& profile, StringIndex s, Translation* to);
  absl::Status AddColumns(const Profile& profile, Translation* to);
  void AddMappings(const Profile& profile, Translation* to);
  uint32_t FunctionOf(const Profile& profile, uint32_t function,
                      Translation* to);
  uint32_t InternFunction(const FunctionKey& function);
  uint32_t InternSymbol(const Function& function, const StringTable& strings);
  uint32_t LocationOf(const Profile& profile, uint32_t location,
                      Translation* to);
  // Looks up the last of merged_.locations, with its lines. If an equal
  // location exists, removes the last one and returns the equal one.
  uint32_t InternLastLocation();
  Hash128 HashOf(const Profile::Location& location) const;
  uint32_t LabelSetOf(const Profile& profile, const ProfileSample& sample,
                      Translation* to);
  Profile TakeUnsymbolized(std::vector<uint32_t>* location_of);
  void SetSymbols(const ProfileTrace& trace, TraceTables& tables,
                  absl::Span<const uint32_t> location_of);
  Profile Header();
  absl::Status Account();

  Budget::Share memory_;
  Budget& budget_;
  MergedHeader header_;
  StringTable strings_;
  // All tables but samples. Its string indexes are ids in strings_. Addresses
  // of locations are relative to their mapping's start.
  Profile merged_;
  uint32_t main_mapping_ = kNoId;  // the program's
  absl::flat_hash_map<MappingKey, uint32_t> mapping_ids_;
  absl::flat_hash_map<FunctionKey, uint32_t> function_ids_;
  absl::flat_hash_map<Hash128, uint32_t> location_ids_;
  StringTable label_sets_;              // labels as bytes, see label_bytes.h
  StackSums sums_;                      // of stacks of merged_.locations
  std::vector<uint32_t> location_now_;  // after Symbolize
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_MERGED_PROFILE_H_
