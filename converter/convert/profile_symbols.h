// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_PROFILE_SYMBOLS_H_
#define PERF2X_CONVERT_PROFILE_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/model/symbolizer.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Symbolizes the DSOs of a merged trace by the symbols of one profile. Passes
// look-ups to the profile's symbolizer, with the equal DSO of the profile's
// tables. DSOs that the profile lacks have no symbols. As thread-safe as
// ProfileTrace.
class ProfileSymbols final : public Symbolizer {
 public:
  // `of_profile` (a ProfileTrace) and its `tables`, complete, must outlive
  // this.
  ProfileSymbols(Symbolizer& of_profile, const TraceTables& tables)
      : of_profile_(of_profile) {
    for (const Dso& dso : tables.dsos()) own_.emplace(KeyOf(dso), &dso);
  }

  // Looks up the addresses in the profile's equal DSO. Finds nothing if the
  // profile has none.
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override {
    const auto own = own_.find(KeyOf(dso));
    if (own != own_.end()) of_profile_.Resolve(*own->second, addresses, found);
  }
  // Releases the profile's equal DSO.
  void Release(const Dso& dso) override {
    const auto own = own_.find(KeyOf(dso));
    if (own != own_.end()) of_profile_.Release(*own->second);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key KeyOf(const Dso& dso) {
    return {dso.name, dso.symbol, dso.build_id.Hex()};
  }

  Symbolizer& of_profile_;
  absl::flat_hash_map<Key, const Dso*> own_;
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_PROFILE_SYMBOLS_H_
