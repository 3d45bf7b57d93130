// SPDX-License-Identifier: Apache-2.0

// The part of BinaryFinder that opens debug information outside of the file
// that refers to it.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/find/binary_finder.h"

namespace perf2x {
namespace {

absl::string_view NameOf(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::unique_ptr<ElfFile> Open(const FilePlace& place) {
  if (place.empty()) return nullptr;
  auto file = SafeFile::Open(place);
  if (!file.ok()) return nullptr;
  auto elf = ElfFile::Open(*std::move(file));
  return elf.ok() ? *std::move(elf) : nullptr;
}

}  // namespace

std::unique_ptr<ElfFile> BinaryFinder::OpenAlternate(const ElfFile& elf) const {
  const auto link = elf.alt_link();
  if (!link.has_value()) return nullptr;
  std::vector<FilePlace> places =
      roots_.BuildIdPlaces(link->build_id, ".debug");
  places.push_back(roots_.ResolveFrom(elf, link->name));
  for (const FilePlace& place : places) {
    std::unique_ptr<ElfFile> found = Open(place);
    if (found != nullptr && found->build_id() == link->build_id) return found;
  }
  return nullptr;
}

std::unique_ptr<ElfFile> BinaryFinder::OpenPackage(const ElfFile& elf) const {
  const absl::string_view name = NameOf(elf.file()->path());
  for (absl::string_view base : {name, name.substr(0, name.rfind('.'))}) {
    auto found = Open(roots_.ResolveFrom(elf, absl::StrCat(base, ".dwp")));
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::unique_ptr<ElfFile> BinaryFinder::OpenSplitUnit(
    const ElfFile& elf, absl::string_view dwo_name,
    absl::string_view comp_dir) const {
  // The path where the compiler wrote the file. If nothing is there, the file
  // may have been moved together with the program.
  const std::string place = absl::StartsWith(dwo_name, "/")
                                ? std::string(dwo_name)
                                : absl::StrCat(comp_dir, "/", dwo_name);
  if (absl::StartsWith(place, "/")) {
    if (auto found = Open(roots_.ResolveFrom(elf, place))) return found;
  }
  for (absl::string_view name : {dwo_name, NameOf(dwo_name)}) {
    if (absl::StartsWith(name, "/")) continue;
    if (auto found = Open(roots_.ResolveFrom(elf, name))) return found;
  }
  return nullptr;
}

}  // namespace perf2x
