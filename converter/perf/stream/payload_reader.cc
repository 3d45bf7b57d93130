// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/payload_reader.h"

#include <array>
#include <cstring>
#include <vector>

#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/joined_block.h"

namespace perf2x {
namespace {

using Bytes = absl::Span<const uint8_t>;

// The most bytes of tracing data after a record. Those of a kernel, with all
// symbols, are some 15 MB.
constexpr uint64_t kMaxTracingData = 32 << 20;

}  // namespace

void PayloadReader::ObserveInfo(const RawRecord& record) {
  AuxtraceInfoRecord info;
  decodes_ |= Decode(record, &info) && IsDecodedTrace(info.trace_type);
}

PayloadReader::Size PayloadReader::Read(Framer& framer, bool mapped,
                                        RawRecord* record) {
  ByteReader in(record->body, record->order);
  const bool tracing = record->type == kRecordHeaderTracingData;
  Size size;
  size.stated = tracing ? in.U32() : in.U64();
  if (tracing && size.stated > 0 && in.left() >= size.stated) {
    record->payload = in.Bytes(size.stated);  // simpleperf's is in the record
    return Size();
  }
  if (tracing && size.stated <= kMaxTracingData) {
    // The record's own bytes may move when the payload is read.
    std::array<uint8_t, 4> head;
    if (!in.ok()) return Size();
    std::memcpy(head.data(), record->body.data(), head.size());
    record->payload = framer.TakePayload(size.stated);
    size.found = record->payload.size();
    block_ = JoinedBlock(head, record->payload);
    const Bytes all = block_->bytes();
    record->body = all.subspan(0, head.size());
    record->payload = all.subspan(head.size());
    record->block = &block_;
  } else if (!tracing && decodes_) {
    ReadTrace(framer, mapped, &size, record);
  } else {
    // The record's own block is kept.
    const BlockRef keep = framer.block();
    size.found = framer.SkipPayload(size.stated);
    block_ = keep;
    record->block = &block_;
  }
  return size;
}

void PayloadReader::ReadTrace(Framer& framer, bool mapped, Size* size,
                              RawRecord* record) {
  if (mapped) {
    record->payload = framer.TakePayload(size->stated);
    size->found = record->payload.size();
    block_ = framer.block();
    record->block = &block_;
    return;
  }
  std::vector<uint8_t> all(record->body.begin(), record->body.end());
  const size_t head = all.size();
  framer.CopyPayload(size->stated, &all);
  size->found = all.size() - head;
  block_ = JoinedBlock(all, {});
  record->body = block_->bytes().subspan(0, head);
  record->payload = block_->bytes().subspan(head);
  record->block = &block_;
}

}  // namespace perf2x
