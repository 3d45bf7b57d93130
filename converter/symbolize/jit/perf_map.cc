// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/jit/perf_map.h"

#include <elf.h>

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Reads a hexadecimal number and the space after it, and removes both from the
// front of `line`.
bool TakeNumber(absl::string_view* line, uint64_t* number) {
  absl::ConsumePrefix(line, "0x");
  const size_t space = line->find(' ');
  if (space == 0 || space == line->npos ||
      !absl::SimpleHexAtoi(line->substr(0, space), number)) {
    return false;
  }
  line->remove_prefix(space + 1);
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PerfMap>> PerfMap::Open(const FilePlace& place) {
  ASSIGN_OR_RETURN(auto file, SafeFile::Open(place));
  RETURN_IF_ERROR(file->CheckWriters());
  return Parse(std::move(file));
}

absl::StatusOr<std::unique_ptr<PerfMap>> PerfMap::Parse(
    std::shared_ptr<const SafeFile> file) {
  struct Entry {
    uint64_t start, size;
    absl::string_view name;
  };
  std::vector<Entry> lines;
  for (absl::string_view text = file->text(); !text.empty();) {
    const size_t end = std::min(text.find('\n'), text.size());
    Entry line{0, 0, text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (TakeNumber(&line.name, &line.start) &&
        TakeNumber(&line.name, &line.size) && !line.name.empty()) {
      absl::ConsumeSuffix(&line.name, "\r");
      lines.push_back(line);
    }
  }
  if (lines.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file->path(), ": no functions in it"));
  }
  std::stable_sort(
      lines.begin(), lines.end(),
      [](const Entry& a, const Entry& b) { return a.start < b.start; });
  auto map = std::make_unique<PerfMap>();
  map->file_ = std::move(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Entry& line = lines[i];
    if (i + 1 < lines.size() && lines[i + 1].start == line.start) continue;
    map->index_.Add(line.start, line.size, line.name, STT_FUNC, STB_GLOBAL);
  }
  map->index_.Finish();
  return map;
}

void PerfMap::Resolve(const Dso&, absl::Span<const uint64_t> addresses,
                      Symbolizer::Found found) {
  SymbolIndex::Cursor cursor;
  cursor.budget = &file_->budget();
  for (size_t i = 0; i < addresses.size(); ++i) {
    const SymbolIndex::Entry* entry = index_.Find(addresses[i], &cursor);
    if (entry == nullptr) continue;
    Symbol symbol;
    symbol.name = symbol.system_name = entry->view();
    found(i, {&symbol, 1});
  }
}

}  // namespace perf2x
