// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_COLUMNS_H_
#define PERF2X_EMIT_HTML_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/output.h"

namespace perf2x {

// How the values of a column are stored: as they are, or as differences from
// the previous value, modulo 2^(8 * width).
enum class ColumnCode { kPlain, kDelta };

// A column of numbers, stored as planes of bytes: the lowest byte of each
// value, then the next byte of each value, and so on. Planes of equal bytes
// compress well.
class PageColumn {
 public:
  // `name` is the key in the block's header. Values of a delta column must be
  // less than 2^32.
  PageColumn(std::string name, absl::Span<const uint64_t> values,
             ColumnCode code = ColumnCode::kPlain);

  const std::string& name() const { return name_; }
  ColumnCode code() const { return code_; }
  uint64_t count() const { return count_; }  // number of values
  int width() const { return width_; }       // bytes of a value, 0 to 8
  // Returns width() planes, each of count() bytes.
  const std::string& planes() const { return planes_; }
  // Estimates the compressed size of the planes in bytes, by the entropy of
  // their bytes. Ignores repetitions.
  uint64_t EstimatedCompressedSize() const;

 private:
  std::string name_;
  ColumnCode code_;
  uint64_t count_;
  int width_ = 0;
  std::string planes_;
};

// A block of a page, see docs/html.md: a JSON header and columns.
class ColumnBlock {
 public:
  // Sets the header's member "meta", a JSON value; {} by default.
  void set_meta(std::string meta) { meta_ = std::move(meta); }
  // Appends a column. Names of columns must be distinct.
  void Add(PageColumn column) { columns_.push_back(std::move(column)); }
  // Estimates the compressed size of the columns, plus the uncompressed size of
  // "meta", in bytes.
  uint64_t EstimatedCompressedSize() const;
  // Returns the size of the columns in bytes, uncompressed, without the header.
  uint64_t size() const;
  // Writes the header and the columns. Returns the errors of `out`; does not
  // close it.
  absl::Status WriteTo(Output& out) const;

 private:
  std::string meta_ = "{}";
  std::vector<PageColumn> columns_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_COLUMNS_H_
