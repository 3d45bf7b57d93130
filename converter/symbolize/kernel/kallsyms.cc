// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/kernel/kallsyms_lines.h"

namespace perf2x {
namespace {

// Larger than any kernel's table.
constexpr size_t kLargestTable = 256 << 20;

// Bytes of a line in a table of usual names.
constexpr size_t kTypicalLine = 40;

// A table with fewer bytes, or for more addresses, is read as a whole: that
// takes as long as to look for 3,000 addresses in a table of 120,000 symbols.
constexpr size_t kSmallTable = 64 << 10;
constexpr size_t kManyAddresses = 500;
// The bytes that are searched for the reference symbol, the first one or one of
// the first.
constexpr size_t kStartOfTable = 16 << 10;

absl::string_view ModuleOf(absl::string_view name) {
  if (name.empty() || name.back() != ']') return absl::string_view();
  const size_t at = name.find('[');
  return at == name.npos ? absl::string_view() : name.substr(at);
}

bool InDifferentModules(absl::string_view a, absl::string_view b) {
  return ModuleOf(a) != ModuleOf(b);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Kallsyms>> Kallsyms::Parse(
    std::shared_ptr<const SafeFile> file) {
  auto out = std::make_unique<Kallsyms>();
  out->file_ = std::move(file);
  bool has_symbols = false;
  out->hidden_ = true;
  ForEachLine(out->file_->text(), [&](absl::string_view text) {
    const auto line = ParseKallsymsLine(text);
    if (!line.has_value() || !line->is_symbol()) return true;
    has_symbols = true;
    if (line->address != 0) out->hidden_ = false;
    return out->hidden_;
  });
  if (!has_symbols) {
    return absl::InvalidArgumentError(
        absl::StrCat(out->file_->path(), ": no kernel symbols in it"));
  }
  return out;
}

const SymbolIndex& Kallsyms::index() const {
  std::call_once(read_, [this] {
    const absl::string_view table = file_->text();
    index_.Reserve(table.size() / kTypicalLine);
    ForEachLine(table, [&](absl::string_view text) {
      const auto line = ParseKallsymsLine(text);
      if (line.has_value() && line->is_symbol()) line->AddTo(&index_);
      return true;
    });
    index_.Finish(InDifferentModules);
    is_read_ = true;
  });
  return index_;
}

bool Kallsyms::suits_parts() const {
  return !is_read_ && file_->text().size() >= kSmallTable;
}

const SymbolIndex& Kallsyms::PartFor(std::vector<uint64_t> addresses,
                                     SymbolIndex* part) const {
  std::sort(addresses.begin(), addresses.end());
  if (!AddSymbolsAround(file_->text(), addresses, part)) return index();
  part->Finish(InDifferentModules);
  return *part;
}

const SymbolIndex& Kallsyms::IndexFor(absl::Span<const uint64_t> addresses,
                                      uint64_t delta, SymbolIndex* part) const {
  if (!suits_parts() ||
      asked_.fetch_add(addresses.size()) + addresses.size() > kManyAddresses) {
    return index();
  }
  std::vector<uint64_t> in_table(addresses.begin(), addresses.end());
  for (uint64_t& address : in_table) address += delta;
  return PartFor(std::move(in_table), part);
}

const SymbolIndex& Kallsyms::IndexFor(bool (*wanted)(absl::string_view),
                                      SymbolIndex* part) const {
  std::vector<uint64_t> addresses;
  if (suits_parts()) {
    ForEachLine(file_->text(), [&](absl::string_view text) {
      const absl::string_view name = NameInKallsymsLine(text);
      if (name.empty() || !wanted(name)) return true;
      const auto line = ParseKallsymsLine(text);
      if (line.has_value() && line->is_symbol()) {
        addresses.push_back(line->address);
      }
      return addresses.size() <= kManyAddresses;
    });
  }
  return suits_parts() && addresses.size() <= kManyAddresses
             ? PartFor(std::move(addresses), part)
             : index();
}

absl::StatusOr<std::unique_ptr<Kallsyms>> Kallsyms::ReadRunning(
    const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  if (fd >= 0) {
    std::string chunk(1 << 20, '\0');
    for (ssize_t n; text.size() < kLargestTable &&
                    (n = read(fd, chunk.data(), chunk.size())) > 0;) {
      text.append(chunk, 0, static_cast<size_t>(n));
    }
    close(fd);
  }
  return Parse(SafeFile::FromMemory(path, std::move(text)));
}

uint64_t Kallsyms::AddressOf(absl::string_view name) const {
  if (suits_parts()) {
    absl::string_view start = file_->text().substr(0, kStartOfTable);
    start = start.substr(0, start.rfind('\n') + 1);
    uint64_t address = 0;
    ForEachLine(start, [&](absl::string_view text) {
      const auto line = ParseKallsymsLine(text);
      if (line.has_value() && line->is_symbol() && line->name == name) {
        address = line->address;
      }
      return address == 0;
    });
    if (address != 0) return address;
  }
  for (const SymbolIndex::Entry& e : index().entries()) {
    if (e.view() == name) return e.start;
  }
  return 0;
}

}  // namespace perf2x
