// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/page_columns.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Adds a column of one value for each item.
template <class Items, class F>
void AddColumn(absl::string_view name, const Items& items, ColumnCode code,
               F value, ColumnBlock* block) {
  std::vector<uint64_t> values;
  values.reserve(items.size());
  for (const auto& item : items) {
    values.push_back(static_cast<uint64_t>(value(item)));
  }
  block->Add(PageColumn(std::string(name), values, code));
}

constexpr ColumnCode kPlain = ColumnCode::kPlain, kDelta = ColumnCode::kDelta;

// The bytes that the viewer knows as an int32.
uint32_t Bits(int32_t number) { return static_cast<uint32_t>(number); }

// Rows of a table of which only some are used, numbered anew in order of use.
class UsedRows {
 public:
  explicit UsedRows(size_t count) : numbers_(count, kNoId) { NumberOf(0); }
  uint32_t NumberOf(uint32_t row) {
    uint32_t& number = numbers_[row];
    if (number == kNoId) {
      number = static_cast<uint32_t>(rows_.size());
      rows_.push_back(row);
    }
    return number;
  }
  const std::vector<uint32_t>& rows() const { return rows_; }  // by number

 private:
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> rows_;
};

}  // namespace

void AddTreeColumns(const CallTree& tree, const PrunedTree& pruned,
                    PageNames* names, ColumnBlock* block) {
  using DsoRow = CallTree::DsoRow;
  using FunctionRow = CallTree::FunctionRow;
  using Row = PrunedTree::Row;
  UsedRows functions(tree.functions().size()), dsos(tree.dsos().size());
  const auto node = [&](const char* name, auto value) {
    AddColumn(name, pruned.rows, kPlain, value, block);
  };
  node("node.up", [](const Row& r) { return r.up; });
  node("node.function",
       [&](const Row& r) { return functions.NumberOf(r.function); });
  node("node.flags", [](const Row& r) {
    return (r.inlined ? 1 : 0) + (r.folded > 0 ? 2 : 0);
  });
  node("node.folded", [](const Row& r) { return r.folded; });
  const auto function = [&](const char* name, auto value) {
    AddColumn(
        name, functions.rows(), kPlain,
        [&](uint32_t row) { return value(tree.functions()[row]); }, block);
  };
  function("function.name",
           [&](const FunctionRow& f) { return names->NumberOf(f.name); });
  function("function.file",
           [&](const FunctionRow& f) { return names->NumberOf(f.file); });
  function("function.line", [](const FunctionRow& f) { return f.line; });
  function("function.dso",
           [&](const FunctionRow& f) { return dsos.NumberOf(f.dso); });
  function("function.flags",
           [](const FunctionRow& f) { return f.placeholder; });
  const auto dso = [&](const char* name, auto value) {
    AddColumn(
        name, dsos.rows(), kPlain,
        [&](uint32_t row) { return value(tree.dsos()[row]); }, block);
  };
  dso("dso.name", [&](const DsoRow& d) { return names->NumberOf(d.name); });
  dso("dso.kind", [](const DsoRow& d) { return d.kind; });
}

void AddSelfColumns(absl::string_view prefix, const std::vector<SelfSum>& sums,
                    ColumnBlock* block) {
  const auto add = [&](const char* name, ColumnCode code, auto value) {
    AddColumn(absl::StrCat(prefix, name), sums, code, value, block);
  };
  add("event", kDelta, [](const SelfSum& s) { return s.event; });
  add("node", kDelta, [](const SelfSum& s) { return s.node; });
  add("samples", kPlain, [](const SelfSum& s) { return s.samples; });
  add("period", kPlain, [](const SelfSum& s) { return s.period; });
}

void AddThreadColumns(const HtmlRecording& recording, PageNames* names,
                      ColumnBlock* block) {
  using Process = HtmlRecording::Process;
  using ThreadRow = HtmlRecording::ThreadRow;
  const auto process = [&](const char* name, auto value) {
    AddColumn(name, recording.processes, kPlain, value, block);
  };
  process("process.pid", [](const Process& p) { return Bits(p.pid); });
  process("process.name",
          [&](const Process& p) { return names->NumberOf(p.name); });
  process("process.parent", [](const Process& p) { return p.parent + 1; });
  const auto thread = [&](const char* name, auto value) {
    AddColumn(name, recording.threads, kPlain, value, block);
  };
  thread("thread.process", [](const ThreadRow& t) { return t.process; });
  thread("thread.tid", [](const ThreadRow& t) { return Bits(t.tid); });
  thread("thread.name",
         [&](const ThreadRow& t) { return names->NumberOf(t.name); });
}

void AddThreadTimes(const HtmlRecording& recording, uint64_t start,
                    ColumnBlock* block) {
  // Plus 1; 0: not known.
  const auto since_start = [&](uint64_t time) -> uint64_t {
    if (time == HtmlRecording::kNoTime) return 0;
    return std::max(time, start) - start + 1;
  };
  using ThreadRow = HtmlRecording::ThreadRow;
  AddColumn(
      "thread.start", recording.threads, kPlain,
      [&](const ThreadRow& t) { return since_start(t.start); }, block);
  AddColumn(
      "thread.end", recording.threads, kPlain,
      [&](const ThreadRow& t) { return since_start(t.end); }, block);
}

void AddStrings(const PageNames& names, ColumnBlock* block) {
  std::vector<uint64_t> bytes;
  for (const absl::string_view text : names.texts()) {
    for (const char c : text) bytes.push_back(static_cast<uint8_t>(c));
  }
  block->Add(PageColumn("string.bytes", bytes));
  AddColumn(
      "string.size", names.texts(), kPlain,
      [](absl::string_view text) { return text.size(); }, block);
}

}  // namespace perf2x
