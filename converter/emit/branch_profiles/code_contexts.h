// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_CODE_CONTEXTS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_CODE_CONTEXTS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/emit/branch_profiles/word_lists.h"
#include "converter/model/code_image.h"

namespace perf2x {

// Names the calling contexts of instructions, by functions and lines, as
// llvm-profgen does: "main:3 @ sort:7.1 @ swap" is code of "swap", called or
// inlined at line 7, discriminator 1, of "sort". Charges work to the budget.
// Not thread-safe.
class CodeContexts {
 public:
  // The number of a context.
  using Id = WordLists::Id;

  // Both must outlive the object. `code` must be able to decode.
  CodeContexts(CodeImage& code, Budget& budget)
      : code_(code), budget_(budget), empty_(contexts_.Intern({})) {}

  // Returns true if both instructions are inlined at the same place. False if
  // one has no debug information.
  bool AreInlinedAlike(uint64_t a, uint64_t b);
  // Returns the context of an instruction. `path` has the calls that led to it,
  // the outermost first, and the instruction last. Repeated parts of the path
  // (recursion) are one. If any has no debug information, returns empty().
  Id ContextOf(absl::Span<const uint64_t> path);
  // Returns the context of code of which nothing is known.
  Id empty() const { return empty_; }

  // Appends the context's text.
  void AppendText(Id context, std::string* text) const;
  // Sorts contexts by their texts.
  void Sort(std::vector<Id>* contexts) const;
  // Returns the approximate memory in bytes.
  uint64_t memory() const;

 private:
  // A function and the line that runs in it.
  struct Place {
    uint32_t name = 0, line = 0, discriminator = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  // The places of an instruction, the outermost first, in places_.
  struct Inlined {
    uint32_t first = 0, size = 0;
  };
  Inlined InlinedAt(uint64_t address);
  uint32_t NameIdOf(absl::string_view function);
  // Returns the number of a function's text, with its line or without.
  uint32_t WordOf(const Place& place, bool has_line);
  // Returns the end of a word's text, after the name.
  static std::string LineOf(const Place& word);
  bool IsWordBefore(const Place& a, const Place& b) const;
  // Returns the order of the words' texts; equal texts have equal numbers.
  std::vector<uint32_t> RankWords() const;

  CodeImage& code_;
  Budget& budget_;
  std::vector<absl::string_view> names_;  // distinct
  std::deque<std::string> made_safe_;     // some of names_
  absl::flat_hash_map<absl::string_view, uint32_t> name_ids_;
  std::vector<Place> places_;  // with encoded discriminators
  absl::flat_hash_map<uint64_t, Inlined> inlined_;  // by address
  // The words of contexts: functions, the last one without a line (kNoLine).
  static constexpr uint32_t kNoLine = ~uint32_t{0};
  std::vector<Place> words_;
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t>
      word_ids_;
  WordLists contexts_;
  const Id empty_;
  std::vector<CodeLine> lines_;  // of the current instruction
  std::vector<uint32_t> path_;   // words of the current path
};

// Removes from `words` each part that repeats what is before it, short parts
// first: a b b c b c becomes a b c.
void RemoveRepeats(std::vector<uint32_t>* words);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_CODE_CONTEXTS_H_
