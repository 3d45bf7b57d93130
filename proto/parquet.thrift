// SPDX-License-Identifier: Apache-2.0
//
// The metadata of a Parquet file, as far as perf2x writes it: stated from the
// field numbers, names and types of the published format (Apache Parquet,
// parquet-format 2.10). Thrift's compact protocol is the encoding.
namespace cpp perf2x.parquet

enum Type {
  INT64 = 2,
  DOUBLE = 5,
  BYTE_ARRAY = 6
}

// The annotations that older readers know.
enum ConvertedType {
  UTF8 = 0,
  LIST = 3,
  UINT_64 = 14
}

enum FieldRepetitionType {
  REQUIRED = 0,
  OPTIONAL = 1,
  REPEATED = 2
}

enum Encoding {
  PLAIN = 0,
  RLE = 3,
  DELTA_BINARY_PACKED = 5,
  RLE_DICTIONARY = 8
}

enum CompressionCodec {
  UNCOMPRESSED = 0,
  ZSTD = 6
}

enum PageType {
  DATA_PAGE = 0,
  DICTIONARY_PAGE = 2
}

struct StringType {}
struct ListType {}
struct NanoSeconds {}

union TimeUnit {
  3: NanoSeconds NANOS
}

struct TimestampType {
  1: required bool isAdjustedToUTC
  2: required TimeUnit unit
}

struct IntType {
  1: required i8 bitWidth
  2: required bool isSigned
}

union LogicalType {
  1: StringType STRING
  3: ListType LIST
  8: TimestampType TIMESTAMP
  10: IntType INTEGER
}

struct SchemaElement {
  1: optional Type type
  3: optional FieldRepetitionType repetition_type
  4: required string name
  5: optional i32 num_children
  6: optional ConvertedType converted_type
  10: optional LogicalType logicalType
}

struct Statistics {
  3: optional i64 null_count
  5: optional binary max_value
  6: optional binary min_value
}

struct DataPageHeader {
  1: required i32 num_values
  2: required Encoding encoding
  3: required Encoding definition_level_encoding
  4: required Encoding repetition_level_encoding
}

struct DictionaryPageHeader {
  1: required i32 num_values
  2: required Encoding encoding
}

struct PageHeader {
  1: required PageType type
  2: required i32 uncompressed_page_size
  3: required i32 compressed_page_size
  5: optional DataPageHeader data_page_header
  7: optional DictionaryPageHeader dictionary_page_header
}

struct KeyValue {
  1: required string key
  2: optional string value
}

struct ColumnMetaData {
  1: required Type type
  2: required list<Encoding> encodings
  3: required list<string> path_in_schema
  4: required CompressionCodec codec
  5: required i64 num_values
  6: required i64 total_uncompressed_size
  7: required i64 total_compressed_size
  9: required i64 data_page_offset
  11: optional i64 dictionary_page_offset
  12: optional Statistics statistics
}

struct ColumnChunk {
  2: required i64 file_offset
  3: optional ColumnMetaData meta_data
}

struct RowGroup {
  1: required list<ColumnChunk> columns
  2: required i64 total_byte_size
  3: required i64 num_rows
}

struct TypeDefinedOrder {}

union ColumnOrder {
  1: TypeDefinedOrder TYPE_ORDER
}

struct FileMetaData {
  1: required i32 version
  2: required list<SchemaElement> schema
  3: required i64 num_rows
  4: required list<RowGroup> row_groups
  5: optional list<KeyValue> key_value_metadata
  6: optional string created_by
  7: optional list<ColumnOrder> column_orders
}
