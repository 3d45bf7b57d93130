#include "converter/symbolize/binary_finder.h"

#include <stdlib.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/debug_link.h"
#include "converter/symbolize/safe_file.h"
#include "converter/symbolize/unpack.h"

namespace perf2x {
namespace {

// "/a/b/c" -> "/a/b"
absl::string_view FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

}  // namespace

// One look for a file: takes the first candidate that fits.
class BinaryFinder::Search {
 public:
  // `id`: what the file's build id must be; empty when not known.
  explicit Search(BuildId id) : id_(std::move(id)) {}

  bool done() const { return result_.elf != nullptr; }
  Result Take() { return std::move(result_); }

  // Tries the file at `path`. `trust`: may be used although there is nothing to
  // compare with. `fits` says whether the file is of the wanted sort.
  void Try(const std::string& path, bool trust,
           absl::FunctionRef<bool(const ElfFile&)> fits) {
    if (done() || path.empty()) return;
    if (id_.empty() && !trust) {
      Note(path,
           "no build id in the recording and not known to be the same "
           "machine");
      return;
    }
    auto file = SafeFile::Open(path);
    if (!file.ok()) {
      Note(path, absl::IsPermissionDenied(file.status()) ? "permission denied"
                                                         : "not there");
      return;
    }
    TryFile(*std::move(file), fits);
  }
  // The same with a file that is open, or null.
  void TryFile(std::shared_ptr<const SafeFile> file,
               absl::FunctionRef<bool(const ElfFile&)> fits) {
    if (done() || file == nullptr) return;
    const std::string path = file->path();
    auto unpacked = UnpackIfPacked(std::move(file));
    if (!unpacked.ok()) {
      Note(path, "damaged");
      return;
    }
    auto elf = ElfFile::Open(*std::move(unpacked));
    if (!elf.ok()) {
      Note(path, absl::IsDataLoss(elf.status()) ? "damaged" : "not ELF");
      return;
    }
    const BuildId found = (*elf)->build_id();
    if (!id_.empty() && !SameId(found)) {
      Note(path, found.empty() ? "no build id" : "other build id");
      return;
    }
    if (!fits(**elf)) {
      Note(path, "does not fit");
      return;
    }
    result_.elf = *std::move(elf);
    result_.verified = !id_.empty();
  }
  void Note(absl::string_view path, absl::string_view why) {
    result_.tried.push_back(absl::StrCat(path, " (", why, ")"));
  }

 private:
  // perf pads build ids that are shorter than 20 bytes with zeros.
  bool SameId(const BuildId& found) const {
    const auto a = id_.bytes(), b = found.bytes();
    if (b.empty() || a.size() < b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] != (i < b.size() ? b[i] : 0)) return false;
    }
    return true;
  }

  BuildId id_;
  Result result_;
};

BinaryFinder::BinaryFinder(BinaryFinderOptions options)
    : options_(std::move(options)) {
  if (options_.buildid_dir.empty()) {
    const char* home = getenv("HOME");
    if (home != nullptr && home[0] != '\0') {
      options_.buildid_dir = absl::StrCat(home, "/.debug");
    }
  }
  if (!options_.archive.empty()) {
    auto archive = Archive::Open(options_.archive);
    if (archive.ok()) {
      archive_ = *std::move(archive);
    } else {
      archive_error_ = std::string(archive.status().message());
    }
  }
  if (options_.debuginfod) debuginfod_ = std::make_unique<Debuginfod>();
}

std::string BinaryFinder::PathOf(absl::string_view recorded) const {
  if (!MayOpenByName(recorded)) return "";
  if (options_.symfs.empty()) return std::string(recorded);
  return ResolveInRoot(options_.symfs, recorded);
}

std::vector<std::string> BinaryFinder::PathsAbove(
    absl::string_view recorded) const {
  std::vector<std::string> paths;
  if (options_.symfs.empty() || !MayOpenByName(recorded)) return paths;
  const absl::string_view name = recorded.substr(recorded.rfind('/') + 1);
  absl::string_view folder = FolderOf(recorded);
  while (folder.find('/') != folder.npos) {
    folder = FolderOf(folder);
    std::string path =
        ResolveInRoot(options_.symfs, absl::StrCat(folder, "/", name));
    if (!path.empty()) paths.push_back(std::move(path));
  }
  return paths;
}

std::vector<std::string> BinaryFinder::BuildIdPaths(
    const BuildId& id, absl::string_view suffix) const {
  std::vector<std::string> paths;
  if (id.bytes().size() < 2) return paths;
  const std::string hex = id.Hex();
  const std::string name =
      absl::StrCat("/.build-id/", absl::string_view(hex).substr(0, 2), "/",
                   absl::string_view(hex).substr(2), suffix);
  for (const std::string& dir : options_.debug_dirs) {
    if (!options_.symfs.empty()) {
      std::string path = ResolveInRoot(options_.symfs, absl::StrCat(dir, name));
      if (!path.empty()) paths.push_back(std::move(path));
    }
    paths.push_back(absl::StrCat(dir, name));
  }
  return paths;
}

std::shared_ptr<const SafeFile> BinaryFinder::FindInCache(
    const BuildId& id, absl::string_view item) const {
  if (id.bytes().size() < 2) return nullptr;
  if (archive_ != nullptr) {
    if (auto file = archive_->Find(id, item)) return file;
  }
  if (options_.buildid_dir.empty()) return nullptr;
  const std::string hex = id.Hex();
  // build_id_cache__linkname() in perf's build-id.c.
  auto file = SafeFile::Open(absl::StrCat(
      options_.buildid_dir, "/.build-id/", absl::string_view(hex).substr(0, 2),
      "/", absl::string_view(hex).substr(2), "/", item));
  return file.ok() ? *std::move(file) : nullptr;
}

BinaryFinder::Result BinaryFinder::OpenBinary(const CodeFile& file) const {
  Search search(file.build_id);
  // The recorded path of a file that was replaced while it ran ends so.
  const absl::string_view name = absl::StripSuffix(file.name, " (deleted)");
  const bool deleted = name.size() != file.name.size();
  const bool trust =
      !options_.symfs.empty() || (options_.same_host && !deleted);
  auto has_code = [](const ElfFile& elf) { return elf.has_code(); };
  const std::string path = PathOf(name);
  if (path.empty() && MayOpenByName(name)) search.Note(name, "not there");
  search.Try(path, trust, has_code);
  for (const std::string& p : PathsAbove(name)) {
    search.Try(p, false, has_code);
  }
  if (!archive_error_.empty()) search.Note(options_.archive, archive_error_);
  search.TryFile(FindInCache(file.build_id, "elf"), has_code);
  for (const std::string& p : BuildIdPaths(file.build_id, "")) {
    search.Try(p, false, has_code);
  }
  if (debuginfod_ != nullptr && !search.done()) {
    search.Try(debuginfod_->FindBinary(file.build_id), false, has_code);
  }
  return search.Take();
}

BinaryFinder::Result BinaryFinder::OpenDebugFile(const CodeFile& file,
                                                 const ElfFile* binary) const {
  const BuildId id = binary == nullptr ? file.build_id : binary->build_id();
  Search by_id(id);
  auto has_symbols = [](const ElfFile& elf) {
    return elf.Find(".symtab") != nullptr ||
           elf.Find(".debug_info") != nullptr ||
           elf.Find(".zdebug_info") != nullptr;
  };
  if (!id.empty()) {
    for (const std::string& p : BuildIdPaths(id, ".debug")) {
      by_id.Try(p, false, has_symbols);
    }
    by_id.TryFile(FindInCache(id, "debug"), has_symbols);
  }
  auto ask_servers = [&] {
    if (debuginfod_ != nullptr && !by_id.done() &&
        (binary == nullptr || binary->Find(".debug_info") == nullptr)) {
      by_id.Try(debuginfod_->FindDebugFile(id), false, has_symbols);
    }
    return by_id.Take();
  };
  if (by_id.done() || binary == nullptr) return ask_servers();

  const auto link = binary->debug_link();
  if (!link.has_value() || absl::StrContains(link->name, '/')) {
    return ask_servers();
  }
  // Without a build id in it the debug file must have the CRC of the link.
  auto fits = [&](const ElfFile& elf) {
    if (!has_symbols(elf)) return false;
    const BuildId found = elf.build_id();
    if (!id.empty() && !found.empty()) return found == id;
    return DebugLinkCrc(elf.file()->bytes()) == link->crc;
  };
  Search by_link{BuildId()};
  const absl::string_view recorded =
      FolderOf(absl::StripSuffix(file.name, " (deleted)"));
  const absl::string_view beside = FolderOf(binary->file()->path());
  std::vector<std::string> folders = {std::string(beside),
                                      absl::StrCat(beside, "/.debug")};
  for (const std::string& dir : options_.debug_dirs) {
    if (!options_.symfs.empty()) {
      std::string path =
          ResolveInRoot(options_.symfs, absl::StrCat(dir, "/", recorded));
      if (!path.empty()) folders.push_back(std::move(path));
    }
    if (MayOpenByName(absl::StrCat(recorded, "/x"))) {
      folders.push_back(ResolveInRoot(dir, recorded));
    }
    folders.push_back(dir);
  }
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    // A link in the folder must not lead out of symfs.
    by_link.Try(ResolveInRoot(folder, link->name), true, fits);
  }
  Result result = by_link.Take();
  if (result.elf == nullptr) {
    Result last = ask_servers();
    last.tried.insert(last.tried.end(), result.tried.begin(),
                      result.tried.end());
    return last;
  }
  result.verified = true;
  Result first = by_id.Take();
  result.tried.insert(result.tried.begin(), first.tried.begin(),
                      first.tried.end());
  return result;
}

std::string BinaryFinder::FindBinary(const CodeFile& file) const {
  const Result found = OpenBinary(file);
  return found.elf == nullptr ? "" : found.elf->file()->path();
}

std::string BinaryFinder::FindDebugFile(const CodeFile& file,
                                        const std::string& binary) const {
  std::unique_ptr<ElfFile> elf;
  if (!binary.empty()) {
    if (auto opened = SafeFile::Open(binary); opened.ok()) {
      if (auto parsed = ElfFile::Open(*std::move(opened)); parsed.ok()) {
        elf = *std::move(parsed);
      }
    }
  }
  const Result found = OpenDebugFile(file, elf.get());
  return found.elf == nullptr ? "" : found.elf->file()->path();
}

}  // namespace perf2x
