// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/path_texts.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_replace.h"
#include "converter/emit/csv/csv_text.h"

namespace perf2x {
namespace {

// Bound on the names of a path with their separators, unless the leaf alone is
// longer.
constexpr size_t kMaxNames = 4 << 20;

}  // namespace

void PathTexts::AddTexts(uint32_t path) {
  constexpr size_t kAccountAt = 256;
  while (texts_.size() <= path) {
    const auto next = static_cast<uint32_t>(texts_.size());
    const absl::Span<const uint32_t> sites = numbers_.SitesOf(next);
    AddNames(sites);
    texts_.push_back(Make(sites));
  }
  if (texts_.size() + names_of_sites_.size() >= accounted_ + kAccountAt) {
    Account();
  }
}

// Sites are numbered in the order of the paths that have them.
void PathTexts::AddNames(absl::Span<const uint32_t> sites) {
  for (const uint32_t site : sites) {
    while (names_of_sites_.size() <= site) {
      const CallSite& next = numbers_.sites()[names_of_sites_.size()];
      names_of_sites_.push_back(
          NameOf(tables_.functions()[next.function].name));
    }
  }
}

PathTexts::Name PathTexts::NameOf(StringId id) {
  if (id >= names_by_id_.size()) {
    names_by_id_.resize(std::max<size_t>(id + 1, 2 * names_by_id_.size()),
                        Name{nullptr, 0, false});
  }
  Name& name = names_by_id_[id];
  if (name.data == nullptr) {
    absl::string_view text = names_.TextOf(id);
    const bool quoted = NeedsQuotes(text);
    if (quoted && text.find('"') != text.npos) {
      text = doubled_.emplace_back(absl::StrReplaceAll(text, {{"\"", "\"\""}}));
      doubled_bytes_ += text.size();
    }
    name = {text.data(), static_cast<uint32_t>(text.size()), quoted};
  }
  return name;
}

PathTexts::Text PathTexts::Make(absl::Span<const uint32_t> sites) const {
  for (const uint32_t site : sites) Prefetch(&names_of_sites_[site]);
  size_t count = 0, size = 0;
  bool quoted = false;
  for (; count < sites.size(); ++count) {
    const Name& name = names_of_sites_[sites[count]];
    const size_t more = name.size + (count > 0 ? 1 : 0);  // with a separator
    if (count > 0 && size + more > kMaxNames) break;
    size += more;
    quoted |= name.quoted;
  }
  const Name& root = names_of_sites_[sites[count - 1]];
  const bool formula = IsLikeFormula({root.data, root.size});
  return {.sites = sites.data(),
          .count = static_cast<uint32_t>(count),
          .quoted = quoted,
          .formula = formula,
          .cut = count < sites.size(),
          .size = static_cast<uint32_t>(size + (quoted ? 2 : 0) + formula)};
}

char* PathTexts::Write(const Text& text, char* to) const {
  constexpr uint32_t kAhead = 8;
  if (text.quoted) *to++ = '"';
  if (text.formula) *to++ = '\'';
  for (uint32_t i = text.count; i-- > 0;) {
    if (i >= kAhead) Prefetch(&names_of_sites_[text.sites[i - kAhead]]);
    const Name& name = names_of_sites_[text.sites[i]];
    std::memcpy(to, name.data, name.size);
    to += name.size;
    if (i > 0) *to++ = ';';
  }
  if (text.quoted) *to++ = '"';
  return to;
}

// Vectors double their size, and have the old one beside it for a moment.
void PathTexts::Account() {
  accounted_ = texts_.size() + names_of_sites_.size();
  memory_.Set(2 * texts_.size() * sizeof(texts_[0]) + names_of_sites_.memory() +
              names_by_id_.size() * sizeof(names_by_id_[0]) + doubled_bytes_ +
              names_.memory());
}

void PathTexts::Report(Diagnostics* diagnostics) const {
  if (diagnostics == nullptr || cut_ == 0) return;
  diagnostics->Add(
      Diagnostics::Severity::kSkipped,
      "call path without its outermost names: they have more than 4 MiB", 0, 0,
      cut_);
}

}  // namespace perf2x
