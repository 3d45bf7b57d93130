// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_flow.h"

namespace perf2x {

std::optional<EtmStep> EtmFlow::Add(const EtmElement& element) {
  using Kind = EtmElement::Kind;
  switch (element.kind) {
    case Kind::kRange:
      break;
    case Kind::kContext:
    case Kind::kTime:
      return std::nullopt;
    case Kind::kException:
      if (connected_ && taken_ && element.start != 0) {
        // The branch was taken, but nothing ran at its target.
        has_range_ = connected_ = false;
        return EtmStep{last_, element.start, true};
      }
      [[fallthrough]];
    default:
      connected_ = false;
      return std::nullopt;
  }
  std::optional<EtmStep> step;
  const bool branch = connected_ && taken_;
  if (branch || !connected_ || element.start != end_) {
    step = {has_range_ ? last_ : 0, element.start, branch};
  }
  has_range_ = connected_ = true;
  taken_ = element.taken;
  last_ = element.last_address();
  end_ = element.end;
  return step;
}

std::optional<EtmStep> EtmFlow::End() {
  if (!has_range_) return std::nullopt;
  has_range_ = connected_ = false;
  return EtmStep{last_, 0, false};
}

}  // namespace perf2x
