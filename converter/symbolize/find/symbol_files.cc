// Files with the symbols and debug information of others: a part of
// BinaryFinder.
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/find/debug_link.h"

namespace perf2x {
namespace {

constexpr uint8_t kSymbolTable = 1, kDebugInfo = 2;

uint8_t PartsOf(const ElfFile& elf) {
  return (elf.Find(".symtab") != nullptr ? kSymbolTable : 0) |
         (elf.has_debug_info() ? kDebugInfo : 0);
}

absl::string_view FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// Takes files until nothing is lacking any more.
class PartsWanted {
 public:
  explicit PartsWanted(const ElfFile* binary)
      : lacking_(kSymbolTable | kDebugInfo) {
    if (binary != nullptr) lacking_ &= ~PartsOf(*binary);
  }

  bool lacks(uint8_t part) const { return (lacking_ & part) != 0; }
  // A separate debug file is taken even where the binary has all its parts:
  // packages may leave a few in it.
  void StopWantingAny() { any_ = false; }
  FileSearch::Verdict Judge(const ElfFile& elf) {
    const uint8_t parts = PartsOf(elf);
    if ((parts & (any_ ? parts : lacking_)) == 0) {
      return FileSearch::Verdict::kUseless;
    }
    any_ = false;
    lacking_ &= ~parts;
    return lacking_ == 0 ? FileSearch::Verdict::kUseAndStop
                         : FileSearch::Verdict::kUse;
  }

 private:
  uint8_t lacking_;
  bool any_ = true;
};

}  // namespace

std::vector<FilePlace> BinaryFinder::DebugLinkPlaces(
    const Dso& file, const ElfFile& binary, absl::string_view name) const {
  const absl::string_view recorded =
      FolderOf(absl::StripSuffix(file.name, " (deleted)"));
  std::vector<FilePlace> places = {
      Beside(binary, name), Beside(binary, absl::StrCat(".debug/", name))};
  for (FilePlace& place : places) {
    // A link in the folder must not lead out of it.
    if (place.root.empty()) place = {std::string(FolderOf(place.name)), name};
  }
  const std::string below = absl::StrCat(recorded, "/", name);
  for (const std::string& dir : options_.debug_dirs) {
    const std::string& root = options_.RootOf(file.pid);
    if (!root.empty()) places.emplace_back(root, absl::StrCat(dir, "/", below));
    if (MayOpenByName(below)) places.emplace_back(dir, below);
    places.emplace_back(dir, name);
  }
  return places;
}

FoundFiles BinaryFinder::OpenSymbolFiles(const Dso& file,
                                         const ElfFile* binary) const {
  const BuildId id = binary == nullptr ? file.build_id : binary->build_id();
  PartsWanted wanted(binary);
  constexpr char kUseless[] = "no symbols in it that others lack";
  auto judge = [&](const ElfFile& elf) { return wanted.Judge(elf); };
  FileSearch by_id(id, judge, kUseless);
  if (binary != nullptr) by_id.Skip(binary->file()->path());
  if (!id.empty()) {
    for (const FilePlace& p : BuildIdPlaces(id, ".debug")) by_id.Try(p);
    by_id.TryFile(FindInCache(id, "debug"));
  }
  FoundFiles found;
  const auto link = binary == nullptr ? std::nullopt : binary->debug_link();
  if (!by_id.done() && link.has_value() &&
      !absl::StrContains(link->name, '/')) {
    // Without a build id in it the debug file must have the CRC of the link.
    auto fits = [&](const ElfFile& elf) {
      const BuildId other = elf.build_id();
      const bool equal = !id.empty() && !other.empty()
                             ? other == id
                             : DebugLinkCrc(elf.file()->bytes()) == link->crc;
      return equal ? wanted.Judge(elf) : FileSearch::Verdict::kUseless;
    };
    FileSearch by_link(BuildId(), fits, "other build id or CRC");
    for (const FilePlace& p : DebugLinkPlaces(file, *binary, link->name)) {
      by_link.Try(p, [](const SafeFile&) { return true; });
    }
    found = by_link.Take();
    found.verified = !found.elfs.empty();
  }
  wanted.StopWantingAny();
  if (!id.empty() && wanted.lacks(kSymbolTable | kDebugInfo)) {
    TryBinaries(file, id, &by_id);
  }
  if (debuginfod_ != nullptr && wanted.lacks(kDebugInfo)) {
    by_id.Try(debuginfod_->FindDebugFile(id));
  }
  FoundFiles all = by_id.Take();
  all.AppendTried(found);
  all.verified |= found.verified;
  for (auto& elf : found.elfs) all.elfs.push_back(std::move(elf));
  return all;
}

}  // namespace perf2x
