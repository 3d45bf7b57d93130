// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_WRITER_H_
#define PERF2X_EMIT_PPROF_PPROF_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/output.h"
#include "converter/model/model.h"
#include "google/protobuf/message_lite.h"

namespace perf2x {

// Serializes a pprof Profile field by field, without building the message.
// Elements of a repeated field keep the order of the calls. Different fields
// may come in any order. Not thread-safe. A later call may return an error of
// the output.
class PprofWriter {
 public:
  // `output` must outlive the writer. Bytes are buffered until Flush.
  explicit PprofWriter(Output& output) : output_(output) {}

  // Sets the frames of the following samples, leaf first. A frame's location id
  // is its FrameId plus one.
  void SetFrames(absl::Span<const FrameId> frames);
  // Writes a sample with the frames of the last SetFrames. `values` are in the
  // order of sample_type, `labels` are serialized `label` fields.
  absl::Status Sample(absl::Span<const uint64_t> values,
                      absl::string_view labels);
  // Writes a function. `name`, `system_name` and `file` are string_table
  // indexes.
  absl::Status Function(uint64_t id, int64_t name, int64_t system_name,
                        int64_t file, uint32_t start_line);
  // Writes a location. `mapping` is a mapping id. `lines` are innermost first.
  // The function id of a line is its FunctionId plus one.
  absl::Status Location(uint64_t id, uint64_t mapping, uint64_t address,
                        absl::Span<const Line> lines);
  // Writes `m` as an element of the repeated field `number` of Profile.
  absl::Status Message(int number, const google::protobuf::MessageLite& m);
  // Appends a string to string_table, converted with AsPlainText. The first
  // string must be empty.
  absl::Status String(absl::string_view s);
  // Writes the fields that `m`, a Profile, has set.
  absl::Status Fields(const google::protobuf::MessageLite& m);
  // Writes buffered bytes to the output. Does not close the output. To be
  // called last.
  absl::Status Flush();

 private:
  // Returns space for `max` bytes; Put commits them up to `end`.
  uint8_t* Room(size_t max);
  absl::Status Put(const uint8_t* end);
  absl::Status PutField(int number, absl::string_view bytes);

  Output& output_;
  // Not initialized: a small profile uses little of it.
  std::unique_ptr<uint8_t[]> buffer_;
  size_t capacity_ = 0, used_ = 0;  // of buffer_
  std::string scratch_;
  // The serialized location_id field, from begin_ to end_.
  std::vector<uint8_t> locations_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_WRITER_H_
