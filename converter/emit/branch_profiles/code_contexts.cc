// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/code_contexts.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "converter/emit/branch_profiles/sample_profile.h"

namespace perf2x {
namespace {

constexpr absl::string_view kSeparator = " @ ";

// Work for a name that is read: searched, hashed, compared.
uint64_t WorkOf(absl::string_view name) {
  constexpr size_t kLong = 1024;
  return name.size() > kLong ? name.size() / 2 : 1;
}

bool SplitsLine(char c) {
  return absl::ascii_isspace(c) || absl::ascii_iscntrl(c);
}

}  // namespace

void RemoveRepeats(std::vector<uint32_t>* words) {
  for (size_t length = 1; length * 2 <= words->size(); ++length) {
    size_t kept = 0;
    for (size_t i = 0; i < words->size(); ++i) {
      (*words)[kept++] = (*words)[i];
      const auto end = words->begin() + static_cast<ptrdiff_t>(kept);
      const auto part = static_cast<ptrdiff_t>(length);
      if (kept >= 2 * length && std::equal(end - part, end, end - 2 * part)) {
        kept -= length;
      }
    }
    words->resize(kept);
  }
}

uint32_t CodeContexts::NameIdOf(absl::string_view function) {
  absl::string_view name = CanonicalName(function);
  budget_.Spend(Budget::kWork, WorkOf(name));
  if (std::any_of(name.begin(), name.end(), SplitsLine)) {
    std::string& safe = made_safe_.emplace_back(name);
    std::replace_if(safe.begin(), safe.end(), SplitsLine, '?');
    name = safe;
  }
  const auto [it, inserted] =
      name_ids_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (inserted) names_.push_back(name);
  return it->second;
}

CodeContexts::Inlined CodeContexts::InlinedAt(uint64_t address) {
  const auto [it, inserted] = inlined_.try_emplace(address);
  if (!inserted) return it->second;
  lines_.clear();
  code_.AppendLines(address, &lines_);
  const Inlined inlined = {static_cast<uint32_t>(places_.size()),
                           static_cast<uint32_t>(lines_.size())};
  for (const CodeLine& line : lines_) {
    places_.push_back(
        {NameIdOf(line.function), line.line_offset, line.discriminator});
  }
  budget_.Spend(Budget::kWork, 1 + lines_.size());
  return it->second = inlined;
}

bool CodeContexts::AreInlinedAlike(uint64_t a, uint64_t b) {
  const Inlined x = InlinedAt(a), y = InlinedAt(b);
  if (x.size != y.size || x.size == 0) return false;
  const Place* const of_x = &places_[x.first];
  return std::equal(of_x, of_x + x.size - 1, &places_[y.first]);
}

uint32_t CodeContexts::WordOf(const Place& place, bool has_line) {
  Place word = {place.name, kNoLine, 0};
  if (has_line) {
    word.line = place.line;
    word.discriminator = Discriminator::Decode(place.discriminator).base;
  }
  const auto [it, inserted] =
      word_ids_.try_emplace({word.name, word.line, word.discriminator},
                            static_cast<uint32_t>(words_.size()));
  if (inserted) {
    words_.push_back(word);
    budget_.Spend(Budget::kWork, WorkOf(names_[word.name]));
  }
  return it->second;
}

CodeContexts::Id CodeContexts::ContextOf(absl::Span<const uint64_t> path) {
  path_.clear();
  Inlined last;
  for (const uint64_t address : path) {
    last = InlinedAt(address);
    if (last.size == 0) return empty_;
    for (uint32_t i = 0; i < last.size; ++i) {
      path_.push_back(WordOf(places_[last.first + i], /*has_line=*/true));
    }
  }
  if (path_.empty()) return empty_;
  path_.pop_back();  // the instruction's own line is no part of the context
  // Each length of a repeated part takes a pass. Beyond any real program, the
  // outermost callers are cut off.
  constexpr size_t kMaxWords = 4096, kWordsAStep = 32;
  if (path_.size() > kMaxWords) {
    path_.erase(path_.begin(), path_.end() - kMaxWords);
  }
  budget_.Spend(Budget::kWork,
                path_.size() * (path_.size() + kWordsAStep) / kWordsAStep);
  RemoveRepeats(&path_);
  path_.push_back(
      WordOf(places_[last.first + last.size - 1], /*has_line=*/false));
  return contexts_.Intern(path_);
}

std::string CodeContexts::LineOf(const Place& word) {
  if (word.line == kNoLine) return "";
  std::string text = absl::StrCat(":", word.line);
  if (word.discriminator != 0) absl::StrAppend(&text, ".", word.discriminator);
  return text;
}

void CodeContexts::AppendText(Id context, std::string* text) const {
  const WordLists::List words = contexts_.Get(context);
  for (size_t i = 0; i < words.size(); ++i) {
    const Place& word = words_[words[i]];
    absl::StrAppend(text, i > 0 ? kSeparator : "", names_[word.name],
                    LineOf(word));
  }
}

// A word with a line is followed by a separator, one without by nothing. No
// name has a space, so no such text begins with another one.
bool CodeContexts::IsWordBefore(const Place& a, const Place& b) const {
  absl::string_view x = names_[a.name], y = names_[b.name];
  const size_t size = std::min(x.size(), y.size());
  if (a.name != b.name) {
    const int order = x.substr(0, size).compare(y.substr(0, size));
    if (order != 0) return order < 0;
  }
  // At most one name is left, and the other's line decides.
  constexpr size_t kLine = 64;
  const auto rest = [&](absl::string_view name, const Place& word) {
    return absl::StrCat(name.substr(size, kLine), LineOf(word),
                        word.line == kNoLine ? "" : kSeparator);
  };
  return rest(x, a) < rest(y, b);
}

std::vector<uint32_t> CodeContexts::RankWords() const {
  std::vector<uint32_t> order(words_.size()), ranks(words_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return IsWordBefore(words_[a], words_[b]);
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const bool differs = IsWordBefore(words_[order[i - 1]], words_[order[i]]);
    ranks[order[i]] = ranks[order[i - 1]] + (differs ? 1 : 0);
  }
  return ranks;
}

void CodeContexts::Sort(std::vector<Id>* contexts) const {
  const std::vector<uint32_t> ranks = RankWords();
  std::sort(contexts->begin(), contexts->end(), [&](Id a, Id b) {
    const WordLists::List x = contexts_.Get(a), y = contexts_.Get(b);
    return std::lexicographical_compare(
        x.begin(), x.end(), y.begin(), y.end(),
        [&](uint32_t v, uint32_t w) { return ranks[v] < ranks[w]; });
  });
}

uint64_t CodeContexts::memory() const {
  constexpr uint64_t kOfName = 64, kOfPlace = 16, kOfAddress = 32, kOfWord = 56;
  return names_.size() * kOfName + places_.size() * kOfPlace +
         inlined_.size() * kOfAddress + words_.size() * kOfWord +
         contexts_.memory();
}

}  // namespace perf2x
