// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_source.h"

#include <optional>
#include <string>
#include <utility>

#include "converter/symbolize/elf/elf_symbolizer.h"

namespace perf2x {
namespace {

void Append(const std::vector<std::string>& from,
            std::vector<std::string>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

}  // namespace

// The symbolizer of some files, and what was found when it was made.
struct ElfSource::Shared {
  std::mutex mutex;  // guards all
  std::unique_ptr<DsoSymbolizer> symbolizer;
  DsoReport report;
};

// The part of one DSO in a Shared.
class ElfSource::Handle final : public DsoSymbolizer {
 public:
  explicit Handle(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)) {}

  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->symbolizer->Resolve(dso, addresses, found);
  }
  std::shared_ptr<CodeImage> OpenCode() override {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    return shared_->symbolizer->OpenCode();
  }
  std::vector<std::string> Warnings() const override {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    return shared_->symbolizer->Warnings();
  }
  void Release() override {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->symbolizer->Release();
  }

 private:
  const std::shared_ptr<Shared> shared_;
};

std::unique_ptr<DsoSymbolizer> ElfSource::Open(const Dso& dso,
                                               DsoReport* report) {
  if (dso.kind != DsoKind::kFile && dso.kind != DsoKind::kGuestUser) {
    return nullptr;
  }
  const BinaryFinder& finder = context_.finder;
  BinaryFinder::Result binary = finder.OpenBinary(dso);
  FoundFiles symbols = finder.OpenSymbolFiles(dso, binary.elf.get());
  Append(binary.tried, &report->tried);
  Append(symbols.tried, &report->tried);
  report->unproven |= binary.unproven;
  if (binary.elf == nullptr && symbols.elfs.empty()) return nullptr;
  report->verified = binary.elf != nullptr ? binary.verified : symbols.verified;
  if (binary.replaced) {
    report->warnings.push_back(
        "is another file than the recorded one, of a container or replaced "
        "since: names may be wrong");
  } else if (binary.newer) {
    report->warnings.push_back(
        "was written after the recording, which has no build id to compare "
        "with: names may be wrong");
  }
  Files files = {binary.elf};
  files.insert(files.end(), symbols.elfs.begin(), symbols.elfs.end());
  std::shared_ptr<Shared> shared;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& slot = shared_[std::move(files)];
    if (slot == nullptr) slot = std::make_shared<Shared>();
    shared = slot;
  }
  const std::lock_guard<std::mutex> lock(shared->mutex);
  if (shared->symbolizer == nullptr) {
    shared->symbolizer =
        MakeElfSymbolizer(context_.options, finder, std::move(binary.elf),
                          std::move(symbols.elfs), std::nullopt,
                          context_.workers, &shared->report);
  }
  Append(shared->report.sources, &report->sources);
  Append(shared->report.tried, &report->tried);
  Append(shared->report.warnings, &report->warnings);
  report->has_symbol_table |= shared->report.has_symbol_table;
  return std::make_unique<Handle>(shared);
}

}  // namespace perf2x
