// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/html_emitter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/base/status_macros.h"
#include "converter/emit/html/page.h"
#include "converter/emit/html/page_columns.h"
#include "converter/emit/html/page_events.h"
#include "converter/emit/html/page_meta.h"

namespace perf2x {

HtmlBaseEmitter::HtmlBaseEmitter(const EmitterContext& context,
                                 std::shared_ptr<ComparisonBase>* kept)
    : HtmlRecordingEmitter(context,
                           std::make_shared<CallTree>(/*by_file_name=*/true)),
      kept_(kept) {}

absl::Status HtmlBaseEmitter::OnAdvice(absl::Span<const Advice> advice) {
  auto base = std::make_shared<HtmlBase>();
  base->tree = tree();
  base->recording = std::move(recording());
  base->advice.assign(advice.begin(), advice.end());
  *kept_ = std::move(base);
  return absl::OkStatus();
}

HtmlEmitter::HtmlEmitter(const EmitterContext& context)
    : HtmlEmitter(context, std::static_pointer_cast<HtmlBase>(context.base)) {}

HtmlEmitter::HtmlEmitter(const EmitterContext& context,
                         std::shared_ptr<HtmlBase> base)
    : HtmlRecordingEmitter(context, base != nullptr
                                        ? base->tree
                                        : std::make_shared<CallTree>(
                                              /*by_file_name=*/false)),
      outputs_(context.outputs),
      pipeline_(context.pipeline),
      budget_(context.budget),
      base_(std::move(base)),
      base_memory_(context.budget) {
  if (base_ != nullptr) base_memory_.Set(base_->recording.memory());
}

absl::Status HtmlEmitter::Begin(const TraceInfo& info) {
  ASSIGN_OR_RETURN(output_, outputs_.Open(""));
  return HtmlRecordingEmitter::Begin(info);
}

absl::Status HtmlEmitter::OnAdvice(absl::Span<const Advice> advice) {
  std::vector<HtmlRecording*> shown = {&recording()};
  if (base_ != nullptr) shown.push_back(&base_->recording);
  PageEvents events;
  for (HtmlRecording* one : shown) events.Add(one);
  std::vector<std::vector<SelfSum>> sums;
  std::vector<const std::vector<SelfSum>*> all_sums;
  sums.reserve(shown.size());
  all_sums.reserve(shown.size());
  for (const HtmlRecording* one : shown) {
    all_sums.push_back(&sums.emplace_back(SelfSumsOf(*one)));
  }
  const PrunedTree cut = PruneTree(*tree(), all_sums);
  std::vector<EntryTable> tables;
  tables.reserve(shown.size());
  for (size_t i = 0; i < shown.size(); ++i) {
    Renumber(cut.row_of, &sums[i]);
    for (SampleEntry& entry : shown[i]->entries) {
      entry.place = cut.row_of[entry.place];
    }
    tables.emplace_back(shown[i], events.events().size());
  }

  PageNames names(tree()->strings());
  ColumnBlock profile;
  std::vector<ColumnBlock> blocks(shown.size());
  AddTreeColumns(*tree(), cut, &names, &profile);
  for (size_t i = 0; i < shown.size(); ++i) {
    AddSelfColumns(i == 0 ? "self." : "base.", sums[i], &profile);
    AddThreadColumns(*shown[i], &names, &blocks[i]);
  }
  AddStrings(names, &profile);
  // The entries have the room that the rest leaves.
  const uint64_t taken = std::min(kDataSize, profile.EstimatedCompressedSize());
  const uint64_t room = std::max(kDataSize - taken, kDataSize / 4);
  std::vector<ShownRecording> described;
  for (size_t i = 0; i < shown.size(); ++i) {
    tables[i].Fit(room / shown.size());
    described.push_back(
        {shown[i], &tables[i],
         i == 0 ? advice : absl::Span<const Advice>(base_->advice)});
  }
  profile.set_meta(PageMeta(events, cut, described));
  for (size_t i = 0; i < shown.size(); ++i) {
    AddThreadTimes(*shown[i], tables[i].start(), &blocks[i]);
    tables[i].MoveTo(&blocks[i]);
  }
  RETURN_IF_ERROR(Write(PageTitle(shown[0]->info), profile, blocks));
  return output_->Close();
}

absl::Status HtmlEmitter::Write(const std::string& title,
                                const ColumnBlock& profile,
                                const std::vector<ColumnBlock>& blocks) {
  Page page(*output_);
  const auto write = [&](const char* id,
                         const ColumnBlock& block) -> absl::Status {
    budget_.Spend(Budget::kOutput, block.size());
    ASSIGN_OR_RETURN(const std::string encoded,
                     EncodeBlock(block, pipeline_.helpers()));
    return page.Data(id, encoded);
  };
  RETURN_IF_ERROR(page.Begin(title));
  RETURN_IF_ERROR(write("perf2x-profile", profile));
  RETURN_IF_ERROR(page.Script());
  RETURN_IF_ERROR(write("perf2x-samples", blocks[0]));
  if (blocks.size() > 1) RETURN_IF_ERROR(write("perf2x-base", blocks[1]));
  return page.End();
}

}  // namespace perf2x
