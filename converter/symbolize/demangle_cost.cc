// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/demangle_cost.h"

#include <stdlib.h>

#include <algorithm>
#include <memory>
#include <vector>

// Keeps libiberty.h from declaring basename() again, with another type.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

// Parts of a conversion operator's type that may be parsed twice, one in the
// other.
constexpr int kMaxParsedTwice = 8;
// Components that may be searched for parameter packs, once for each pack.
constexpr uint64_t kMaxSearched = 4096;
// Searched components that cost as much as one byte of output.
constexpr uint64_t kSearchedAByte = 16;
// libiberty does not demangle longer symbols.
constexpr size_t kMaxCxxSize = 1024;

// Removes digits and capital letters, the number of a parameter or a
// substitution, and "_" after it. Returns false if there is no "_".
bool ConsumeNumber(absl::string_view* text) {
  while (!text->empty() && (absl::ascii_isdigit(text->front()) ||
                            absl::ascii_isupper(text->front()))) {
    text->remove_prefix(1);
  }
  return absl::ConsumePrefix(text, "_");
}

// Counts template parameters with arguments: "T_I", "T0_I", ….
int CountParametersWithArguments(absl::string_view text) {
  int count = 0;
  for (size_t at = text.find('T'); at != text.npos; at = text.find('T')) {
    text.remove_prefix(at + 1);
    absl::string_view rest = text;
    if (ConsumeNumber(&rest) && absl::StartsWith(rest, "I")) ++count;
  }
  return count;
}

bool HasSubstitution(absl::string_view text) {
  for (size_t at = text.find('S'); at != text.npos; at = text.find('S')) {
    text.remove_prefix(at + 1);
    absl::string_view rest = text;
    if (ConsumeNumber(&rest)) return true;
  }
  return false;
}

// Returns true if `symbol` may have an expansion of a pack, or the size of one,
// of more than a template parameter: "DpT_" and "DpOT_" are found at once.
bool MaySearchForPacks(absl::string_view symbol) {
  for (absl::string_view mark : {"Dp", "sp", "sZ", "sP"}) {
    absl::string_view text = symbol;
    for (size_t at = text.find(mark); at != text.npos; at = text.find(mark)) {
      text.remove_prefix(at + mark.size());
      absl::string_view rest = text;
      while (!rest.empty() && absl::StrContains("OPRKV", rest.front())) {
        rest.remove_prefix(1);
      }
      if (!absl::ConsumePrefix(&rest, "T") || !ConsumeNumber(&rest) ||
          absl::StartsWith(rest, "I")) {
        return true;
      }
    }
  }
  return false;
}

// Follows libiberty's d_find_pack() through the components of a symbol.
class PackSearch {
 public:
  // Returns the number of components that are searched if all packs are
  // expanded once.
  uint64_t Count(const demangle_component* root) {
    Visit(root);
    return searched_;
  }

 private:
  // Returns the number of components that a search in `component` visits.
  uint64_t Visit(const demangle_component* component) {
    if (component == nullptr) return 0;
    const auto [it, is_new] = visits_.try_emplace(component, 1);
    if (!is_new) return it->second;
    uint64_t visits = 1;
    switch (component->type) {
      case DEMANGLE_COMPONENT_NAME:
      case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
      case DEMANGLE_COMPONENT_FUNCTION_PARAM:
      case DEMANGLE_COMPONENT_SUB_STD:
      case DEMANGLE_COMPONENT_BUILTIN_TYPE:
      case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
      case DEMANGLE_COMPONENT_OPERATOR:
      case DEMANGLE_COMPONENT_CHARACTER:
      case DEMANGLE_COMPONENT_NUMBER:
      case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        break;
      case DEMANGLE_COMPONENT_CTOR:
        visits += Visit(component->u.s_ctor.name);
        break;
      case DEMANGLE_COMPONENT_DTOR:
        visits += Visit(component->u.s_dtor.name);
        break;
      case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        visits += Visit(component->u.s_extended_operator.name);
        break;
      case DEMANGLE_COMPONENT_FIXED_TYPE:
        visits += Visit(component->u.s_fixed.length);
        break;
      case DEMANGLE_COMPONENT_LAMBDA:
      case DEMANGLE_COMPONENT_DEFAULT_ARG:
        visits += Visit(component->u.s_unary_num.sub);
        break;
      case DEMANGLE_COMPONENT_PACK_EXPANSION:
        Add(Visit(component->u.s_binary.left), &searched_);
        break;
      default: {
        visits += Visit(component->u.s_binary.left);
        const uint64_t right = Visit(component->u.s_binary.right);
        Add(right, &visits);
        // "sizeof..." searches its operand.
        if (component->type == DEMANGLE_COMPONENT_UNARY) Add(right, &searched_);
      }
    }
    visits = std::min(visits, kTooMany);
    visits_[component] = visits;
    return visits;
  }

  static void Add(uint64_t count, uint64_t* sum) {
    *sum = std::min(*sum + count, kTooMany);
  }

  static constexpr uint64_t kTooMany = kMaxSearched + 1;
  uint64_t searched_ = 0;
  absl::flat_hash_map<const demangle_component*, uint64_t> visits_;
};

}  // namespace

bool BindsManyLifetimes(absl::string_view symbol) {
  for (size_t i = 0; i + 2 < symbol.size(); ++i) {
    if ((symbol[i] != 'F' && symbol[i] != 'D') || symbol[i + 1] != 'G') {
      continue;
    }
    size_t end = i + 2;
    while (end < symbol.size() && absl::ascii_isalnum(symbol[end])) ++end;
    if (end - i > 3 && end < symbol.size() && symbol[end] == '_') return true;
    i = end - 1;
  }
  return false;
}

bool DNameMayExceed(absl::string_view symbol, uint64_t limit) {
  // expanded[i]: how many characters the first i stand for.
  std::vector<uint64_t> expanded = {0};
  expanded.reserve(symbol.size() + 1);
  for (size_t i = 0; i < symbol.size(); ++i) {
    uint64_t size = 1;
    if (symbol[i] == 'Q') {
      uint64_t distance = 0;
      for (size_t at = i + 1; at < symbol.size() && distance <= i; ++at) {
        const char digit = symbol[at];
        if (!absl::ascii_isalpha(digit)) break;
        const bool last = absl::ascii_islower(digit);
        distance =
            distance * 26 + static_cast<uint64_t>(digit - (last ? 'a' : 'A'));
        if (!last) continue;
        if (distance <= i) size += expanded[i] - expanded[i - distance];
        break;
      }
    }
    expanded.push_back(expanded.back() + size);
    if (expanded.back() > limit) return true;
  }
  return false;
}

CxxCost CostOfCxx(const std::string& symbol, int options) {
  CxxCost cost;
  const size_t conversion = symbol.find("cv");
  if (conversion != symbol.npos) {
    const int twice = CountParametersWithArguments(
        absl::string_view(symbol).substr(conversion));
    cost.too_high = twice > kMaxParsedTwice;
    cost.parsing = uint64_t{1} << std::min(twice, kMaxParsedTwice);
  }
  if (cost.too_high || !MaySearchForPacks(symbol) || !HasSubstitution(symbol)) {
    return cost;
  }
  void* memory = nullptr;
  const demangle_component* components =
      symbol.size() > kMaxCxxSize
          ? nullptr
          : cplus_demangle_v3_components(symbol.c_str(), options, &memory);
  const std::unique_ptr<void, void (*)(void*)> owner(memory, free);
  const uint64_t searched =
      components == nullptr ? kMaxSearched + 1 : PackSearch().Count(components);
  cost.too_high = searched > kMaxSearched;
  cost.printing += searched / kSearchedAByte;
  return cost;
}

}  // namespace perf2x
