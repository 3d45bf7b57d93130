// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/chunk_builder.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/out_of_memory.h"
#include "converter/base/text.h"
#include "converter/emit/parquet/thrift_bytes.h"

namespace perf2x {
namespace {

namespace pq = parquet;

constexpr int kZstdLevel = 1;
// Longer texts are no bounds in statistics, which readers keep in memory.
constexpr size_t kMaxBound = 256;

// Appends the indexes of `count` distinct values as a data page has them: the
// number of bits, and the hybrid encoding. Readers differ on a width of 0.
void AppendIndexes(absl::Span<const uint32_t> indexes, size_t count,
                   std::string* out) {
  const int width = std::max(1, BitWidthOf(count - 1));
  out->push_back(static_cast<char>(width));
  AppendHybrid(indexes, width, out);
}

// Sets the bounds of `numbers`, which are the bits of values of type T.
template <class T>
void SetRangeOf(absl::Span<const uint64_t> numbers, pq::Statistics* range) {
  T least = std::bit_cast<T>(numbers[0]), most = least;
  for (const uint64_t number : numbers) {
    const T value = std::bit_cast<T>(number);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::string low, high;
  AppendPlain({std::bit_cast<uint64_t>(least)}, &low);
  AppendPlain({std::bit_cast<uint64_t>(most)}, &high);
  range->__set_min_value(low);
  range->__set_max_value(high);
}

}  // namespace

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

EncodeBuffers::EncodeBuffers() : zstd_(ZSTD_createCCtx()) {
  if (zstd_ == nullptr) HandleOutOfMemory();
}

EncodeBuffers::~EncodeBuffers() { ZSTD_freeCCtx(zstd_); }

void EncodeBuffers::AppendPage(pq::PageHeader header, EncodedChunk* chunk) {
  const size_t bound = ZSTD_compressBound(page_.size());
  if (packed_.size() < bound) packed_.resize(bound);
  const size_t packed_size =
      ZSTD_compressCCtx(zstd_, packed_.data(), packed_.size(), page_.data(),
                        page_.size(), kZstdLevel);
  // There is room for all that it can make: only memory can be missing.
  if (ZSTD_isError(packed_size)) HandleOutOfMemory();
  header.__set_uncompressed_page_size(static_cast<int32_t>(page_.size()));
  header.__set_compressed_page_size(static_cast<int32_t>(packed_size));
  const size_t header_size = AppendThrift(header, &chunk->pages);
  chunk->pages.append(packed_, 0, packed_size);
  chunk->meta.total_uncompressed_size +=
      static_cast<int64_t>(header_size + page_.size());
}

void EncodeBuffers::AppendDictionaryPage(size_t count, EncodedChunk* chunk) {
  pq::DictionaryPageHeader of_page;
  of_page.__set_num_values(static_cast<int32_t>(count));
  of_page.__set_encoding(pq::Encoding::PLAIN);
  pq::PageHeader header;
  header.__set_type(pq::PageType::DICTIONARY_PAGE);
  header.__set_dictionary_page_header(of_page);
  chunk->meta.__set_dictionary_page_offset(0);
  AppendPage(header, chunk);
}

ChunkBuilder::ChunkBuilder(const Column& column)
    : name_(column.name), type_(StoredTypeOf(column.type)) {
  if (type_.physical == pq::Type::BYTE_ARRAY) {
    dictionary_ = std::make_unique<StringTable>();
  }
  if (column.type == Column::Type::kJson) {
    json_ = std::make_unique<FieldsText>();
  }
}

void ChunkBuilder::AddNulls(size_t count) {
  nulls_ += count;
  rows_ += count;
  definitions_.Add(0, count);
  if (type_.is_list) repetitions_.Add(0, count);
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
      return AddText(row, json_->TextOf(cell.fields()));
    case Cell::Kind::kSites:
      return AddSites(row, cell.sites());
  }
  return 0;
}

size_t ChunkBuilder::AddSites(size_t row, absl::Span<const uint32_t> sites) {
  if (sites.empty()) return 0;
  FillTo(row);
  ++rows_;
  definitions_.Add(1, sites.size());
  repetitions_.Add(0);
  if (sites.size() > 1) repetitions_.Add(1, sites.size() - 1);
  numbers_.insert(numbers_.end(), sites.begin(), sites.end());
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

StringId ChunkBuilder::Intern(absl::string_view text) {
  const size_t before = dictionary_->size();
  const StringId id = dictionary_->Intern(AsPlainText(text, &scratch_));
  constexpr size_t kOfEntry = 32;
  if (dictionary_->size() != before) {
    new_bytes_ += kOfEntry + (*dictionary_)[id].size();
  }
  return id;
}

EncodedChunk ChunkBuilder::Encode(size_t rows, EncodeBuffers* buffers) {
  FillTo(rows);
  EncodedChunk chunk;
  pq::ColumnMetaData& meta = chunk.meta;
  meta.__set_type(type_.physical);
  meta.__set_encodings({pq::Encoding::RLE});
  meta.__set_path_in_schema(
      type_.is_list ? std::vector<std::string>{name_, "list", "element"}
                    : std::vector<std::string>{name_});
  meta.__set_codec(pq::CompressionCodec::ZSTD);
  meta.__set_num_values(static_cast<int64_t>(definitions_.size()));
  pq::Statistics statistics;
  statistics.__set_null_count(static_cast<int64_t>(nulls_));
  if (dictionary_ != nullptr) {
    EncodeTexts(buffers, &chunk, &statistics);
    dictionary_ = std::make_unique<StringTable>();
    last_text_ = 0;
  } else {
    EncodeNumbers(buffers, &chunk, &statistics);
  }
  meta.__set_statistics(statistics);
  meta.__set_total_compressed_size(static_cast<int64_t>(chunk.pages.size()));
  rows_ = nulls_ = 0;
  definitions_.clear();
  repetitions_.clear();
  numbers_.clear();
  texts_.clear();
  ++group_;
  return chunk;
}

void ChunkBuilder::EncodeTexts(EncodeBuffers* buffers, EncodedChunk* chunk,
                               pq::Statistics* range) const {
  std::string& page = buffers->page_;
  const size_t count = dictionary_->size() - 1;
  if (count == 0) {
    BeginDataPage(&page);
    return AppendDataPage(pq::Encoding::PLAIN, buffers, chunk);
  }
  SetTextRange(range);
  page.clear();
  for (StringId id = 1; id <= count; ++id) {
    const absl::string_view text = (*dictionary_)[id];
    AppendUint32(static_cast<uint32_t>(text.size()), &page);
    page.append(text.data(), text.size());
  }
  buffers->AppendDictionaryPage(count, chunk);
  BeginDataPage(&page);
  AppendIndexes(texts_, count, &page);
  AppendDataPage(pq::Encoding::RLE_DICTIONARY, buffers, chunk);
}

void ChunkBuilder::EncodeNumbers(EncodeBuffers* buffers, EncodedChunk* chunk,
                                 pq::Statistics* range) const {
  std::string& page = buffers->page_;
  NumberDictionary& dictionary = buffers->dictionary_;
  if (dictionary.Build(numbers_)) {
    const std::vector<uint64_t>& distinct = dictionary.distinct();
    SetNumberRange(distinct, range);
    page.clear();
    AppendPlain(distinct, &page);
    buffers->AppendDictionaryPage(distinct.size(), chunk);
    BeginDataPage(&page);
    AppendIndexes(dictionary.indexes(), distinct.size(), &page);
    return AppendDataPage(pq::Encoding::RLE_DICTIONARY, buffers, chunk);
  }
  if (!numbers_.empty()) SetNumberRange(numbers_, range);
  BeginDataPage(&page);
  if (type_.ascends && !numbers_.empty()) {
    AppendDeltas(numbers_, &page);
    return AppendDataPage(pq::Encoding::DELTA_BINARY_PACKED, buffers, chunk);
  }
  AppendPlain(numbers_, &page);
  AppendDataPage(pq::Encoding::PLAIN, buffers, chunk);
}

void ChunkBuilder::BeginDataPage(std::string* page) const {
  page->clear();
  if (type_.is_list) repetitions_.AppendTo(page);
  definitions_.AppendTo(page);
}

void ChunkBuilder::AppendDataPage(pq::Encoding::type encoding,
                                  EncodeBuffers* buffers,
                                  EncodedChunk* chunk) const {
  pq::DataPageHeader of_page;
  of_page.__set_num_values(static_cast<int32_t>(definitions_.size()));
  of_page.__set_encoding(encoding);
  of_page.__set_definition_level_encoding(pq::Encoding::RLE);
  of_page.__set_repetition_level_encoding(pq::Encoding::RLE);
  pq::PageHeader header;
  header.__set_type(pq::PageType::DATA_PAGE);
  header.__set_data_page_header(of_page);
  chunk->meta.encodings.push_back(encoding);
  chunk->meta.__set_data_page_offset(static_cast<int64_t>(chunk->pages.size()));
  buffers->AppendPage(header, chunk);
}

void ChunkBuilder::SetNumberRange(absl::Span<const uint64_t> numbers,
                                  pq::Statistics* range) const {
  if (type_.physical == pq::Type::DOUBLE) {
    SetRangeOf<double>(numbers, range);
  } else if (type_.is_signed) {
    SetRangeOf<int64_t>(numbers, range);
  } else {
    SetRangeOf<uint64_t>(numbers, range);
  }
}

void ChunkBuilder::SetTextRange(pq::Statistics* range) const {
  absl::string_view least = (*dictionary_)[1], most = least;
  for (StringId id = 2; id < dictionary_->size(); ++id) {
    least = std::min(least, (*dictionary_)[id]);
    most = std::max(most, (*dictionary_)[id]);
  }
  if (std::max(least.size(), most.size()) > kMaxBound) return;
  range->__set_min_value(std::string(least));
  range->__set_max_value(std::string(most));
}

}  // namespace perf2x
