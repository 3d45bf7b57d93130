// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_TRACE_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_TRACE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/model/symbolizer.h"
#include "converter/model/trace_tables.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// The code of a profile as tables of a trace: its DSOs, mappings, and a frame
// for each location. Symbols come from the profile or, for locations without a
// symbol, from the symbolizer of set_file_symbolizer. The "callchains" in
// TraceTables::stacks are indexes of locations, or kNowhere alone. Functions
// that take a location or mapping require an index of the profile. Not
// thread-safe, except for Resolve and Release as in Symbolizer.
class ProfileTrace final : public FrameSource, public Symbolizer {
 public:
  // The location in the callchain of a sample without locations.
  static constexpr uint32_t kNowhere = kNoId;

  // Adds DSOs and mappings to `tables`, which must be empty, and becomes its
  // FrameSource and Symbolizer. Both arguments must outlive this.
  ProfileTrace(const Profile& profile, TraceTables& tables);

  // Sets the symbolizer for locations without a symbol; it must outlive this.
  // Null (the default): none. To be called before the first look-up.
  void set_file_symbolizer(Symbolizer* files) { files_ = files; }
  // Returns true if the profile has locations without a symbol.
  bool lacks_symbols() const { return lacking_ > 0; }
  // Returns the main program: the DSO of the first mapping; kNoId if there is
  // no mapping.
  DsoId main_dso() const {
    return dso_of_mapping_.empty() ? kNoId : dso_of_mapping_[0];
  }
  // Returns the DSO of a mapping.
  DsoId dso_of_mapping(uint32_t mapping) const {
    return dso_of_mapping_[mapping];
  }
  // Returns the DSO of a location.
  DsoId dso_of(uint32_t location) const { return dso_of_[location]; }
  // Returns the frame of a location or of kNowhere.
  FramePlace PlaceOf(uint32_t location) const;
  // Returns true if the location has no symbol in the profile.
  bool LacksSymbol(uint32_t location) const { return state_[location] != kOwn; }
  // Returns true if PlaceOf a location that has no symbol in the profile is
  // `place`.
  bool LacksSymbolAt(const FramePlace& place) const;
  // Returns true if a file had the symbol that the profile lacks. To be called
  // after the location's frame was symbolized.
  bool FoundSymbol(uint32_t location) const {
    return state_[location] == kFound;
  }
  // Returns true if FoundSymbol is true for any location.
  bool found_any() const;

  // Interns a frame for each location, with all of its functions. The FrameId
  // is the location's index. To be called before any other frame is interned.
  void InternAllFrames();
  // Returns the number of skipped functions. A frame has only the first 1000
  // functions of its location, except after InternAllFrames.
  uint64_t skipped_functions() const { return skipped_functions_; }

 private:
  // kOwn: the profile has a symbol. kLacks: it has none. kFound: it has none,
  // but a file has one. Bytes, because threads write to different elements at
  // once.
  enum State : uint8_t { kOwn, kLacks, kFound };

  void AppendPlaces(StackId stack, FramePlaces* places) override;
  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override;
  void Release(const Dso& dso) override {
    if (files_ != nullptr) files_->Release(dso);
  }
  void AddMappings();
  void AddLocations();
  DsoId DsoOf(const Profile::Location& location, bool* lacks_symbol);
  DsoId AddDso(const Dso& dso);
  // Returns the DSO of code whose placeholder is the function's name.
  DsoId DsoOfPlaceholder(StringIndex name);
  void AppendSymbols(const Profile::Location& location,
                     std::vector<Symbol>* symbols) const;

  const Profile& profile_;
  TraceTables& tables_;
  Symbolizer* files_ = nullptr;
  std::vector<DsoId> dso_of_mapping_;
  // For locations without a mapping.
  DsoId unknown_ = kNoId;
  MappingId no_mapping_ = kNoId;
  absl::flat_hash_map<std::pair<std::string, std::string>, DsoId> dsos_;
  // A cache: many locations may share one long placeholder.
  absl::flat_hash_map<StringIndex, DsoId> dso_of_placeholder_;
  // By location.
  std::vector<DsoId> dso_of_;
  std::vector<uint64_t> address_of_;  // Frame::address; distinct in a DSO
  std::vector<State> state_;
  uint64_t lacking_ = 0;
  // Limit on the functions of a frame. A location may have many functions, and
  // occur in many samples.
  size_t most_functions_ = 1000;
  uint64_t skipped_functions_ = 0;
  absl::flat_hash_map<std::pair<DsoId, uint64_t>, uint32_t> location_at_;
  std::vector<uint64_t> chain_;  // scratch
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_TRACE_H_
