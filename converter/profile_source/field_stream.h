// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_FIELD_STREAM_H_
#define PERF2X_PROFILE_SOURCE_FIELD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/byte_source.h"
#include "converter/base/proto_reader.h"

namespace perf2x {

// Reads the fields of a protobuf message from a stream, one at a time. A field
// of more than 16 MiB counts as damage. The buffer grows only as bytes arrive,
// so a wrong length costs no memory. Charges no budget. Not thread-safe.
class FieldStream {
 public:
  // `source` must outlive the stream.
  explicit FieldStream(ByteSource& source);

  // Moves to the next field. Returns false at the end. Fails with DataLoss if
  // the message is damaged or cut short, and with the source's errors.
  absl::StatusOr<bool> Next();
  // Returns the offset in the stream of the end of the present field; 0 before
  // the first Next. Does not change if Next returns false or fails.
  uint64_t end_offset() const { return offset_; }

  // The present field, as in ProtoReader, once Next has returned true. Valid
  // until the next call of Next.
  uint64_t field() const { return one_.field(); }
  bool is_bytes() const { return one_.is_bytes(); }
  int64_t signed_number() const { return one_.signed_number(); }
  absl::Span<const uint8_t> bytes() const { return one_.bytes(); }
  // Calls `add(number)` for each element of the present field, as in
  // ProtoReader. Returns false if a number is damaged, after calling `add` for
  // all numbers before it.
  template <class F>
  bool ForEachNumber(F add) {
    one_.ForEachNumber(add);
    return one_.ok();
  }

 private:
  // Reads until `size` bytes are there or the source ends.
  absl::Status Fill(uint64_t size);
  absl::Status CutShort() const;
  uint64_t there() const { return end_ - at_; }

  ByteSource& source_;
  std::vector<uint8_t> buffer_;
  size_t at_ = 0, end_ = 0;  // bytes of buffer_ that are not used yet
  uint64_t offset_ = 0;
  bool ended_ = false;
  ProtoReader one_{{}};  // of the present field alone
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_FIELD_STREAM_H_
