// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/debug_link.h"

#include <zlib.h>

#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace perf2x {

uint32_t DebugLinkCrc(absl::Span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

std::vector<FilePlace> DebugLinkSource::Places(const Dso& dso,
                                               const ElfFile& binary,
                                               absl::string_view name) const {
  const absl::string_view recorded =
      ParentFolderOf(absl::StripSuffix(dso.name, " (deleted)"));
  std::vector<FilePlace> places = {
      roots_.ResolveFrom(binary, name),
      roots_.ResolveFrom(binary, absl::StrCat(".debug/", name))};
  for (FilePlace& place : places) {
    // A symbolic link in the folder must not lead out of it.
    if (!place.root.empty()) continue;
    const absl::string_view folder = ParentFolderOf(place.name);
    place = {folder.empty() ? "/" : std::string(folder), name};
  }
  const std::string below = absl::StrCat(recorded, "/", name);
  const std::string& root = roots_.options().RootOf(dso.pid);
  for (const std::string& dir : roots_.options().debug_dirs) {
    if (!root.empty()) places.emplace_back(root, absl::StrCat(dir, "/", below));
    if (MayOpenByName(below)) places.emplace_back(dir, below);
    places.emplace_back(dir, name);
  }
  return places;
}

void DebugLinkSource::OfferDebugFiles(const FileRequest& request,
                                      FileSearch* search) const {
  if (request.binary == nullptr) return;
  const std::optional<ElfFile::DebugLink> link = request.binary->debug_link();
  if (!link.has_value() || absl::StrContains(link->name, '/')) return;
  auto judge = [&](const ElfFile& elf) {
    const BuildId& found = elf.build_id();
    if (!request.id.empty() && !found.empty()) {
      return found == request.id ? search->Assess(elf)
                                 : FileSearch::Verdict::kUseless;
    }
    // Many DSOs may lead to one file.
    constexpr uint64_t kBytesAStep = 16;
    Budget& budget = elf.file()->budget();
    budget.Spend(Budget::kWork, elf.file()->bytes().size() / kBytesAStep);
    const bool equal =
        !budget.exhausted() && DebugLinkCrc(elf.file()->bytes()) == link->crc;
    return equal ? search->Assess(elf) : FileSearch::Verdict::kUseless;
  };
  FileSearch linked(*roots_.options().files, BuildId(), judge,
                    "other build id or CRC");
  for (const FilePlace& place :
       Places(request.dso, *request.binary, link->name)) {
    linked.Try(place, [](const SafeFile&) { return true; });
  }
  search->AddVerified(linked.Take());
}

}  // namespace perf2x
