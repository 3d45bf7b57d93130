// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_trace.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/profile_source/profile_dso.h"

namespace perf2x {
namespace {

// Addresses that stand for locations without one of their own. No file is that
// large, and no code lies there on any machine that we know.
constexpr uint64_t kMadeUp = uint64_t{0x5eed} << 48;

uint32_t Unsigned32(int64_t number) {
  return number < 0 ? 0
                    : static_cast<uint32_t>(std::min<int64_t>(number, kNoId));
}

}  // namespace

ProfileTrace::ProfileTrace(const Profile& profile, TraceTables& tables)
    : profile_(profile), tables_(tables) {
  tables.set_frame_source(this);
  tables.set_symbolizer(this);
  AddMappings();
  AddLocations();
}

void ProfileTrace::AddMappings() {
  for (const Profile::Mapping& mapping : profile_.mappings) {
    dso_of_mapping_.push_back(AddDso(DsoOfMapping(profile_, mapping)));
    tables_.AddMapping({.dso = dso_of_mapping_.back(),
                        .start = mapping.start,
                        .limit = mapping.limit,
                        .offset = mapping.offset});
  }
  Dso dso;
  dso.name = "[unknown]";
  unknown_ = AddDso(dso);
  no_mapping_ = tables_.AddMapping({.dso = unknown_});
}

DsoId ProfileTrace::AddDso(const Dso& dso) {
  const auto [it, inserted] = dsos_.try_emplace(
      {absl::StrCat(dso.name, " ", dso.symbol), dso.build_id.Hex()});
  if (inserted) it->second = tables_.AddDso(dso);
  return it->second;
}

DsoId ProfileTrace::DsoOf(const Profile::Location& location,
                          bool* lacks_symbol) {
  if (location.mapping == kNoId) {
    *lacks_symbol = location.line_count == 0;
    return unknown_;
  }
  const DsoId id = dso_of_mapping_[location.mapping];
  const Dso& dso = tables_.dsos()[id];
  *lacks_symbol = perf2x::LacksSymbol(profile_, location, dso);
  if (!*lacks_symbol || dso.kind != DsoKind::kGenerated ||
      location.line_count == 0) {
    return id;
  }
  // The placeholder has the name of the code, which the recording knew.
  const uint32_t function = profile_.LinesOf(location)[0].function;
  return DsoOfPlaceholder(profile_.functions[function].name);
}

DsoId ProfileTrace::DsoOfPlaceholder(StringIndex name) {
  const auto [it, inserted] = dso_of_placeholder_.try_emplace(name, kNoId);
  if (inserted) {
    const absl::string_view text = profile_[name];
    Dso code;
    code.kind = DsoKind::kGenerated;
    code.name = code.symbol = std::string(text.substr(1, text.size() - 2));
    it->second = AddDso(code);
  }
  return it->second;
}

// Two locations can have one address, as where the second is another inlined
// function there. One without a symbol keeps the address, since it is to be
// looked up.
void ProfileTrace::AddLocations() {
  const size_t count = profile_.locations.size();
  dso_of_.resize(count);
  address_of_.resize(count);
  state_.resize(count);
  uint64_t made_up = kMadeUp;
  for (const State turn : {kLacks, kOwn}) {
    for (uint32_t i = 0; i < count; ++i) {
      const Profile::Location& location = profile_.locations[i];
      if (turn == kLacks) {
        bool lacks_symbol = false;
        dso_of_[i] = DsoOf(location, &lacks_symbol);
        state_[i] = lacks_symbol ? kLacks : kOwn;
        lacking_ += lacks_symbol;
        skipped_functions_ +=
            location.line_count -
            std::min<uint64_t>(location.line_count, most_functions_);
      }
      if (state_[i] != turn) continue;
      uint64_t address = location.address;
      if (location.mapping != kNoId &&
          IsInFile(tables_.dsos()[dso_of_[i]].kind)) {
        const Profile::Mapping& mapping = profile_.mappings[location.mapping];
        address = address - mapping.start + mapping.offset;
      }
      while (!location_at_.try_emplace({dso_of_[i], address}, i).second) {
        address = made_up++;
      }
      address_of_[i] = address;
    }
  }
}

FramePlace ProfileTrace::PlaceOf(uint32_t location) const {
  if (location == kNowhere) {
    // An address that no location without a mapping has: most have 0.
    constexpr uint64_t kNone = ~uint64_t{0};
    return {FrameTable::HashOf(unknown_, kNone), kNone, unknown_, no_mapping_};
  }
  const uint32_t mapping = profile_.locations[location].mapping;
  const DsoId dso = dso_of_[location];
  const uint64_t address = address_of_[location];
  return {FrameTable::HashOf(dso, address), address, dso,
          mapping == kNoId ? no_mapping_ : mapping};
}

bool ProfileTrace::LacksSymbolAt(const FramePlace& place) const {
  const auto at = location_at_.find({place.dso, place.address});
  return at != location_at_.end() && LacksSymbol(at->second);
}

bool ProfileTrace::found_any() const {
  return std::find(state_.begin(), state_.end(), kFound) != state_.end();
}

void ProfileTrace::InternAllFrames() {
  most_functions_ = std::numeric_limits<size_t>::max();
  skipped_functions_ = 0;
  constexpr uint32_t kAtATime = 4096;
  FramePlaces places;
  std::vector<FrameId> frames;
  const auto count = static_cast<uint32_t>(profile_.locations.size());
  for (uint32_t i = 0; i < count; ++i) {
    places.push_back(PlaceOf(i));
    if (places.size() < kAtATime && i + 1 < count) continue;
    tables_.InternFrames(places, &frames);
    places.clear();
  }
}

void ProfileTrace::AppendPlaces(StackId stack, FramePlaces* places) {
  const absl::Span<const uint8_t> chain =
      tables_.stacks.callchain(stack, &chain_);
  for (size_t at = 0; at < chain.size(); at += 8) {
    places->push_back(
        PlaceOf(static_cast<uint32_t>(Load<uint64_t>(&chain[at], kHostOrder))));
  }
}

void ProfileTrace::AppendSymbols(const Profile::Location& location,
                                 std::vector<Symbol>* symbols) const {
  for (const Profile::Line& line : profile_.LinesOf(location)) {
    if (symbols->size() == most_functions_) break;
    Symbol& symbol = symbols->emplace_back();
    symbol.line = Unsigned32(line.line);
    if (line.function == kNoId) continue;
    const Profile::Function& function = profile_.functions[line.function];
    symbol.name = profile_[function.name];
    symbol.system_name = profile_[function.system_name];
    symbol.file = profile_[function.filename];
    symbol.start_line = Unsigned32(function.start_line);
  }
}

void ProfileTrace::Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
                           Found found) {
  // `dso` is an element of the table, so its position is its id.
  const auto id = static_cast<DsoId>(tables_.dsos().IndexOf(dso));
  std::vector<uint32_t> locations;
  std::vector<uint64_t> lacking;
  std::vector<size_t> index_of;  // in `addresses`, of those in `lacking`
  for (const uint64_t address : addresses) {
    const auto at = location_at_.find({id, address});
    locations.push_back(at == location_at_.end() ? kNowhere : at->second);
    if (locations.back() == kNowhere) continue;
    if (state_[locations.back()] == kOwn) continue;
    index_of.push_back(locations.size() - 1);
    lacking.push_back(address);
  }
  std::vector<Symbol> symbols;
  size_t next = 0;
  const auto report_own = [&](size_t end) {
    for (; next < end; ++next) {
      if (locations[next] == kNowhere || state_[locations[next]] != kOwn) {
        continue;
      }
      symbols.clear();
      AppendSymbols(profile_.locations[locations[next]], &symbols);
      found(next, symbols);
    }
  };
  if (files_ != nullptr && !lacking.empty()) {
    files_->Resolve(dso, lacking,
                    [&](size_t i, absl::Span<const Symbol> from_file) {
                      report_own(index_of[i]);
                      state_[locations[index_of[i]]] = kFound;
                      found(index_of[i], from_file);
                      next = index_of[i] + 1;
                    });
  }
  report_own(addresses.size());
}

}  // namespace perf2x
