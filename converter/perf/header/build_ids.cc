// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/build_ids.h"

#include "absl/strings/match.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr size_t kBuildIdSize = 20;

// Decodes the body of a build id event, which follows the 8-byte header.
bool DecodeBuildId(absl::Span<const uint8_t> body, ByteOrder order,
                   uint16_t misc, BuildIdEntry* entry) {
  static const EventAttr* const kNoAttr = new EventAttr();
  HeaderBuildIdRecord record;
  if (!Decode(body, order, misc, *kNoAttr, &record)) {
    // The last name of a section may lack its NUL.
    if (body.size() < 28) return false;
    ByteReader in(body, order);
    in.Skip(28);
    record.pid = static_cast<int32_t>(Load<uint32_t>(body.data(), order));
    record.build_id = body.subspan(4, kBuildIdSize);
    record.size = body[24];
    record.filename = in.FixedString(in.left());
  }
  size_t size = kBuildIdSize;
  if ((misc & kMiscBuildIdSize) != 0 && record.size <= kBuildIdSize) {
    size = record.size;
  } else {
    // The writer stored no size. Shorter build ids (MD5, UUID) are padded with
    // zeros.
    while (size > 0 && record.build_id[size - 1] == 0) --size;
    size = (size + 3) / 4 * 4;
  }
  entry->pid = record.pid;
  entry->misc = misc;
  entry->build_id = BuildId(record.build_id.subspan(0, size));
  entry->filename = record.filename;
  return true;
}

// Each entry is an event with a header of its own, whose type is 0.
bool ForEachInSection(absl::Span<const uint8_t> section, ByteOrder order,
                      absl::FunctionRef<void(const BuildIdEntry&)> found) {
  ByteReader in(section, order);
  bool first = true, without_pid = false;
  while (in.left() > 0) {
    in.Skip(4);
    const uint16_t misc = in.U16();
    const uint16_t size = in.U16();
    if (!in.ok() || size < 8) return false;
    const absl::Span<const uint8_t> body = in.Bytes(size - 8u);
    if (!in.ok()) return false;
    BuildIdEntry entry;
    if (!DecodeBuildId(body, order, misc, &entry)) return false;
    // perf before 2.6.34 wrote no pid, so that decoded names lack their first
    // four letters.
    if (first) without_pid = absl::StartsWith(entry.filename, "nel.kallsyms]");
    first = false;
    if (without_pid) {
      entry.pid = 0;
      entry.build_id = BuildId(body.subspan(0, kBuildIdSize));
      ByteReader name(body.subspan(24), order);
      entry.filename = name.FixedString(name.left());
    }
    found(entry);
  }
  return true;
}

}  // namespace

bool ForEachBuildId(const RawRecord& record,
                    absl::FunctionRef<void(const BuildIdEntry&)> found) {
  if (record.type == kRecordHeaderBuildId) {
    BuildIdEntry entry;
    if (!DecodeBuildId(record.body, record.order, record.misc, &entry)) {
      return false;
    }
    found(entry);
    return true;
  }
  if (record.type != kRecordHeaderFeature) return true;
  ByteReader in(record.body, record.order);
  if (in.U64() != kFeatureBuildId) return true;
  return ForEachInSection(in.Rest(), record.order, found);
}

}  // namespace perf2x
