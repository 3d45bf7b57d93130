// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/chunk_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/text.h"

namespace perf2x {

namespace pq = parquet;

StoredType StoredTypeOf(Column::Type type) {
  using Type = Column::Type;
  switch (type) {
    case Type::kNumber:
    case Type::kPath:
      return {.ascends = true};
    case Type::kHex:
      return {};
    case Type::kTime:
      return {.ascends = true};
    case Type::kSigned:
      return {.is_signed = true};
    case Type::kWallTime:
      return {.is_signed = true, .ascends = true};
    case Type::kSites:
      return {.ascends = true, .is_list = true};
    case Type::kShare:
    case Type::kReal:
      return {.physical = pq::Type::DOUBLE};
    case Type::kText:
    case Type::kJson:
      return {.physical = pq::Type::BYTE_ARRAY};
  }
  return {};
}

ChunkBuilder::ChunkBuilder(const Column& column)
    : name_(column.name), type_(StoredTypeOf(column.type)) {
  if (column.type == Column::Type::kJson) {
    json_ = std::make_unique<JsonTexts>();
  }
  Begin();
}

// Adds the levels of the latest rows, which have values.
void ChunkBuilder::AddDefinitions() {
  if (rows_ > defined_) cells_.definitions.Add(1, rows_ - defined_);
  defined_ = rows_;
}

void ChunkBuilder::AddNulls(size_t count) {
  AddDefinitions();
  cells_.nulls += count;
  rows_ += count;
  defined_ = rows_;
  cells_.definitions.Add(0, count);
  if (type_.is_list) cells_.repetitions.Add(0, count);
}

// What Add does not: texts that are new to the row group, and rare cells.
size_t ChunkBuilder::AddOther(size_t row, const Cell& cell) {
  switch (cell.kind()) {
    case Cell::Kind::kAbsent:
      break;
    case Cell::Kind::kNumber:
    case Cell::Kind::kHex:
    case Cell::Kind::kPath:
      return AddText(row, absl::StrCat(cell.number()));
    case Cell::Kind::kSigned:
      return AddText(row, absl::StrCat(static_cast<int64_t>(cell.number())));
    case Cell::Kind::kShare:
    case Cell::Kind::kReal:
      if (std::isfinite(cell.real())) return AddNumber(row, cell.number());
      break;
    case Cell::Kind::kText:
      return AddTextOf(row, cell);
    case Cell::Kind::kJson:
      if (cell.fields().empty()) break;
      return AddJson(row, cell.fields());
    case Cell::Kind::kSites:
      return AddSites(row, cell.sites());
  }
  return 0;
}

size_t ChunkBuilder::AddSites(size_t row, absl::Span<const uint32_t> sites) {
  if (sites.empty()) return 0;
  FillTo(row);
  defined_ = ++rows_;
  cells_.definitions.Add(1, sites.size());
  cells_.repetitions.Add(0);
  if (sites.size() > 1) cells_.repetitions.Add(1, sites.size() - 1);
  cells_.numbers.insert(cells_.numbers.end(), sites.begin(), sites.end());
  return sites.size() * (sizeof(uint64_t) + 1);  // and a repetition level
}

size_t ChunkBuilder::AddTextOf(size_t row, const Cell& cell) {
  if (dictionary_ == nullptr) return 0;
  if (cell.key() == kNoId) return AddText(row, cell.text());
  if (cell.key() >= keys_.size()) {
    keys_.resize(std::max<size_t>(cell.key() + 1, 2 * keys_.size()));
  }
  const size_t bytes = AddText(row, cell.text());
  keys_[cell.key()] = {group_, last_text_};
  return bytes;
}

// Texts often repeat the one before.
size_t ChunkBuilder::AddText(size_t row, absl::string_view text) {
  if (last_text_ == 0 || (*dictionary_)[last_text_] != text) {
    last_text_ = Intern(text);
  }
  return AddStringId(row, last_text_) + std::exchange(new_bytes_, 0);
}

size_t ChunkBuilder::AddJson(size_t row, Fields fields) {
  StringId* const known = json_->Find(fields);
  if (known != nullptr && *known != 0) return AddStringId(row, *known);
  const size_t bytes = AddText(row, json_->TextOf(fields));
  if (known != nullptr) *known = last_text_;
  return bytes;
}

StringId ChunkBuilder::Intern(absl::string_view text) {
  const size_t before = dictionary_->size();
  const StringId id = dictionary_->Intern(AsPlainText(text, &scratch_));
  constexpr size_t kOfEntry = 32;
  if (dictionary_->size() != before) {
    new_bytes_ += kOfEntry + (*dictionary_)[id].size();
  }
  return id;
}

void ChunkBuilder::Take(size_t rows, ColumnCells* to) {
  FillTo(rows);
  AddDefinitions();
  cells_.dictionary = std::move(dictionary_);
  *to = std::exchange(cells_, std::exchange(spare_, ColumnCells()));
  // To grow takes twice the memory.
  cells_.numbers.reserve(to->numbers.size());
  cells_.texts.reserve(to->texts.size());
  Begin();
}

void ChunkBuilder::Recycle(ColumnCells cells) {
  cells.Clear();
  (rows_ == 0 ? cells_ : spare_) = std::move(cells);
}

// Begins a row group; cells_ is clear.
void ChunkBuilder::Begin() {
  cells_.type = type_;
  if (type_.physical == pq::Type::BYTE_ARRAY) {
    dictionary_ = std::make_shared<StringTable>();
  }
  if (json_ != nullptr) json_->Forget();
  last_text_ = 0;
  rows_ = defined_ = 0;
  ++group_;
}

std::vector<std::string> ChunkBuilder::path() const {
  return type_.is_list ? std::vector<std::string>{name_, "list", "element"}
                       : std::vector<std::string>{name_};
}

}  // namespace perf2x
