// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/base/status_macros.h"
#include "converter/emit/tables/tables_emitter.h"

namespace perf2x {
namespace {

constexpr char kAll[] = "all";

}  // namespace

TableChoice::TableChoice(bool writes_path_numbers) {
  for (const TableInfo& table : AllTables()) {
    if (writes_path_numbers || !table.for_path_numbers) {
      tables_.push_back(&table);
    }
  }
  any_ = Names("|");
  options_ = {
      {"tables", "LIST",
       "tables to write into the folder; all has no branches, cachelines",
       kAll},
      {"table", any_.c_str(),
       writes_path_numbers
           ? "write only this table, to one file; csv has no frames, stacks"
           : "write only this table, to one file",
       ""},
  };
}

std::string TableChoice::Names(absl::string_view separator) const {
  return absl::StrJoin(tables_, separator, [](std::string* out, const auto* t) {
    out->append(t->name);
  });
}

absl::StatusOr<std::vector<const TableInfo*>> TableChoice::Selected(
    const Options& options) const {
  const std::string& one = options.at("table");
  const std::string& tables_given = options.at("tables");
  if (!one.empty() && tables_given != kAll) {
    return absl::InvalidArgumentError(
        "--table writes one table; leave out --tables");
  }
  const std::string& list = one.empty() ? tables_given : one;
  std::vector<const TableInfo*> wanted;
  // The output of a table that is named twice must not be opened twice.
  const auto want = [&wanted](const TableInfo* table) {
    if (std::find(wanted.begin(), wanted.end(), table) == wanted.end()) {
      wanted.push_back(table);
    }
  };
  for (absl::string_view name : absl::StrSplit(list, ',')) {
    if (one.empty() && name == kAll) {
      for (const TableInfo* table : tables_) {
        if (!table->on_request) want(table);
      }
      continue;
    }
    const auto it =
        std::find_if(tables_.begin(), tables_.end(),
                     [&](const TableInfo* t) { return t->name == name; });
    if (it == tables_.end() || (!one.empty() && name != one)) {
      return absl::InvalidArgumentError(
          absl::StrCat("no table is called \"", one.empty() ? name : one,
                       "\"; it is ", Names(", ")));
    }
    want(*it);
  }
  return wanted;
}

absl::StatusOr<std::vector<std::string>> TableChoice::Files(
    const Options& options, absl::string_view extension) const {
  ASSIGN_OR_RETURN(const auto wanted, Selected(options));
  std::vector<std::string> names;
  if (IsOneFile(options)) return names;
  for (const TableInfo* table : wanted) {
    names.push_back(absl::StrCat(table->name, extension));
  }
  return names;
}

absl::Status TableChoice::CheckMerge(const Options& options,
                                     absl::string_view format) {
  const std::string& table = options.at("table");
  return table == "results" || table == "stat"
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   absl::StrCat("several recordings in one ", format,
                                " make sense as --table results or --table "
                                "stat only"));
}

}  // namespace perf2x
