// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/chunk_builder.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "converter/base/out_of_memory.h"
#include "converter/base/text.h"
#include "converter/emit/parquet/number_dictionary.h"
#include "converter/emit/parquet/thrift_bytes.h"

namespace perf2x {
namespace {

namespace pq = parquet;

constexpr int kZstdLevel = 1;
// Longer texts are no bounds in statistics, which readers keep in memory.
constexpr size_t kMaxBound = 256;

void AppendPlain(uint64_t number, std::string* out) {
  char bytes[sizeof(number)];
  for (char& byte : bytes) {
    byte = static_cast<char>(number);
    number >>= 8;
  }
  out->append(bytes, sizeof(bytes));
}

// Appends a page: its header and its compressed bytes.
void AppendPage(pq::PageHeader header, absl::string_view bytes,
                EncodedChunk* chunk) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t packed_size = ZSTD_compress(
      packed.data(), packed.size(), bytes.data(), bytes.size(), kZstdLevel);
  // There is room for all that it can make: only memory can be missing.
  if (ZSTD_isError(packed_size)) HandleOutOfMemory();
  packed.resize(packed_size);
  header.__set_uncompressed_page_size(static_cast<int32_t>(bytes.size()));
  header.__set_compressed_page_size(static_cast<int32_t>(packed.size()));
  const size_t header_size = AppendThrift(header, &chunk->pages);
  chunk->pages.append(packed);
  chunk->meta.total_uncompressed_size +=
      static_cast<int64_t>(header_size + bytes.size());
}

// Appends a page with a dictionary of `count` values, which comes first.
void AppendDictionaryPage(size_t count, absl::string_view values,
                          EncodedChunk* chunk) {
  pq::DictionaryPageHeader of_page;
  of_page.__set_num_values(static_cast<int32_t>(count));
  of_page.__set_encoding(pq::Encoding::PLAIN);
  pq::PageHeader header;
  header.__set_type(pq::PageType::DICTIONARY_PAGE);
  header.__set_dictionary_page_header(of_page);
  chunk->meta.__set_dictionary_page_offset(0);
  AppendPage(header, values, chunk);
}

// Returns the indexes of `count` distinct values as a data page has them: the
// number of bits, and the hybrid encoding. Readers differ on a width of 0.
template <class Index>
std::string PackIndexes(const std::vector<Index>& indexes, size_t count) {
  const int width = std::max(1, BitWidthOf(count - 1));
  std::string out(1, static_cast<char>(width));
  HybridEncoder encoder(width, &out);
  for (const Index index : indexes) encoder.Put(index);
  encoder.Finish();
  return out;
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

ChunkBuilder::ChunkBuilder(const Column& column)
    : name_(column.name), type_(StoredTypeOf(column.type)) {
  if (type_.physical == pq::Type::BYTE_ARRAY) {
    dictionary_ = std::make_unique<StringTable>();
  }
  if (column.type == Column::Type::kJson) {
    json_ = std::make_unique<FieldsText>();
  }
}

size_t ChunkBuilder::AddPresent(const Cell& cell) {
  switch (cell.kind()) {
    case Cell::Kind::kAbsent:
      break;
    case Cell::Kind::kNumber:
    case Cell::Kind::kHex:
    case Cell::Kind::kPath:
      if (dictionary_ == nullptr) return AddNumber(cell.number());
      return AddText(absl::StrCat(cell.number()));
    case Cell::Kind::kSigned:
      if (dictionary_ == nullptr) return AddNumber(cell.number());
      return AddText(absl::StrCat(static_cast<int64_t>(cell.number())));
    case Cell::Kind::kShare:
    case Cell::Kind::kReal:
      if (std::isfinite(cell.real())) return AddNumber(cell.number());
      break;
    case Cell::Kind::kText:
      return AddTextOf(cell);
    case Cell::Kind::kJson:
      if (!cell.fields().empty()) return AddText(json_->TextOf(cell.fields()));
      break;
    case Cell::Kind::kSites:
      return AddSites(cell.sites());
  }
  return AddNull();
}

size_t ChunkBuilder::AddNumber(uint64_t number) {
  definitions_.Add(1);
  numbers_.push_back(number);
  return sizeof(number);
}

size_t ChunkBuilder::AddSites(absl::Span<const uint32_t> sites) {
  for (size_t i = 0; i < sites.size(); ++i) {
    definitions_.Add(1);
    repetitions_.Add(i == 0 ? 0 : 1);
    numbers_.push_back(sites[i]);
  }
  return sites.size() * sizeof(uint64_t);
}

size_t ChunkBuilder::AddTextOf(const Cell& cell) {
  if (dictionary_ == nullptr) return AddNull();
  if (cell.key() == kNoId) return AddText(cell.text());
  if (cell.key() >= keys_.size()) {
    keys_.resize(std::max<size_t>(cell.key() + 1, 2 * keys_.size()));
  }
  KnownKey& known = keys_[cell.key()];
  if (known.group != group_) known = {group_, Intern(cell.text())};
  return AddStringId(known.text);
}

size_t ChunkBuilder::AddText(absl::string_view text) {
  return AddStringId(Intern(text));
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

// The empty string is the first one of a StringTable.
size_t ChunkBuilder::AddStringId(StringId text) {
  const size_t bytes = sizeof(text) + std::exchange(new_bytes_, 0);
  if (text == 0) return bytes + AddNull();
  definitions_.Add(1);
  texts_.push_back(text - 1);
  return bytes;
}

EncodedChunk ChunkBuilder::Encode() {
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
    EncodeTexts(&chunk);
    SetTextRange(&statistics);
    dictionary_ = std::make_unique<StringTable>();
  } else {
    EncodeNumbers(&chunk);
    SetNumberRange(&statistics);
  }
  meta.__set_statistics(statistics);
  meta.__set_total_compressed_size(static_cast<int64_t>(chunk.pages.size()));
  nulls_ = 0;
  definitions_.clear();
  repetitions_.clear();
  numbers_.clear();
  texts_.clear();
  ++group_;
  return chunk;
}

void ChunkBuilder::EncodeTexts(EncodedChunk* chunk) const {
  const size_t count = dictionary_->size() - 1;
  if (count == 0) return AppendDataPage(pq::Encoding::PLAIN, "", chunk);
  std::string values;
  for (StringId id = 1; id <= count; ++id) {
    const absl::string_view text = (*dictionary_)[id];
    AppendUint32(static_cast<uint32_t>(text.size()), &values);
    values.append(text.data(), text.size());
  }
  AppendDictionaryPage(count, values, chunk);
  AppendDataPage(pq::Encoding::RLE_DICTIONARY, PackIndexes(texts_, count),
                 chunk);
}

void ChunkBuilder::EncodeNumbers(EncodedChunk* chunk) const {
  std::string values;
  if (const auto dictionary = NumberDictionary::Build(numbers_)) {
    for (const uint64_t number : dictionary->distinct) {
      AppendPlain(number, &values);
    }
    const size_t count = dictionary->distinct.size();
    AppendDictionaryPage(count, values, chunk);
    return AppendDataPage(pq::Encoding::RLE_DICTIONARY,
                          PackIndexes(dictionary->indexes, count), chunk);
  }
  if (type_.ascends && !numbers_.empty()) {
    AppendDeltas(numbers_, &values);
    return AppendDataPage(pq::Encoding::DELTA_BINARY_PACKED, values, chunk);
  }
  values.reserve(numbers_.size() * sizeof(uint64_t));
  for (const uint64_t number : numbers_) AppendPlain(number, &values);
  AppendDataPage(pq::Encoding::PLAIN, values, chunk);
}

void ChunkBuilder::AppendDataPage(pq::Encoding::type encoding,
                                  absl::string_view values,
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
  std::string bytes;
  if (type_.is_list) repetitions_.AppendTo(&bytes, 1);
  definitions_.AppendTo(&bytes, 1);
  bytes.append(values.data(), values.size());
  AppendPage(header, bytes, chunk);
}

void ChunkBuilder::SetNumberRange(pq::Statistics* statistics) const {
  if (numbers_.empty()) return;
  const auto less = [this](uint64_t a, uint64_t b) {
    if (type_.physical == pq::Type::DOUBLE) {
      return std::bit_cast<double>(a) < std::bit_cast<double>(b);
    }
    return type_.is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b)
                           : a < b;
  };
  const auto [least, most] =
      std::minmax_element(numbers_.begin(), numbers_.end(), less);
  std::string low, high;
  AppendPlain(*least, &low);
  AppendPlain(*most, &high);
  statistics->__set_min_value(low);
  statistics->__set_max_value(high);
}

void ChunkBuilder::SetTextRange(pq::Statistics* statistics) const {
  if (dictionary_->size() == 1) return;
  absl::string_view least = (*dictionary_)[1], most = least;
  for (StringId id = 2; id < dictionary_->size(); ++id) {
    least = std::min(least, (*dictionary_)[id]);
    most = std::max(most, (*dictionary_)[id]);
  }
  if (std::max(least.size(), most.size()) > kMaxBound) return;
  statistics->__set_min_value(std::string(least));
  statistics->__set_max_value(std::string(most));
}

}  // namespace perf2x
