// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/file_search.h"

#include "absl/strings/str_cat.h"

namespace perf2x {

bool SameBuildId(const BuildId& recorded, const BuildId& found) {
  const auto a = recorded.bytes(), b = found.bytes();
  if (b.empty() || a.size() < b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != (i < b.size() ? b[i] : 0)) return false;
  }
  return true;
}

void FileSearch::AddTried(absl::string_view path, absl::string_view why) {
  found_.tried.push_back(absl::StrCat(path, " (", why, ")"));
}

void FileSearch::AddVerified(FoundFiles more) {
  found_.verified |= !more.elfs.empty();
  for (auto& elf : more.elfs) found_.elfs.push_back(std::move(elf));
  for (auto& line : more.tried) found_.tried.push_back(std::move(line));
}

bool FileSearch::Try(const FilePlace& place, Trust trust) {
  const std::string path = place.path();
  if (done_ || place.empty() || path == skipped_) return true;
  auto file = SafeFile::Open(place);
  if (file.ok()) {
    TryFile(*std::move(file), trust);
    return true;
  }
  const bool there = !absl::IsNotFound(file.status());
  if (there || place.root.empty()) {
    AddTried(path, absl::IsPermissionDenied(file.status()) ? "permission denied"
                   : absl::IsFailedPrecondition(file.status())
                       ? "not a regular file"
                   : absl::IsResourceExhausted(file.status()) ? "too many holes"
                   : absl::IsUnavailable(file.status()) ? "cannot be opened"
                                                        : "not there");
  }
  return there;
}

void FileSearch::TryFile(std::shared_ptr<const SafeFile> file, Trust trust) {
  if (done_ || file == nullptr) return;
  const std::string path = file->path();
  if (path == skipped_) return;
  if (id_.empty() && !trust(*file)) {
    found_.unproven = true;
    AddTried(
        path,
        "no build id in the recording and not known to be the same machine");
    return;
  }
  const int64_t modified = file->identity().modified;
  auto elf = files_.OpenElf(std::move(file));
  if (!elf.ok()) {
    AddTried(path, absl::IsDataLoss(elf.status()) ? "damaged"
                   : absl::IsResourceExhausted(elf.status()) ||
                           absl::IsUnimplemented(elf.status())
                       ? "unpacks to too much"
                       : "not ELF");
    return;
  }
  const BuildId found = (*elf)->build_id();
  if (!id_.empty() && !SameBuildId(id_, found)) {
    AddTried(path, found.empty() ? "no build id" : "other build id");
    return;
  }
  const Verdict verdict = judge_(**elf);
  if (verdict == Verdict::kUseless) {
    AddTried(path, useless_);
    return;
  }
  found_.elfs.push_back(*std::move(elf));
  found_.verified = !id_.empty();
  found_.newer |=
      id_.empty() && recorded_until_ != 0 && modified > recorded_until_;
  done_ = verdict == Verdict::kUseAndStop;
}

}  // namespace perf2x
