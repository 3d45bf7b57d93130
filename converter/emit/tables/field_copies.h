// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_FIELD_COPIES_H_
#define PERF2X_EMIT_TABLES_FIELD_COPIES_H_

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Copies of fields and texts, one after another. Charges no budget. Not
// thread-safe.
class FieldCopies {
 public:
  // Adds copies of `fields`, with a copy of names if `names` is set.
  void Add(Fields fields, bool names);
  // Returns a copy of `text`, which is valid until Clear.
  absl::string_view Copy(absl::string_view text);
  // Returns all copies in the order of Add. Valid until Add or Clear.
  Fields fields() const { return fields_; }
  // Returns the size of fields and texts.
  size_t bytes() const { return bytes_; }
  void Clear();

 private:
  std::vector<Field> fields_;
  // Of most batches, all texts are in the buffer.
  std::vector<char> text_buffer_ = std::vector<char>(64 << 10);
  std::pmr::monotonic_buffer_resource texts_{text_buffer_.data(),
                                             text_buffer_.size()};
  size_t bytes_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_FIELD_COPIES_H_
