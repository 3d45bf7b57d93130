// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/binary_finder.h"

#include <cstdint>
#include <utility>

#include "converter/symbolize/symbol_source.h"
#include "converter/symbolize/symbol_sources.h"

namespace perf2x {
namespace {

BinaryFinderOptions WithFiles(BinaryFinderOptions options) {
  if (options.files == nullptr) options.files = std::make_shared<SymbolFiles>();
  return options;
}

FileSearch::Verdict JudgeCode(const ElfFile& elf) {
  return elf.has_code() ? FileSearch::Verdict::kUseAndStop
                        : FileSearch::Verdict::kUseless;
}

constexpr uint8_t kSymbolTable = 1, kDebugInfo = 2;

uint8_t PartsOf(const ElfFile& elf) {
  return (elf.Find(".symtab") != nullptr ? kSymbolTable : 0) |
         (elf.has_debug_info() ? kDebugInfo : 0);
}

// The parts of a DSO that are still missing.
class MissingParts {
 public:
  explicit MissingParts(const ElfFile* binary)
      : missing_(kSymbolTable | kDebugInfo) {
    if (binary != nullptr) missing_ &= ~PartsOf(*binary);
  }

  bool has(uint8_t parts) const { return (missing_ & parts) != 0; }
  // Until this is called, the first separate debug file is used even if nothing
  // is missing: packages may leave a few symbols in the binary.
  void RequireMissingPart() { accepts_any_ = false; }
  FileSearch::Verdict Judge(const ElfFile& elf) {
    const uint8_t parts = PartsOf(elf);
    if ((parts & (accepts_any_ ? parts : missing_)) == 0) {
      return FileSearch::Verdict::kUseless;
    }
    accepts_any_ = false;
    missing_ &= ~parts;
    return missing_ == 0 ? FileSearch::Verdict::kUseAndStop
                         : FileSearch::Verdict::kUse;
  }

 private:
  uint8_t missing_;
  bool accepts_any_ = true;
};

}  // namespace

BinaryFinder::BinaryFinder(BinaryFinderOptions options)
    : roots_(WithFiles(std::move(options))) {
  for (const SymbolSourceEntry& entry : SymbolSourceList()) {
    if (entry.make_file_source == nullptr) continue;
    auto source = entry.make_file_source(roots_);
    (source->is_remote() ? remote_ : local_).push_back(std::move(source));
  }
}

BinaryFinder::~BinaryFinder() = default;

BinaryFinder::Result BinaryFinder::OpenBinary(const Dso& dso) const {
  FileSearch search(files(), dso.build_id, JudgeCode, "no code in it");
  search.set_recorded_until(roots_.options().recorded_until);
  const FileRequest request{dso, dso.build_id};
  for (const auto& source : local_) {
    if (!search.done()) source->OfferBinaries(request, &search);
  }
  for (const auto& source : remote_) {
    if (!search.done()) source->OfferBinaries(request, &search);
  }
  FoundFiles found = search.Take();
  Result result;
  if (!found.elfs.empty()) result.elf = std::move(found.elfs.front());
  result.verified = found.verified;
  result.unproven = found.unproven && result.elf == nullptr;
  result.newer = found.newer;
  result.replaced = found.replaced && !result.verified;
  result.tried = std::move(found.tried);
  if (std::string failure = Failure(); !failure.empty()) {
    result.tried.push_back(std::move(failure));
  }
  return result;
}

std::string BinaryFinder::Failure() const {
  for (const auto& source : local_) {
    if (std::string failure = source->Failure(); !failure.empty()) {
      return failure;
    }
  }
  return "";
}

FoundFiles BinaryFinder::OpenSymbolFiles(const Dso& dso,
                                         const ElfFile* binary) const {
  const BuildId id = binary == nullptr ? dso.build_id : binary->build_id();
  MissingParts missing(binary);
  FileSearch search(
      files(), id, [&](const ElfFile& elf) { return missing.Judge(elf); },
      "no symbols in it that others lack");
  if (binary != nullptr) search.Skip(binary->file()->path());
  const FileRequest request{dso, id, binary};
  for (const auto& source : local_) {
    if (!search.done()) source->OfferDebugFiles(request, &search);
  }
  missing.RequireMissingPart();
  for (const auto& source : local_) {
    if (id.empty() || !missing.has(kSymbolTable | kDebugInfo)) break;
    source->OfferBinaries(request, &search);
  }
  for (const auto& source : remote_) {
    if (missing.has(kDebugInfo)) source->OfferDebugFiles(request, &search);
  }
  return search.Take();
}

std::shared_ptr<const SafeFile> BinaryFinder::FindInCache(
    const BuildId& id, absl::string_view item) const {
  if (id.bytes().size() < 2) return nullptr;
  for (const auto& source : local_) {
    if (auto file = source->FindItem(id, item)) return file;
  }
  return nullptr;
}

}  // namespace perf2x
