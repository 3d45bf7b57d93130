// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/marked_stacks.h"

#include <algorithm>

#include "converter/base/byte_order.h"

namespace perf2x {

MarkedStacks::MarkedStacks(TraceTables& tables, Budget& budget)
    : tables_(tables), budget_(budget), rest_(*tables.frame_source()) {
  tables_.set_frame_source(this);
}

MarkedStacks::~MarkedStacks() { tables_.set_frame_source(&rest_); }

uint32_t MarkedStacks::MarkOf(const std::string& text) {
  const auto [it, inserted] =
      mark_ids_.try_emplace(text, static_cast<uint32_t>(marks_.size()));
  if (!inserted) return it->second;
  Dso dso;
  dso.kind = DsoKind::kMarker;
  dso.name = text;
  const DsoId id = tables_.AddDso(std::move(dso));
  Mapping mapping;
  mapping.dso = id;
  marks_.emplace_back(FrameTable::HashOf(id, 0), 0, id,
                      tables_.AddMapping(mapping));
  return it->second;
}

MarkedStacks::MarksId MarkedStacks::InternMarks(
    const std::vector<std::string>& texts) {
  std::vector<uint32_t> list;
  list.reserve(texts.size());
  for (const std::string& text : texts) list.push_back(MarkOf(text));
  const auto [it, inserted] =
      list_ids_.try_emplace(list, static_cast<MarksId>(lists_.size()));
  if (inserted) lists_.push_back(std::move(list));
  return it->second;
}

StackId MarkedStacks::Find(MarksId marks, StackId stack) {
  if (stack == kNoId) {
    if (marks >= without_callers_.size()) {
      without_callers_.resize(lists_.size(), kNoId);
    }
    StackId& made = without_callers_[marks];
    if (made == kNoId) made = Make(marks, kNoId);
    return made;
  }
  Made& recent = recent_[(stack * kMarksOfStack + marks) % recent_.size()];
  if (const auto known = made_.find({marks, stack}); known != made_.end()) {
    recent = {marks, stack, known->second};
    return known->second;
  }
  if (budget_.exhausted()) {
    if (skipped_++ == 0) resource_ = budget_.exhausted_name();
    return Find(marks, kNoId);
  }
  const StackId made = Make(marks, stack);
  made_.emplace(std::pair(marks, stack), made);
  return made;
}

StackId MarkedStacks::Make(MarksId marks, StackId stack) {
  const std::vector<uint32_t>& list = lists_[marks];
  words_.assign({list.size()});
  words_.insert(words_.end(), list.begin(), list.end());
  AddressSpaceId space = 0;
  if (stack != kNoId) {
    space = tables_.stacks.address_space(stack);
    const absl::Span<const uint8_t> rest =
        tables_.stacks.callchain(stack, &room_);
    for (size_t at = 0; at + 8 <= rest.size(); at += 8) {
      words_.push_back(Load<uint64_t>(&rest[at], kHostOrder));
    }
  }
  budget_.Spend(Budget::kWork, words_.size());
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(words_.data()), words_.size() * 8);
  const StackId made = tables_.stacks.Intern(StackTable::HashOf(space, bytes),
                                             space, bytes, /*stable=*/false);
  if (made >= is_marked_.size()) is_marked_.resize(made + 1);
  is_marked_[made] = true;
  return made;
}

void MarkedStacks::ReportSkipped(Diagnostics* diagnostics) const {
  CountSkippedForBudget("callers of a wait", resource_, skipped_, diagnostics);
}

uint64_t MarkedStacks::memory() const {
  constexpr uint64_t kOfStack = 32, kOfMark = 128, kOfList = 176;
  return made_.size() * kOfStack + without_callers_.size() * sizeof(StackId) +
         marks_.size() * kOfMark + lists_.size() * kOfList;
}

// Appends the marks of a marked stack. Returns the callchain of its other
// frames, which may be in `*chain`.
//
// The words of a recorded stack may by chance be those of a marked one, which
// is then the same stack. So marks are checked like any other input.
absl::Span<const uint8_t> MarkedStacks::AppendMarks(
    StackId stack, std::vector<uint64_t>* chain, FramePlaces* places) const {
  const absl::Span<const uint8_t> bytes =
      tables_.stacks.callchain(stack, chain);
  const size_t marks = std::min<size_t>(Load<uint64_t>(&bytes[0], kHostOrder),
                                        bytes.size() / 8 - 1);
  for (size_t i = 1; i <= marks; ++i) {
    places->push_back(marks_[Load<uint64_t>(&bytes[i * 8], kHostOrder)]);
  }
  return bytes.subspan((marks + 1) * 8);
}

void MarkedStacks::AppendPlaces(StackId stack, FramePlaces* places) {
  if (!IsMarked(stack)) return rest_.AppendPlaces(stack, places);
  const absl::Span<const uint8_t> rest = AppendMarks(stack, &chain_, places);
  if (!rest.empty()) {
    rest_.AppendPlacesOfChain(tables_.stacks.address_space(stack), rest,
                              places);
  }
}

class MarkedStacks::Finder final : public PlaceFinder {
 public:
  Finder(const MarkedStacks& stacks, std::unique_ptr<PlaceFinder> rest)
      : stacks_(stacks), rest_(std::move(rest)) {}

  bool AppendPlaces(StackId stack, FramePlaces* places) override {
    if (!stacks_.IsMarked(stack)) return rest_->AppendPlaces(stack, places);
    const absl::Span<const uint8_t> rest =
        stacks_.AppendMarks(stack, &chain_, places);
    return rest.empty() ||
           rest_->AppendPlacesOfChain(
               stacks_.tables_.stacks.address_space(stack), rest, places);
  }
  bool AppendPlacesOfChain(AddressSpaceId space,
                           absl::Span<const uint8_t> chain,
                           FramePlaces* places) override {
    return rest_->AppendPlacesOfChain(space, chain, places);
  }

 private:
  const MarkedStacks& stacks_;
  const std::unique_ptr<PlaceFinder> rest_;
  std::vector<uint64_t> chain_;  // buffer
};

std::unique_ptr<PlaceFinder> MarkedStacks::MakeFinder() {
  std::unique_ptr<PlaceFinder> rest = rest_.MakeFinder();
  if (rest == nullptr) return nullptr;
  return std::make_unique<Finder>(*this, std::move(rest));
}

}  // namespace perf2x
