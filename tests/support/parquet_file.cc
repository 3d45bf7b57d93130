// SPDX-License-Identifier: Apache-2.0
#include "tests/support/parquet_file.h"

#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/byte_order.h"

namespace perf2x {
namespace {

namespace pq = parquet;

void Require(bool good, absl::string_view problem) {
  if (!good) throw std::runtime_error(std::string(problem));
}

// Parses a struct at the start of `bytes`. Returns its size.
template <class Struct>
size_t ParseThrift(absl::string_view bytes, Struct* to) {
  using apache::thrift::protocol::TCompactProtocolT;
  using apache::thrift::transport::TMemoryBuffer;
  const auto buffer = std::make_shared<TMemoryBuffer>(
      reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data())),
      static_cast<uint32_t>(bytes.size()));
  TCompactProtocolT<TMemoryBuffer> protocol(buffer);
  return to->read(&protocol);
}

class Reader {
 public:
  explicit Reader(absl::string_view bytes) : bytes_(bytes) {}
  size_t left() const { return bytes_.size(); }
  absl::string_view Take(size_t size) {
    Require(size <= bytes_.size(), "a page ends early");
    const absl::string_view out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }
  template <class T>
  T Take() {
    std::string bytes(Take(sizeof(T)));
    if (kHostOrder == ByteOrder::kBig) std::reverse(bytes.begin(), bytes.end());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = Take<uint8_t>();
      Require(shift < 64, "a varint is too long");
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  uint64_t ZigZag() {
    const uint64_t value = Varint();
    return value >> 1 ^ (0 - (value & 1));
  }
  std::vector<uint64_t> Bits(size_t count, int width) {
    const absl::string_view packed = Take((count * width + 7) / 8);
    std::vector<uint64_t> out(count);
    for (size_t bit = 0; bit < count * width; ++bit) {
      const uint64_t one = packed[bit / 8] >> (bit % 8) & 1;
      out[bit / width] |= one << (bit % width);
    }
    return out;
  }

 private:
  absl::string_view bytes_;
};

std::vector<uint64_t> ReadHybrid(Reader in, int width, size_t count) {
  std::vector<uint64_t> out;
  while (out.size() < count) {
    const uint64_t header = in.Varint();
    if ((header & 1) != 0) {
      const auto some = in.Bits((header >> 1) * 8, width);
      out.insert(out.end(), some.begin(), some.end());
      continue;
    }
    uint64_t value = 0;
    for (int bit = 0; bit < width; bit += 8) {
      value |= uint64_t{in.Take<uint8_t>()} << bit;
    }
    Require(header >> 1 <= count - out.size(), "a run is too long");
    out.insert(out.end(), header >> 1, value);
  }
  Require(out.size() < count + 8 && in.left() == 0, "bytes follow a run");
  out.resize(count);
  return out;
}

std::vector<uint64_t> ReadDeltas(Reader in, size_t count) {
  const uint64_t block = in.Varint(), miniblocks = in.Varint();
  Require(block == 128 && miniblocks == 4, "other blocks of differences");
  Require(in.Varint() == count, "another number of differences");
  std::vector<uint64_t> out(1, in.ZigZag());
  while (out.size() < count) {
    const uint64_t least = in.ZigZag();
    const absl::string_view widths = in.Take(miniblocks);
    for (const char width : widths) {
      if (out.size() >= count) break;
      for (const uint64_t delta : in.Bits(block / miniblocks, width)) {
        out.push_back(out.back() + least + delta);
      }
    }
  }
  Require(in.left() == 0, "bytes follow the differences");
  out.resize(count);
  return out;
}

// What a column's values mean, from the schema.
struct Meaning {
  pq::Type::type type;
  bool is_unsigned, is_list;
  std::string name;
};

std::string ShowNumber(const Meaning& meaning, uint64_t number) {
  if (meaning.type == pq::Type::DOUBLE) {
    return absl::StrCat(std::bit_cast<double>(number));
  }
  return meaning.is_unsigned ? absl::StrCat(number)
                             : absl::StrCat(static_cast<int64_t>(number));
}

std::vector<std::string> ReadPlain(Reader in, const Meaning& meaning,
                                   size_t count) {
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) {
    if (meaning.type == pq::Type::BYTE_ARRAY) {
      out.emplace_back(in.Take(in.Take<uint32_t>()));
    } else {
      out.push_back(ShowNumber(meaning, in.Take<uint64_t>()));
    }
  }
  Require(in.left() == 0, "bytes follow the values");
  return out;
}

class ChunkReader {
 public:
  ChunkReader(absl::string_view file, const pq::ColumnMetaData& meta,
              const Meaning& meaning)
      : file_(file), meta_(meta), meaning_(meaning) {}

  ParquetChunk Read() {
    chunk_.column = meaning_.name;
    auto at = static_cast<size_t>(meta_.data_page_offset);
    size_t size = 0;
    pq::PageHeader header;
    if (meta_.__isset.dictionary_page_offset) {
      Require(meta_.dictionary_page_offset < meta_.data_page_offset,
              "a dictionary after its data");
      at = static_cast<size_t>(meta_.dictionary_page_offset);
      const std::string page = ReadPage(at, &size, &header);
      Require(at + size == static_cast<size_t>(meta_.data_page_offset),
              "bytes between pages");
      dictionary_ = ReadPlain(
          Reader(page), meaning_,
          static_cast<size_t>(header.dictionary_page_header.num_values));
      at += size;
    }
    const size_t dictionary_size = size;
    header = pq::PageHeader();
    const std::string page = ReadPage(at, &size, &header);
    Require(dictionary_size + size ==
                static_cast<size_t>(meta_.total_compressed_size),
            "another size of a chunk");
    ReadDataPage(page, header.data_page_header);
    CheckStatistics();
    return std::move(chunk_);
  }

 private:
  std::string ReadPage(size_t at, size_t* size, pq::PageHeader* header) {
    Require(at < file_.size(), "a page beyond the file");
    const size_t before = ParseThrift(file_.substr(at), header);
    const auto packed = static_cast<size_t>(header->compressed_page_size);
    Require(packed <= file_.size() - at - before, "a page beyond the file");
    std::string page(static_cast<size_t>(header->uncompressed_page_size), '\0');
    const size_t got = ZSTD_decompress(page.data(), page.size(),
                                       file_.data() + at + before, packed);
    Require(got == page.size(), "a page of another size");
    *size = before + packed;
    return page;
  }

  void ReadDataPage(absl::string_view page, const pq::DataPageHeader& header) {
    const auto count = static_cast<size_t>(header.num_values);
    Require(header.num_values == meta_.num_values, "another number of values");
    Reader in(page);
    std::vector<uint64_t> starts(count, 0);
    if (meaning_.is_list) {
      starts = ReadHybrid(Reader(in.Take(in.Take<uint32_t>())), 1, count);
    }
    const auto present =
        ReadHybrid(Reader(in.Take(in.Take<uint32_t>())), 1, count);
    const auto values =
        static_cast<size_t>(std::count(present.begin(), present.end(), 1u));
    nulls_ = count - values;
    ReadValues(Reader(in.Take(in.left())), header.encoding, values);
    size_t value = 0;
    for (size_t i = 0; i < count; ++i) {
      const std::string cell = present[i] != 0 ? values_[value++] : "-";
      if (!meaning_.is_list || starts[i] == 0) {
        chunk_.cells.push_back(cell);
      } else {
        Require(!chunk_.cells.empty(), "a list does not begin");
        absl::StrAppend(&chunk_.cells.back(), " ", cell);
      }
    }
  }

  void ReadValues(Reader in, pq::Encoding::type encoding, size_t count) {
    chunk_.encodings.push_back(to_string(encoding));
    switch (encoding) {
      case pq::Encoding::PLAIN:
        values_ = ReadPlain(in, meaning_, count);
        return;
      case pq::Encoding::DELTA_BINARY_PACKED:
        for (const uint64_t number : ReadDeltas(in, count)) {
          values_.push_back(ShowNumber(meaning_, number));
        }
        return;
      case pq::Encoding::RLE_DICTIONARY: {
        const auto width = in.Take<uint8_t>();
        for (const uint64_t i : ReadHybrid(in, width, count)) {
          Require(i < dictionary_.size(), "an index beyond the dictionary");
          values_.push_back(dictionary_[i]);
        }
        return;
      }
      default:
        Require(false, "an encoding that is not written");
    }
  }

  std::string ShowBound(const std::string& bound) const {
    return ReadPlain(Reader(bound), meaning_, 1)[0];
  }

  void CheckStatistics() {
    const pq::Statistics& statistics = meta_.statistics;
    Require(statistics.null_count == static_cast<int64_t>(nulls_),
            "another number of nulls");
    if (!statistics.__isset.min_value) return;
    const bool is_text = meaning_.type == pq::Type::BYTE_ARRAY;
    chunk_.least =
        is_text ? statistics.min_value : ShowBound(statistics.min_value);
    chunk_.most =
        is_text ? statistics.max_value : ShowBound(statistics.max_value);
    bool has_least = false, has_most = false;
    for (const std::string& value : values_) {
      has_least |= value == chunk_.least;
      has_most |= value == chunk_.most;
      Require(!is_text || (chunk_.least <= value && value <= chunk_.most),
              "a value beyond its bounds");
    }
    Require(has_least && has_most, "bounds that are no values");
  }

  const absl::string_view file_;
  const pq::ColumnMetaData& meta_;
  const Meaning& meaning_;
  std::vector<std::string> dictionary_, values_;
  size_t nulls_ = 0;
  ParquetChunk chunk_;
};

std::vector<Meaning> MeaningsOf(const pq::FileMetaData& meta) {
  std::vector<Meaning> out;
  const auto& schema = meta.schema;
  for (size_t i = 1; i < schema.size(); ++i) {
    const bool is_list = schema[i].__isset.num_children;
    const std::string name = schema[i].name;
    if (is_list) i += 2;
    Require(i < schema.size(), "a list without elements");
    out.push_back({schema[i].type,
                   schema[i].__isset.converted_type &&
                       schema[i].converted_type == pq::ConvertedType::UINT_64,
                   is_list, name});
  }
  Require(static_cast<size_t>(schema[0].num_children) == out.size(),
          "another number of columns");
  return out;
}

// Without `keeps`, no cells are kept: a small file may have millions of rows.
void Parse(absl::string_view bytes, bool keeps, ParquetFile* file) {
  constexpr absl::string_view kMagic = "PAR1";
  Require(bytes.size() >= 12 && bytes.substr(0, 4) == kMagic &&
              bytes.substr(bytes.size() - 4) == kMagic,
          "no Parquet file");
  const auto size = Reader(bytes.substr(bytes.size() - 8)).Take<uint32_t>();
  Require(size <= bytes.size() - 12, "metadata beyond the file");
  const absl::string_view footer = bytes.substr(bytes.size() - 8 - size, size);
  Require(ParseThrift(footer, &file->meta) == size, "bytes after the metadata");
  const std::vector<Meaning> columns = MeaningsOf(file->meta);
  int64_t rows = 0;
  for (const pq::RowGroup& group : file->meta.row_groups) {
    Require(group.columns.size() == columns.size(), "another number of chunks");
    std::vector<ParquetChunk> chunks;
    for (size_t i = 0; i < columns.size(); ++i) {
      ParquetChunk chunk =
          ChunkReader(bytes, group.columns[i].meta_data, columns[i]).Read();
      Require(static_cast<int64_t>(chunk.cells.size()) == group.num_rows,
              "another number of cells");
      if (keeps) chunks.push_back(std::move(chunk));
    }
    if (keeps) file->groups.push_back(std::move(chunks));
    rows += group.num_rows;
  }
  Require(rows == file->meta.num_rows, "another number of rows");
}

ParquetFile Read(absl::string_view bytes, bool keeps) {
  ParquetFile file;
  try {
    Parse(bytes, keeps, &file);
  } catch (const std::exception& error) {
    file.problem = error.what();
  }
  return file;
}

}  // namespace

ParquetFile ReadParquet(absl::string_view bytes) {
  return Read(bytes, /*keeps=*/true);
}

std::string DumpParquet(absl::string_view bytes) {
  const ParquetFile file = ReadParquet(bytes);
  if (!file.problem.empty()) return file.problem;
  std::string out;
  for (const pq::SchemaElement& element : file.meta.schema) {
    std::ostringstream text;
    text << element;
    static const std::regex kAbsent("(, )?\\w+=<null>");
    // Thrift before 0.21 prints a number of 8 bits as the character.
    static const std::regex kBits64("bitWidth=@");
    absl::StrAppend(
        &out,
        std::regex_replace(std::regex_replace(text.str(), kAbsent, ""), kBits64,
                           "bitWidth=64"),
        "\n");
  }
  for (const pq::KeyValue& pair : file.meta.key_value_metadata) {
    absl::StrAppend(&out, pair.key, ": ", pair.value, "\n");
  }
  for (const auto& group : file.groups) {
    absl::StrAppend(&out, "row group\n");
    for (const ParquetChunk& chunk : group) {
      absl::StrAppend(&out, "  ", chunk.column, " ",
                      absl::StrJoin(chunk.encodings, ","), " [", chunk.least,
                      ", ", chunk.most,
                      "]: ", absl::StrJoin(chunk.cells, " | "), "\n");
    }
  }
  return out;
}

std::string CheckParquet(absl::string_view bytes, uint64_t* rows) {
  const ParquetFile file = Read(bytes, /*keeps=*/false);
  *rows = static_cast<uint64_t>(file.meta.num_rows);
  return file.problem;
}

}  // namespace perf2x
