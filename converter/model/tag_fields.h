// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_TAG_FIELDS_H_
#define PERF2X_MODEL_TAG_FIELDS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The tags of a sample as fields, named and ordered as in SampleFieldTable().
// Tags that are not known are omitted. The tables must outlive this object.
class TagFields {
 public:
  // `id` must be in `tables.tags`.
  TagFields(const TraceTables& tables, TagsId id) {
    if (id == 0) return;
    const SampleTags& tags = tables.tags[id];
    if (tags.state != 0) Add({"state", tables.strings[tags.state]});
    if (tags.waker != 0) Add({"waker", tables.strings[tags.waker]});
    if (tags.parallelism != 0) {
      Add({"parallelism", uint64_t{tags.parallelism}});
    }
  }
  // Valid as long as this object.
  Fields fields() const { return absl::MakeConstSpan(fields_.data(), size_); }

 private:
  void Add(const Field& field) { fields_[size_++] = field; }

  std::array<Field, 3> fields_;
  size_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_TAG_FIELDS_H_
