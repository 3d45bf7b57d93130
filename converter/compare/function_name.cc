// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/function_name.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

bool IsDigits(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

// Each suffix that is removed may cost a search of the whole name. Compilers
// make no names of this size for copies.
constexpr size_t kMaxName = 4096;

// Suffixes of clones; GCC's and LLVM's sources call them so. A number may
// follow.
constexpr absl::string_view kClones[] = {
    "part",   "cold",        "constprop", "isra",     "lto_priv", "llvm",
    "warm",   "localalias",  "hot",       "unlikely", "startup",  "exit",
    "__uniq", "specialized", "resolver",  "content"};

bool IsClone(absl::string_view word) {
  return std::find(std::begin(kClones), std::end(kClones), word) !=
         std::end(kClones);
}

// Removes ".part.0" and the like from the end of `*name`. Returns true if it
// did.
bool ConsumeCloneSuffix(absl::string_view* name) {
  size_t dot = name->rfind('.');
  if (dot == name->npos || dot == 0) return false;
  absl::string_view word = name->substr(dot + 1);
  if (IsDigits(word)) {
    const size_t number = dot;
    dot = name->rfind('.', number - 1);
    if (dot == name->npos || dot == 0) return false;
    word = name->substr(dot + 1, number - dot - 1);
  }
  if (!IsClone(word)) return false;
  *name = name->substr(0, dot);
  return true;
}

// "f() [clone .part.0]"
bool ConsumeCloneNote(absl::string_view* name) {
  if (!absl::EndsWith(*name, "]")) return false;
  const size_t begin = name->rfind(" [clone ");
  if (begin == name->npos) return false;
  *name = name->substr(0, begin);
  return true;
}

// "::h0123456789abcdef", the hash of rustc's older mangling.
bool ConsumeRustHash(absl::string_view* name) {
  constexpr size_t kSize = 3 + 16;
  if (name->size() <= kSize) return false;
  const absl::string_view tail = name->substr(name->size() - kSize);
  const bool is_hash =
      absl::StartsWith(tail, "::h") &&
      std::all_of(tail.begin() + 3, tail.end(), [](char c) {
        return absl::ascii_isxdigit(static_cast<unsigned char>(c));
      });
  if (is_hash) name->remove_suffix(kSize);
  return is_hash;
}

// Closures of Go: ".func1", ".func1.2", ".gowrap1", ".deferwrap2".
bool ConsumeGoNumbers(absl::string_view* name) {
  const absl::string_view all = *name;
  absl::string_view rest = all;
  for (size_t dot; (dot = rest.rfind('.')) != rest.npos && dot > 0;) {
    absl::string_view word = rest.substr(dot + 1);
    if (!IsDigits(word)) {
      for (absl::string_view prefix : {"func", "gowrap", "deferwrap"}) {
        if (absl::ConsumePrefix(&word, prefix) && IsDigits(word)) {
          *name = rest.substr(0, dot + 1 + prefix.size());
          return name->size() != all.size();
        }
      }
      return false;
    }
    rest = rest.substr(0, dot);
  }
  return false;
}

// Removes the numbers of "{closure#0}" and "{lambda()#1}".
std::string WithoutClosureNumbers(absl::string_view name) {
  std::string out;
  while (!name.empty()) {
    const size_t hash = name.find('#');
    size_t end = hash;
    if (hash != name.npos) {
      end = hash + 1;
      while (end < name.size() &&
             absl::ascii_isdigit(static_cast<unsigned char>(name[end]))) {
        ++end;
      }
    }
    const bool is_number = hash != name.npos && end > hash + 1 &&
                           end < name.size() && name[end] == '}';
    const size_t kept = is_number ? hash : std::min(end, name.size());
    out.append(name.data(), kept);
    name.remove_prefix(std::min(end, name.size()));
  }
  return out;
}

}  // namespace

std::string NameAcrossBuilds(absl::string_view name) {
  if (name.size() > kMaxName) return std::string(name);
  while (ConsumeCloneSuffix(&name) || ConsumeCloneNote(&name) ||
         ConsumeRustHash(&name)) {
  }
  ConsumeGoNumbers(&name);
  return WithoutClosureNumbers(name);
}

}  // namespace perf2x
