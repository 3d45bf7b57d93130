#ifndef PERF2X_EMIT_PPROF_PPROF_WRITER_H_
#define PERF2X_EMIT_PPROF_PPROF_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/output.h"
#include "converter/model/model.h"
#include "google/protobuf/message_lite.h"

namespace perf2x {

// Writes a serialized pprof Profile field by field, so that it never exists as
// a whole. Repeated fields keep the order of their calls; the order of
// different fields has no meaning.
class PprofWriter {
 public:
  // `to` must outlive the writer.
  explicit PprofWriter(Output& to) : to_(to) {}

  // Says which frames the samples that follow have, leaf first. The id of a
  // frame's location is one more than the frame's.
  void SetFrames(absl::Span<const FrameId> frames);
  // A sample; `labels` are serialized `label` fields.
  absl::Status Sample(absl::Span<const uint64_t> values,
                      absl::string_view labels);
  // A function; `name`, `system_name` and `file` are numbers of strings.
  absl::Status Function(uint64_t id, int64_t name, int64_t system_name,
                        int64_t file, uint32_t start_line);
  // A location; `lines` are innermost first, and the id of a function is one
  // more than the line's.
  absl::Status Location(uint64_t id, uint64_t mapping, uint64_t address,
                        absl::Span<const Line> lines);
  // A member of the repeated message field `number` of Profile.
  absl::Status Message(int number, const google::protobuf::MessageLite& m);
  // A string of the string table.
  absl::Status String(absl::string_view s);
  // The fields that `m`, a Profile, has set.
  absl::Status Fields(const google::protobuf::MessageLite& m);
  absl::Status Flush();

 private:
  // Where at least `most` bytes can be put; Put says where they end.
  uint8_t* Room(size_t most);
  absl::Status Put(const uint8_t* end);
  absl::Status PutField(int number, absl::string_view bytes);

  Output& to_;
  std::vector<uint8_t> buffer_;
  size_t used_ = 0;  // of buffer_
  std::string scratch_;
  // The serialized location_id field, from begin_ to end_.
  std::vector<uint8_t> locations_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_WRITER_H_
