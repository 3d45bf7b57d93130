// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/symbol_index.h"

#include <elf.h>

#include <algorithm>

#include "absl/strings/match.h"

namespace perf2x {
namespace {

constexpr uint64_t kPage = 4096;
// Number of symbols that are tried to find one that extends over later ones.
constexpr size_t kNestingLimit = 512;
// Number of names at one address that are compared.
constexpr size_t kAliasLimit = 256;

size_t Underscores(absl::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// Returns true if perf keeps `a`, the earlier symbol, and not `b` at the same
// address.
bool KeepsFirst(const SymbolIndex::Entry& a, const SymbolIndex::Entry& b,
                Budget& budget) {
  const bool a_empty = a.end == a.start, b_empty = b.end == b.start;
  if (a_empty != b_empty) return b_empty;
  if (a.type != b.type) {
    if (a.type == STT_NOTYPE) return false;
    if (b.type == STT_NOTYPE) return true;
  }
  const bool a_weak = a.binding == STB_WEAK, b_weak = b.binding == STB_WEAK;
  if (a_weak != b_weak) return b_weak;
  const bool a_global = a.binding == STB_GLOBAL;
  const bool b_global = b.binding == STB_GLOBAL;
  if (a_global != b_global) return a_global;
  if (a.view() == b.view()) return true;
  // perf compares the names that it shows.
  const std::string a_name =
      DemangleSymbol(a.view(), Demangle::kSimple, budget);
  const std::string b_name =
      DemangleSymbol(b.view(), Demangle::kSimple, budget);
  const size_t a_under = Underscores(a_name), b_under = Underscores(b_name);
  if (a_under != b_under) return a_under < b_under;
  if (a_name.size() != b_name.size()) return a_name.size() > b_name.size();
  return !absl::StartsWith(a_name, "SyS") &&
         !absl::StartsWith(a_name, "compat_SyS");
}

}  // namespace

// Removes labels within functions. perf keeps labels, and the shape of its tree
// of symbols decides whether it finds a label or the function.
void SymbolIndex::DropInnerLabels() {
  uint64_t function_end = 0;  // largest so far
  std::erase_if(entries_, [&](const Entry& e) {
    const bool sized = e.end > e.start;
    if (sized && (e.type == STT_FUNC || e.type == STT_GNU_IFUNC)) {
      function_end = std::max(function_end, e.end);
    }
    return !sized && e.type == STT_NOTYPE && e.start < function_end;
  });
}

void SymbolIndex::Finish(Gap gap) {
  const auto starts_before = [](const Entry& a, const Entry& b) {
    return a.start < b.start;
  };
  // Most of a kernel's symbols are in order: only the modules' are not.
  const auto rest =
      std::is_sorted_until(entries_.begin(), entries_.end(), starts_before);
  std::stable_sort(rest, entries_.end(), starts_before);
  std::inplace_merge(entries_.begin(), rest, entries_.end(), starts_before);
  DropInnerLabels();
  auto page_after = [](uint64_t at) {
    return at > ~uint64_t{0} - 2 * kPage ? ~uint64_t{0}
                                         : (at + 2 * kPage - 1) / kPage * kPage;
  };
  reach_.resize(entries_.size());
  uint64_t reach = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& e = entries_[i];
    if (e.end == e.start) {
      const bool last = i + 1 == entries_.size();
      if (last || (gap != nullptr && gap(e.view(), entries_[i + 1].view()))) {
        e.end = page_after(e.start);
      } else {
        e.end = entries_[i + 1].start;
      }
    }
    reach = std::max(reach, e.end);
    reach_[i] = reach;
  }
}

const SymbolIndex::Entry* SymbolIndex::BestOf(size_t first, size_t last,
                                              Cursor* cursor) const {
  if (first == last) return &entries_[first];
  const Entry*& best = cursor->chosen[last];
  if (best == nullptr) {
    best = &entries_[first];
    for (size_t i = first + 1; i <= last; ++i) {
      if (!KeepsFirst(*best, entries_[i], *cursor->budget)) best = &entries_[i];
    }
  }
  return best;
}

const SymbolIndex::Entry* SymbolIndex::Find(uint64_t address,
                                            Cursor* cursor) const {
  if (address >= cursor->from && address < cursor->until) return cursor->found;
  // Finds the first entry after `address`, in growing steps.
  size_t low = cursor->at, step = 1;
  if (low >= entries_.size() || entries_[low].start > address) low = 0;
  size_t high = low;
  while (high < entries_.size() && entries_[high].start <= address) {
    low = high;
    high += step;
    step *= 2;
  }
  high = std::min(high, entries_.size());
  const auto after =
      std::upper_bound(entries_.begin() + low, entries_.begin() + high, address,
                       [](uint64_t a, const Entry& e) { return a < e.start; });
  size_t last = after - entries_.begin();
  cursor->at = last == 0 ? 0 : last - 1;
  const uint64_t next = after == entries_.end() ? ~uint64_t{0} : after->start;
  // Tries symbols at the nearest start, then earlier ones that may extend over
  // it.
  const size_t limit = last - std::min(last, kNestingLimit);
  for (bool nearest = true; last > limit; nearest = false) {
    --last;
    if (reach_[last] <= address) return nullptr;
    size_t first = last;
    while (first > 0 && last - first < kAliasLimit &&
           entries_[first - 1].start == entries_[last].start) {
      --first;
    }
    const Entry* best = BestOf(first, last, cursor);
    if (best->end > address) {
      if (nearest) {
        cursor->found = best;
        cursor->from = best->start;
        cursor->until = std::min(best->end, next);
      }
      return best;
    }
    last = first;
  }
  return nullptr;
}

}  // namespace perf2x
