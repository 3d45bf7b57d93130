// Parts of debug information that lie outside of the file that refers to them:
// the rest of BinaryFinder.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/binary_finder.h"

namespace perf2x {
namespace {

absl::string_view FolderOf(absl::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

absl::string_view NameOf(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::unique_ptr<ElfFile> Open(const std::string& path) {
  if (path.empty()) return nullptr;
  auto file = SafeFile::Open(path);
  if (!file.ok()) return nullptr;
  auto elf = ElfFile::Open(*std::move(file));
  return elf.ok() ? *std::move(elf) : nullptr;
}

}  // namespace

std::string BinaryFinder::Beside(const ElfFile& elf,
                                 absl::string_view name) const {
  if (absl::StartsWith(name, "/")) return PathOf(name);
  const absl::string_view folder = FolderOf(elf.file()->path());
  if (!options_.symfs.empty() && absl::StartsWith(folder, options_.symfs)) {
    return ResolveInRoot(
        options_.symfs,
        absl::StrCat(folder.substr(options_.symfs.size()), "/", name));
  }
  return absl::StrCat(folder, name);
}

std::unique_ptr<ElfFile> BinaryFinder::OpenAlternate(const ElfFile& elf) const {
  const auto link = elf.alt_link();
  if (!link.has_value()) return nullptr;
  std::vector<std::string> paths = BuildIdPaths(link->build_id, ".debug");
  paths.push_back(Beside(elf, link->name));
  for (const std::string& path : paths) {
    std::unique_ptr<ElfFile> found = Open(path);
    if (found != nullptr && found->build_id() == link->build_id) return found;
  }
  return nullptr;
}

std::unique_ptr<ElfFile> BinaryFinder::OpenPackage(const ElfFile& elf) const {
  const absl::string_view name = NameOf(elf.file()->path());
  for (absl::string_view base : {name, name.substr(0, name.rfind('.'))}) {
    auto found = Open(Beside(elf, absl::StrCat(base, ".dwp")));
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::unique_ptr<ElfFile> BinaryFinder::OpenSplitUnit(
    const ElfFile& elf, absl::string_view dwo_name,
    absl::string_view comp_dir) const {
  // Where the compiler put it, or where it was moved together with the program.
  if (absl::StartsWith(dwo_name, "/")) {
    if (auto found = Open(PathOf(dwo_name))) return found;
  } else if (auto found = Open(PathOf(absl::StrCat(comp_dir, "/", dwo_name)))) {
    return found;
  }
  for (absl::string_view name : {dwo_name, NameOf(dwo_name)}) {
    if (absl::StartsWith(name, "/")) continue;
    if (auto found = Open(Beside(elf, name))) return found;
  }
  return nullptr;
}

}  // namespace perf2x
