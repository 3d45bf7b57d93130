// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/header_replay.h"

#include <algorithm>
#include <utility>

#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/joined_block.h"

namespace perf2x {
namespace {

using Bytes = absl::Span<const uint8_t>;
using Severity = Diagnostics::Severity;

constexpr uint64_t kSectionSize = 16;
constexpr uint64_t kEventTypeSize = 8 + 64;

}  // namespace

void HeaderReplay::Next(RawRecord* record) {
  const Queued& next = queue_.front();
  current_ = JoinedBlock(next.head, next.rest);
  *record = RawRecord();
  record->type = next.type;
  record->order = next.order;
  record->replayed = true;
  record->offset = next.offset;
  record->body = current_->bytes();
  record->block = &current_;
  queue_.pop_front();
}

Bytes HeaderReplay::Take(Bytes file, const FileSection& section) {
  const Bytes bytes = SectionBytes(file, section);
  if (!bytes.empty()) {
    end_ = std::max<uint64_t>(end_, section.offset + bytes.size());
  }
  return bytes;
}

void HeaderReplay::AddAttrs(const FileHeader& header, Bytes file) {
  const Bytes section = Take(file, header.attrs);
  const uint64_t stride = header.attr_size;
  uint64_t most_ids = file.size();  // bytes of ids, of all events
  for (uint64_t at = 0; section.size() - at >= stride; at += stride) {
    const Bytes entry = section.subspan(at, stride);
    const uint64_t offset = header.attrs.offset + at;
    std::vector<uint8_t> attr(entry.begin(), entry.end() - kSectionSize);
    // In a HEADER_ATTR record the ids start after as many bytes as the attr's
    // own size field says.
    const uint32_t size = Load<uint32_t>(&attr[4], header.order);
    if (size >= kAttrSizeVer0 && size <= attr.size()) {
      attr.resize(size);
    } else {
      if (size != 0) {
        diagnostics_->Add(Severity::kDamage,
                          "attr with a size that does not fit its place",
                          offset + 4);
        attr.resize(std::min(attr.size(), attr.size() / 8 * 8));
      } else {
        attr.resize(kAttrSizeVer0);
      }
      Store(static_cast<uint32_t>(attr.size()), &attr[4], header.order);
    }
    ByteReader in(entry.subspan(stride - kSectionSize), header.order);
    FileSection ids;
    ids.offset = in.U64();
    ids.size = in.U64();
    Bytes id_bytes = Take(file, ids);
    if (id_bytes.size() < ids.size) {
      diagnostics_->Add(
          Severity::kDamage, "ids of an event lie outside of the file",
          offset + stride - kSectionSize, ids.size - id_bytes.size());
    }
    id_bytes = id_bytes.subspan(0, id_bytes.size() / 8 * 8);
    if (id_bytes.size() > most_ids) {
      diagnostics_->Add(Severity::kDamage, "ids of events overlap",
                        offset + stride - kSectionSize, id_bytes.size());
      id_bytes = {};
    }
    most_ids -= id_bytes.size();
    queue_.push_back({.type = kRecordHeaderAttr,
                      .order = header.order,
                      .offset = offset,
                      .head = std::move(attr),
                      .rest = id_bytes});
  }
}

void HeaderReplay::AddEventTypes(const FileHeader& header, Bytes file) {
  const Bytes section = Take(file, header.event_types);
  for (uint64_t at = 0; section.size() - at >= kEventTypeSize;
       at += kEventTypeSize) {
    queue_.push_back({.type = kRecordHeaderEventType,
                      .order = header.order,
                      .offset = header.event_types.offset + at,
                      .head = {},
                      .rest = section.subspan(at, kEventTypeSize)});
  }
}

void HeaderReplay::AddFeatures(const FileHeader& header, Bytes file) {
  const uint64_t table = header.data.offset + header.data.size;
  ByteReader in(Take(file, {table, header.features.size() * kSectionSize}),
                header.order);
  for (const uint32_t feature : header.features) {
    const uint64_t offset = table + in.offset();
    FileSection section;
    section.offset = in.U64();
    section.size = in.U64();
    if (!in.ok()) {
      diagnostics_->Add(Severity::kDamage, "feature table is cut short",
                        offset);
      return;
    }
    const Bytes payload = Take(file, section);
    if (payload.size() < section.size) {
      diagnostics_->Add(Severity::kDamage,
                        "feature section runs past the end of the file",
                        section.offset, section.size - payload.size());
    }
    std::vector<uint8_t> number(8);
    Store(uint64_t{feature}, number.data(), header.order);
    queue_.push_back({.type = kRecordHeaderFeature,
                      .order = header.order,
                      .offset = section.offset,
                      .head = std::move(number),
                      .rest = payload});
  }
}

}  // namespace perf2x
