// SPDX-License-Identifier: Apache-2.0
#include "converter/model/symbolized_frames.h"

#include <algorithm>

namespace perf2x {

FunctionId SymbolizedFrames::NewFunction(const Symbol& symbol) {
  functions_.push_back({strings_.Intern(symbol.name),
                        strings_.Intern(symbol.system_name),
                        strings_.Intern(symbol.file), symbol.start_line});
  return static_cast<FunctionId>(functions_.size() - 1);
}

FunctionId SymbolizedFrames::FunctionOf(const Symbol& symbol,
                                        bool may_come_again) {
  const Key key(symbol.name.data(), symbol.name.size(),
                symbol.system_name.data(), symbol.system_name.size(),
                symbol.file.data(), symbol.file.size(), symbol.start_line);
  if (last_ != kNoId && key == last_key_) return last_;
  last_key_ = key;
  if (!may_come_again) return last_ = NewFunction(symbol);
  const auto [it, inserted] = ids_.try_emplace(key, 0);
  if (inserted) it->second = NewFunction(symbol);
  return last_ = it->second;
}

LineRange SymbolizedFrames::Add(absl::Span<const Symbol> symbols,
                                std::vector<Line>* lines) {
  if (symbols.empty()) return {};
  ++frames_;
  const size_t first = lines->size();
  // Addresses ascend, so a function can recur after another one only if it is
  // inlined or has functions inlined into it.
  const bool may_come_again = symbols.size() > 1;
  for (const Symbol& symbol : symbols) {
    lines->push_back({FunctionOf(symbol, may_come_again), symbol.line});
  }
  if (last_range_.count == symbols.size() &&
      std::equal(lines->begin() + first, lines->end(),
                 lines->begin() + last_range_.first)) {
    lines->resize(first);
  } else {
    last_range_ = {static_cast<uint32_t>(first),
                   static_cast<uint32_t>(symbols.size())};
  }
  return last_range_;
}

}  // namespace perf2x
