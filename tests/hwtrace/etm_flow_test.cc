// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_flow.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

using Kind = EtmElement::Kind;

EtmElement Range(uint64_t start, uint64_t end, bool taken) {
  EtmElement range;
  range.kind = Kind::kRange;
  range.start = start;
  range.end = end;
  range.last_size = 4;
  range.taken = taken;
  return range;
}

EtmElement Of(Kind kind, uint64_t start = 0) {
  EtmElement element;
  element.kind = kind;
  element.start = start;
  return element;
}

std::string FlowOf(const std::vector<EtmElement>& elements) {
  EtmFlow flow;
  std::string text;
  const auto add = [&](const std::optional<EtmStep>& step) {
    if (!step.has_value()) return;
    absl::StrAppend(&text, text.empty() ? "" : " ", absl::Hex(step->source),
                    step->branch ? ">" : "~", absl::Hex(step->target));
  };
  for (const EtmElement& element : elements) add(flow.Add(element));
  add(flow.End());
  return text;
}

TEST(EtmFlowTest, BranchesLeadToTheNextRange) {
  EXPECT_EQ(FlowOf({}), "");
  EXPECT_EQ(FlowOf({Of(Kind::kContext), Range(0x10, 0x20, true),
                    Range(0x40, 0x48, false), Range(0x48, 0x50, true),
                    Of(Kind::kTime), Range(0x10, 0x14, false)}),
            "0~10 1c>40 4c>10 10~0");
  // Code that follows without a branch, but elsewhere, was not traced.
  EXPECT_EQ(FlowOf({Range(0x10, 0x20, false), Range(0x40, 0x48, false)}),
            "0~10 1c~40 44~0");
}

TEST(EtmFlowTest, NoBranchAcrossGapsAndExceptions) {
  for (const Kind kind :
       {Kind::kGap, Kind::kOverflow, Kind::kNoCode, Kind::kException}) {
    EXPECT_EQ(FlowOf({Range(0x10, 0x20, true), Of(kind),
                      Range(0x40, 0x44, true), Range(0x20, 0x24, false)}),
              "0~10 1c~40 40>20 20~0");
    EXPECT_EQ(
        FlowOf({Range(0x10, 0x20, false), Of(kind), Range(0x20, 0x24, false)}),
        "0~10 1c~20 20~0");
  }
  // The branch led to 0x80, where the exception came before anything ran.
  EXPECT_EQ(FlowOf({Range(0x10, 0x20, true), Of(Kind::kException, 0x80),
                    Range(0x40, 0x44, false)}),
            "0~10 1c>80 0~40 40~0");
}

}  // namespace
}  // namespace perf2x
