// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/chunk_encoder.h"

#include <zstd.h>

#include <algorithm>
#include <bit>

#include "absl/strings/string_view.h"
#include "converter/base/out_of_memory.h"
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

void SetNumberRange(const StoredType& type, absl::Span<const uint64_t> numbers,
                    pq::Statistics* range) {
  if (type.physical == pq::Type::DOUBLE) {
    SetRangeOf<double>(numbers, range);
  } else if (type.is_signed) {
    SetRangeOf<int64_t>(numbers, range);
  } else {
    SetRangeOf<uint64_t>(numbers, range);
  }
}

void SetTextRange(const StringTable& dictionary, pq::Statistics* range) {
  absl::string_view least = dictionary[1], most = least;
  for (StringId id = 2; id < dictionary.size(); ++id) {
    least = std::min(least, dictionary[id]);
    most = std::max(most, dictionary[id]);
  }
  if (std::max(least.size(), most.size()) > kMaxBound) return;
  range->__set_min_value(std::string(least));
  range->__set_max_value(std::string(most));
}

}  // namespace

void ColumnCells::Clear() {
  nulls = 0;
  definitions.clear();
  repetitions.clear();
  numbers.clear();
  texts.clear();
  dictionary = nullptr;
}

ChunkEncoder::ChunkEncoder() : zstd_(ZSTD_createCCtx()) {
  if (zstd_ == nullptr) HandleOutOfMemory();
}

ChunkEncoder::~ChunkEncoder() { ZSTD_freeCCtx(zstd_); }

EncodedChunk ChunkEncoder::Encode(const ColumnCells& cells) {
  EncodedChunk chunk;
  pq::ColumnMetaData& meta = chunk.meta;
  meta.__set_type(cells.type.physical);
  meta.__set_encodings({pq::Encoding::RLE});
  meta.__set_codec(pq::CompressionCodec::ZSTD);
  meta.__set_num_values(static_cast<int64_t>(cells.definitions.size()));
  pq::Statistics statistics;
  statistics.__set_null_count(static_cast<int64_t>(cells.nulls));
  if (cells.dictionary != nullptr) {
    EncodeTexts(cells, &chunk, &statistics);
  } else {
    EncodeNumbers(cells, &chunk, &statistics);
  }
  meta.__set_statistics(statistics);
  meta.__set_total_compressed_size(static_cast<int64_t>(chunk.pages.size()));
  return chunk;
}

void ChunkEncoder::EncodeTexts(const ColumnCells& cells, EncodedChunk* chunk,
                               pq::Statistics* range) {
  const StringTable& texts = *cells.dictionary;
  const size_t count = texts.size() - 1;
  if (count == 0) {
    BeginDataPage(cells);
    return AppendDataPage(cells, pq::Encoding::PLAIN, chunk);
  }
  SetTextRange(texts, range);
  page_.clear();
  for (StringId id = 1; id <= count; ++id) {
    const absl::string_view text = texts[id];
    AppendUint32(static_cast<uint32_t>(text.size()), &page_);
    page_.append(text.data(), text.size());
  }
  AppendDictionaryPage(count, chunk);
  BeginDataPage(cells);
  AppendIndexes(cells.texts, count, &page_);
  AppendDataPage(cells, pq::Encoding::RLE_DICTIONARY, chunk);
}

void ChunkEncoder::EncodeNumbers(const ColumnCells& cells, EncodedChunk* chunk,
                                 pq::Statistics* range) {
  const std::vector<uint64_t>& numbers = cells.numbers;
  if (dictionary_.Build(numbers)) {
    const std::vector<uint64_t>& distinct = dictionary_.distinct();
    SetNumberRange(cells.type, distinct, range);
    page_.clear();
    AppendPlain(distinct, &page_);
    AppendDictionaryPage(distinct.size(), chunk);
    BeginDataPage(cells);
    AppendIndexes(dictionary_.indexes(), distinct.size(), &page_);
    return AppendDataPage(cells, pq::Encoding::RLE_DICTIONARY, chunk);
  }
  if (!numbers.empty()) SetNumberRange(cells.type, numbers, range);
  BeginDataPage(cells);
  if (cells.type.ascends && !numbers.empty()) {
    AppendDeltas(numbers, &page_);
    return AppendDataPage(cells, pq::Encoding::DELTA_BINARY_PACKED, chunk);
  }
  AppendPlain(numbers, &page_);
  AppendDataPage(cells, pq::Encoding::PLAIN, chunk);
}

void ChunkEncoder::BeginDataPage(const ColumnCells& cells) {
  page_.clear();
  if (cells.type.is_list) cells.repetitions.AppendTo(&page_);
  cells.definitions.AppendTo(&page_);
}

void ChunkEncoder::AppendDataPage(const ColumnCells& cells,
                                  pq::Encoding::type encoding,
                                  EncodedChunk* chunk) {
  pq::DataPageHeader of_page;
  of_page.__set_num_values(static_cast<int32_t>(cells.definitions.size()));
  of_page.__set_encoding(encoding);
  of_page.__set_definition_level_encoding(pq::Encoding::RLE);
  of_page.__set_repetition_level_encoding(pq::Encoding::RLE);
  pq::PageHeader header;
  header.__set_type(pq::PageType::DATA_PAGE);
  header.__set_data_page_header(of_page);
  chunk->meta.encodings.push_back(encoding);
  chunk->meta.__set_data_page_offset(static_cast<int64_t>(chunk->pages.size()));
  AppendPage(header, chunk);
}

void ChunkEncoder::AppendPage(pq::PageHeader header, EncodedChunk* chunk) {
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

void ChunkEncoder::AppendDictionaryPage(size_t count, EncodedChunk* chunk) {
  pq::DictionaryPageHeader of_page;
  of_page.__set_num_values(static_cast<int32_t>(count));
  of_page.__set_encoding(pq::Encoding::PLAIN);
  pq::PageHeader header;
  header.__set_type(pq::PageType::DICTIONARY_PAGE);
  header.__set_dictionary_page_header(of_page);
  chunk->meta.__set_dictionary_page_offset(0);
  AppendPage(header, chunk);
}

}  // namespace perf2x
