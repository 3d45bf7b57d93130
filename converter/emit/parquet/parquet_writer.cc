// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/parquet_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/emit/parquet/thrift_bytes.h"

namespace perf2x {
namespace {

namespace pq = parquet;

constexpr absl::string_view kParquetMagic = "PAR1";
// Bytes of memory for the metadata of a column chunk, and for a column.
constexpr size_t kOfChunk = 700, kOfColumn = 600;
// Rows after which the memory is accounted for.
constexpr size_t kAccountAt = 1024;
// Cells, empty ones included, and bytes that are encoded in about a step of
// work.
constexpr size_t kCellsOfStep = 3, kBytesOfStep = 16;

pq::LogicalType IntegerType(bool is_signed) {
  pq::IntType integer;
  integer.__set_bitWidth(64);
  integer.__set_isSigned(is_signed);
  pq::LogicalType type;
  type.__set_INTEGER(integer);
  return type;
}

// In UTC, but not marked so: DuckDB has no nanoseconds for times that are.
pq::LogicalType WallTimeType() {
  pq::TimeUnit unit;
  unit.__set_NANOS({});
  pq::TimestampType time;
  time.__set_isAdjustedToUTC(false);
  time.__set_unit(unit);
  pq::LogicalType type;
  type.__set_TIMESTAMP(time);
  return type;
}

pq::SchemaElement GroupElement(absl::string_view name, int32_t children,
                               pq::FieldRepetitionType::type repetition) {
  pq::SchemaElement element;
  element.__set_name(std::string(name));
  element.__set_num_children(children);
  element.__set_repetition_type(repetition);
  return element;
}

// Sets what the numbers or bytes of a column mean.
void SetMeaning(Column::Type type, pq::SchemaElement* element) {
  const StoredType stored = StoredTypeOf(type);
  element->__set_type(stored.physical);
  pq::LogicalType logical;
  if (type == Column::Type::kWallTime) {
    element->__set_logicalType(WallTimeType());
  } else if (stored.physical == pq::Type::BYTE_ARRAY) {
    logical.__set_STRING({});
    element->__set_converted_type(pq::ConvertedType::UTF8);
    element->__set_logicalType(logical);
  } else if (stored.physical == pq::Type::INT64 && !stored.is_signed) {
    element->__set_converted_type(pq::ConvertedType::UINT_64);
    element->__set_logicalType(IntegerType(false));
  }
}

void AddToSchema(const Column& column, std::vector<pq::SchemaElement>* schema) {
  pq::SchemaElement element;
  SetMeaning(column.type, &element);
  if (!StoredTypeOf(column.type).is_list) {
    element.__set_name(std::string(column.name));
    element.__set_repetition_type(pq::FieldRepetitionType::OPTIONAL);
    schema->push_back(std::move(element));
    return;
  }
  pq::LogicalType list;
  list.__set_LIST({});
  schema->push_back(
      GroupElement(column.name, 1, pq::FieldRepetitionType::REQUIRED));
  schema->back().__set_converted_type(pq::ConvertedType::LIST);
  schema->back().__set_logicalType(list);
  schema->push_back(GroupElement("list", 1, pq::FieldRepetitionType::REPEATED));
  element.__set_name("element");
  element.__set_repetition_type(pq::FieldRepetitionType::REQUIRED);
  schema->push_back(std::move(element));
}

void AddKeyValue(const std::string& key, const std::string& value,
                 pq::FileMetaData* meta) {
  pq::KeyValue pair;
  pair.__set_key(key);
  pair.__set_value(PlainText(value));
  meta->key_value_metadata.push_back(std::move(pair));
}

}  // namespace

ParquetWriter::ParquetWriter(std::unique_ptr<Output> out, ChunkQueue& queue,
                             Budget& budget, const Facts& facts)
    : out_(std::move(out)), queue_(queue), budget_(budget), memory_(budget) {
  meta_.__set_version(2);
  meta_.__set_created_by("perf2x " PERF2X_VERSION);
  meta_.__isset.key_value_metadata = true;
  for (const auto& [key, value] : facts) AddKeyValue(key, value, &meta_);
}

void ParquetWriter::SetColumns(absl::Span<const Column> columns) {
  meta_.schema.push_back(GroupElement("schema",
                                      static_cast<int32_t>(columns.size()),
                                      pq::FieldRepetitionType::REQUIRED));
  meta_.schema.back().__isset.repetition_type = false;
  meta_.__isset.column_orders = true;
  columns_.reserve(columns.size());
  for (Column column : columns) {
    const std::string name = PlainText(column.name);  // as cells are
    column.name = name;
    AddToSchema(column, &meta_.schema);
    columns_.emplace_back(column);
    meta_.column_orders.emplace_back().__set_TYPE_ORDER({});
    if (*column.unit != '\0') {
      AddKeyValue(absl::StrCat("unit of ", column.name), column.unit, &meta_);
    }
  }
  Account();
}

absl::Status ParquetWriter::AddRow(absl::Span<const Cell> cells) {
  const size_t row = rows_;
  size_t bytes = cells.size();
  // Most cells of a wide table are absent.
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].kind() == Cell::Kind::kAbsent) continue;
    bytes += columns_[i].Add(row, cells[i]);
  }
  bytes_ += bytes;
  ++rows_;
  if (rows_ % kAccountAt == 0) Account();
  return rows_ == kMaxRows || bytes_ >= kMaxBytes ? WriteRowGroup()
                                                  : absl::OkStatus();
}

absl::Status ParquetWriter::WriteRowGroup() {
  Account();
  budget_.Spend(Budget::kWork,
                rows_ * columns_.size() / kCellsOfStep + bytes_ / kBytesOfStep);
  meta_.row_groups.emplace_back().__set_num_rows(static_cast<int64_t>(rows_));
  meta_.num_rows += static_cast<int64_t>(rows_);
  chunks_ += columns_.size();
  pending_bytes_ = bytes_;
  const size_t rows = std::exchange(rows_, 0);
  bytes_ = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    ColumnCells cells;
    columns_[i].Take(rows, &cells);
    RETURN_IF_ERROR(queue_.Push(*this, i, std::move(cells)));
  }
  Account();
  return absl::OkStatus();
}

absl::Status ParquetWriter::OnChunk(size_t column, EncodedChunk chunk,
                                    ColumnCells cells) {
  if (written_ == 0) RETURN_IF_ERROR(Write(kParquetMagic));
  pq::ColumnMetaData& meta = chunk.meta;
  meta.__set_path_in_schema(columns_[column].path());
  meta.data_page_offset += written_;
  meta.dictionary_page_offset += written_;
  pq::RowGroup& group = meta_.row_groups[received_++ / columns_.size()];
  group.total_byte_size += meta.total_uncompressed_size;
  pq::ColumnChunk& placed = group.columns.emplace_back();
  placed.__set_file_offset(0);
  placed.__set_meta_data(meta);
  columns_[column].Recycle(std::move(cells));
  return Write(chunk.pages);
}

absl::Status ParquetWriter::Close() {
  if (rows_ > 0) RETURN_IF_ERROR(WriteRowGroup());
  RETURN_IF_ERROR(queue_.Finish());
  columns_.clear();  // other tables make their last rows after this
  if (written_ == 0) RETURN_IF_ERROR(Write(kParquetMagic));
  std::string end;
  AppendUint32(static_cast<uint32_t>(AppendThrift(meta_, &end)), &end);
  end.append(kParquetMagic.data(), kParquetMagic.size());
  RETURN_IF_ERROR(Write(end));
  return out_->Close();
}

absl::Status ParquetWriter::Write(absl::string_view bytes) {
  written_ += static_cast<int64_t>(bytes.size());
  return out_->Write(bytes);
}

void ParquetWriter::Account() {
  memory_.Set(bytes_ + pending_bytes_ + columns_.size() * kOfColumn +
              chunks_ * kOfChunk);
}

}  // namespace perf2x
