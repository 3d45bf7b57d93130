// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/interrupted_frames.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "converter/base/status_macros.h"
#include "converter/profile_source/profile_dso.h"
#include "converter/profile_source/profile_encoder.h"

namespace perf2x {
namespace {

constexpr uint64_t kKernelHalf = uint64_t{1} << 63;

// Returns true if code of a DSO of this kind runs in the kernel.
bool RunsInKernel(const Dso& dso, uint64_t address) {
  return dso.kind == DsoKind::kKernel || dso.kind == DsoKind::kKernelModule ||
         (dso.kind == DsoKind::kGenerated && dso.name == "[bpf]") ||
         (dso.kind == DsoKind::kUnknown && address >= kKernelHalf);
}

}  // namespace

InterruptedFrames::InterruptedFrames(const Profile& profile)
    : profile_(profile), kinds_(profile.locations.size(), kUser) {
  std::vector<Dso> dsos;
  for (const Profile::Mapping& mapping : profile.mappings) {
    dsos.push_back(DsoOfMapping(profile, mapping));
  }
  for (size_t i = 0; i < kinds_.size(); ++i) {
    const Profile::Location& location = profile.locations[i];
    if (location.mapping == kNoId) continue;
    const Dso& dso = dsos[location.mapping];
    if (!RunsInKernel(dso, location.address)) continue;
    kinds_[i] = kOther;
    if (dso.kind == DsoKind::kKernel && location.line_count == 1 &&
        LacksSymbol(profile, location, dso)) {
      kinds_[i] = kUnsymbolizedKernel;
      any_ = true;
    }
  }
}

// Follows AddressSpaces::AppendPlaces (converter/session), which computed the
// addresses.
void InterruptedFrames::Find(absl::Span<const uint32_t> stack,
                             FindEntry find_entry,
                             std::vector<size_t>* positions) const {
  positions->clear();
  if (stack.size() < 2) return;
  bool in_kernel = false, after_entry = false;
  for (size_t i = 0; i < stack.size(); ++i) {
    const Kind kind = kinds_[stack[i]];
    if (kind == kUser) {
      in_kernel = after_entry = false;
      continue;
    }
    const uint64_t address = profile_.locations[stack[i]].address;
    const bool first = !std::exchange(in_kernel, true);
    const bool was_exact = first || address == 0;
    const uint64_t ip = was_exact ? address : address + 1;
    uint64_t entry = 0;
    const bool enters = kind == kUnsymbolizedKernel && find_entry(ip, &entry);
    if (!was_exact && (after_entry || (enters && ip == entry))) {
      positions->push_back(i);
    }
    after_entry = enters;
  }
}

namespace {

// The locations of kernel code in a profile, by place.
class KernelLocations {
 public:
  KernelLocations(const Profile& profile, const InterruptedFrames& frames)
      : profile_(profile) {
    for (uint32_t i = 0; i < profile.locations.size(); ++i) {
      if (!frames.IsInKernel(i)) continue;
      const Profile::Location& location = profile.locations[i];
      at_.try_emplace({location.mapping, location.address}, i);
    }
  }
  // Returns the location that `location` is after its correction, or kNoId if
  // the profile does not have it.
  uint32_t AfterCorrection(uint32_t location) const {
    const Profile::Location& from = profile_.locations[location];
    const auto it = at_.find({from.mapping, from.address + 1});
    if (it == at_.end()) return kNoId;
    return NameAt(profile_.locations[it->second]) == NameAt(from) ? it->second
                                                                  : kNoId;
  }

 private:
  absl::string_view NameAt(const Profile::Location& location) const {
    const auto lines = profile_.LinesOf(location);
    if (lines.size() != 1 || lines[0].function == kNoId) return "";
    return profile_[profile_.functions[lines[0].function].name];
  }

  const Profile& profile_;
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> at_;
};

// The locations of a profile after the correction of its samples, numbered in
// the order of their first use.
class CorrectedLocations {
 public:
  // `profile` and `kernel` must outlive this.
  CorrectedLocations(const Profile& profile, const KernelLocations& kernel)
      : profile_(profile), kernel_(kernel), used_(profile.locations.size()) {}

  // Returns the new index of a location, or of what it is after its correction.
  uint32_t Use(uint32_t location, bool corrected) {
    used_[location] = true;
    const uint32_t known =
        corrected ? kernel_.AfterCorrection(location) : kNoId;
    if (known != kNoId) {
      location = known;
      corrected = false;
    }
    const auto [it, inserted] = now_.try_emplace(
        {location, corrected}, static_cast<uint32_t>(order_.size()));
    if (inserted) order_.push_back(it->first);
    return it->second;
  }
  // Uses all locations that were not passed to Use, as they are.
  void UseOthers() {
    for (uint32_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) Use(i, /*corrected=*/false);
    }
  }
  // Returns the locations by their new indexes, with ids from 1.
  std::vector<Profile::Location> Make() const {
    std::vector<Profile::Location> made;
    for (const auto& [location, is_corrected] : order_) {
      Profile::Location& out = made.emplace_back(profile_.locations[location]);
      out.id = made.size();
      out.address += is_corrected;
    }
    return made;
  }

 private:
  const Profile& profile_;
  const KernelLocations& kernel_;
  std::vector<bool> used_;  // by old index: passed to Use
  // New indexes by old index and correction.
  absl::flat_hash_map<std::pair<uint32_t, bool>, uint32_t> now_;
  std::vector<std::pair<uint32_t, bool>> order_;  // keys of now_
};

}  // namespace

absl::Status CorrectInterruptedFrames(InterruptedFrames::FindEntry find_entry,
                                      Profile* profile) {
  const InterruptedFrames frames(*profile);
  if (!frames.has_candidates()) return absl::OkStatus();
  const KernelLocations kernel(*profile, frames);
  CorrectedLocations locations(*profile, kernel);
  bool any = false;
  MessageLog samples;
  ProfileSample sample;
  std::vector<size_t> positions;
  ProtoWriter message;
  const absl::Status read =
      profile->samples.ForEach([&](absl::Span<const uint8_t> bytes) {
        RETURN_IF_ERROR(sample.Decode(*profile, bytes));
        frames.Find(sample.locations, find_entry, &positions);
        any |= !positions.empty();
        size_t next = 0;
        for (size_t i = 0; i < sample.locations.size(); ++i) {
          const bool corrected =
              next < positions.size() && positions[next] == i;
          next += corrected;
          sample.locations[i] = locations.Use(sample.locations[i], corrected);
        }
        message.Clear();
        AppendSample(
            sample, [](uint32_t location) { return uint64_t{location} + 1; },
            &message);
        samples.Add({reinterpret_cast<const uint8_t*>(message.bytes().data()),
                     message.size()});
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(read);
  if (!any) return absl::OkStatus();
  locations.UseOthers();
  profile->locations = locations.Make();
  profile->location_ids = IdIndex();
  for (const Profile::Location& location : profile->locations) {
    profile->location_ids.Add(location.id);
  }
  profile->samples = std::move(samples);
  return absl::OkStatus();
}

}  // namespace perf2x
