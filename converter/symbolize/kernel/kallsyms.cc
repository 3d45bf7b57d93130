// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Larger than any kernel's table.
constexpr size_t kLargestTable = 256 << 20;

// Bytes of a line in a table of usual names.
constexpr size_t kTypicalLine = 40;

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
  out->hidden_ = true;
  const absl::string_view text = out->file_->text();
  out->index_.Reserve(text.size() / kTypicalLine);
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const absl::string_view line = text.substr(at, end - at);
    // "ffffffff81000010 T name" and, for modules, "\t[module]".
    uint64_t address = 0;
    const char* const after =
        std::from_chars(line.data(),
                        line.data() + std::min<size_t>(line.size(), 16),
                        address, 16)
            .ptr;
    const auto i = static_cast<size_t>(after - line.data());
    if (i == 0 || line.size() < i + 4 || line[i] != ' ' || line[i + 2] != ' ') {
      continue;
    }
    const char type = line[i + 1];
    const char upper = absl::ascii_toupper(type);
    const absl::string_view name = line.substr(i + 3);
    // Keeps code and data, but no mapping symbols, see IsMappingSymbol.
    if ((upper != 'T' && upper != 'W' && upper != 'D' && upper != 'B') ||
        name[0] == '$') {
      continue;
    }
    if (address != 0) out->hidden_ = false;
    out->index_.Add(address, 0, name,
                    upper == 'T' || upper == 'W' ? STT_FUNC : STT_OBJECT,
                    upper == 'W'    ? STB_WEAK
                    : type == upper ? STB_GLOBAL
                                    : STB_LOCAL);
  }
  if (out->index_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(out->file_->path(), ": no kernel symbols in it"));
  }
  out->index_.Finish(InDifferentModules);
  return out;
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
  for (const SymbolIndex::Entry& e : index_.entries()) {
    if (e.view() == name) return e.start;
  }
  return 0;
}

}  // namespace perf2x
