#include "converter/symbolize/find/binary_finder.h"

#include <stdlib.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {
namespace {

// "/a/b/c" -> "/a/b"
absl::string_view FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

FileSearch::Verdict JudgeCode(const ElfFile& elf) {
  return elf.has_code() ? FileSearch::Verdict::kUseAndStop
                        : FileSearch::Verdict::kUseless;
}

}  // namespace

bool IsMappedInode(const Dso& mapped, const SafeFile& file) {
  const FileIdentity& found = file.identity();
  return found.generation != 0 && mapped.inode != 0 &&
         found.generation == mapped.inode_generation &&
         found.inode == mapped.inode &&
         found.device_major == mapped.device_major &&
         found.device_minor == mapped.device_minor;
}

bool IsOtherInode(const Dso& mapped, const SafeFile& file) {
  const FileIdentity& found = file.identity();
  return found.generation != 0 && mapped.inode_generation != 0 &&
         found.device_major == mapped.device_major &&
         found.device_minor == mapped.device_minor &&
         !IsMappedInode(mapped, file);
}

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
  if (!options_.symfs.empty()) roots_.push_back(options_.symfs);
  for (const auto& [pid, root] : options_.symfs_of) roots_.push_back(root);
  if (options_.debuginfod) debuginfod_ = std::make_unique<Debuginfod>();
  for (const std::string& dir : options_.debug_dirs) {
    flat_folders_.push_back(std::make_unique<FlatFolder>(dir));
  }
}

FilePlace BinaryFinder::PlaceIn(const std::string& root,
                                absl::string_view recorded) {
  return MayOpenByName(recorded) ? FilePlace(root, recorded) : FilePlace();
}

std::vector<FilePlace> BinaryFinder::PlacesAbove(const std::string& root,
                                                 absl::string_view recorded) {
  std::vector<FilePlace> paths;
  if (root.empty() || !MayOpenByName(recorded)) return paths;
  const absl::string_view name = recorded.substr(recorded.rfind('/') + 1);
  absl::string_view folder = FolderOf(recorded);
  while (folder.find('/') != folder.npos) {
    folder = FolderOf(folder);
    paths.emplace_back(root, absl::StrCat(folder, "/", name));
  }
  return paths;
}

std::vector<FilePlace> BinaryFinder::BuildIdPlaces(
    const BuildId& id, absl::string_view suffix) const {
  std::vector<FilePlace> paths;
  if (id.bytes().size() < 2) return paths;
  const std::string hex = id.Hex();
  const std::string name =
      absl::StrCat("/.build-id/", absl::string_view(hex).substr(0, 2), "/",
                   absl::string_view(hex).substr(2), suffix);
  for (const std::string& dir : options_.debug_dirs) {
    for (const std::string& root : roots_) {
      paths.emplace_back(root, absl::StrCat(dir, name));
    }
    paths.emplace_back(absl::StrCat(dir, name));
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

void BinaryFinder::TryBinaries(const Dso& file, const BuildId& id,
                               FileSearch* search) const {
  // The recorded path of a file that was replaced while it ran ends so.
  const absl::string_view name = absl::StripSuffix(file.name, " (deleted)");
  const bool deleted = name.size() != file.name.size();
  const std::string& root = options_.RootOf(file.pid);
  const bool trust_all = !root.empty() || (options_.same_host && !deleted);
  auto trust = [&](const SafeFile& found) {
    if (root.empty() && IsOtherInode(file, found)) search->set_replaced();
    return trust_all || IsMappedInode(file, found);
  };
  if (!search->Try(PlaceIn(root, name), trust) && !root.empty()) {
    search->Note(name, "not there");
  }
  if (id.empty()) return;
  // A build id says as much as a path.
  if (!options_.symfs_of.empty()) {
    search->Try(PlaceOf(name));
    for (const std::string& other : roots_) search->Try(PlaceIn(other, name));
  }
  for (const FilePlace& p : PlacesAbove(root, name)) search->Try(p);
  search->TryFile(FindInCache(id, "elf"));
  for (const FilePlace& p : BuildIdPlaces(id, "")) search->Try(p);
  for (const auto& folder : flat_folders_) {
    if (search->done()) return;
    for (const std::string& p : folder->Find(id)) search->Try(p);
  }
}

const std::string* BinaryFinder::RootAround(absl::string_view path) const {
  for (const std::string& root : roots_) {
    absl::string_view rest = path;
    if (absl::ConsumePrefix(&rest, root) &&
        (rest.empty() || rest[0] == '/' || absl::EndsWith(root, "/"))) {
      return &root;
    }
  }
  return nullptr;
}

BinaryFinder::Result BinaryFinder::OpenBinary(const Dso& file) const {
  FileSearch search(file.build_id, JudgeCode, "no code in it");
  search.set_recorded_until(options_.recorded_until);
  TryBinaries(file, file.build_id, &search);
  if (!archive_error_.empty()) search.Note(options_.archive, archive_error_);
  if (debuginfod_ != nullptr && !search.done()) {
    search.Try(debuginfod_->FindBinary(file.build_id));
  }
  FoundFiles found = search.Take();
  Result result;
  if (!found.elfs.empty()) result.elf = std::move(found.elfs.front());
  result.verified = found.verified;
  result.unproven = found.unproven && result.elf == nullptr;
  result.newer = found.newer;
  result.replaced = found.replaced && !result.verified;
  result.tried = std::move(found.tried);
  return result;
}

}  // namespace perf2x
