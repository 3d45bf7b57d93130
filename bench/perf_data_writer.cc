// SPDX-License-Identifier: Apache-2.0
#include "bench/perf_data_writer.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace perf2x::bench {
namespace {

constexpr char kMagic[] = "PERFILE2";
constexpr uint64_t kFileHeaderBytes = 104;
constexpr uint64_t kPipeHeaderBytes = 16;
constexpr uint64_t kReadFormatIdLost = 4 | 16;

[[noreturn]] void Die(const std::string& path, const char* what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what);
  std::exit(1);
}

// struct perf_event_attr, linux/perf_event.h.
void AppendAttr(const Event& event, RecordBuffer& out) {
  out.U32(event.type);
  out.U32(kAttrBytes);
  out.U64(event.config);
  out.U64(event.period);
  out.U64(event.sample_type);
  out.U64(kReadFormatIdLost);
  out.U64(event.flags);
  out.Zeros(72 - 48);  // wakeup, breakpoint
  out.U64(event.branch_type);
  out.U64(event.regs_user);
  out.U32(event.stack_user);
  out.Zeros(kAttrBytes - 92);
}

bool SentInPipe(uint32_t feature) {
  return feature != kTracingData && feature != kBuildIds;
}

}  // namespace

void AppendEventDesc(const Event& event, RecordBuffer& out) {
  AppendAttr(event, out);
  out.U32(static_cast<uint32_t>(event.ids.size()));
  out.FeatureString(event.name);
  for (uint64_t id : event.ids) out.U64(id);
}

PerfDataWriter::PerfDataWriter(const std::string& path, Mode mode,
                               int zstd_level, std::vector<Event> events,
                               std::vector<Feature> features)
    : path_(path),
      mode_(mode),
      events_(std::move(events)),
      features_(std::move(features)) {
  file_ = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (file_ == nullptr) Die(path_, std::strerror(errno));
  std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
  if (zstd_level > 0) {
    zstd_ = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd_, ZSTD_c_compressionLevel, zstd_level);
  }
  if (mode_ == Mode::kFile) {
    WriteFileHead();
  } else {
    WritePipeHead();
  }
}

PerfDataWriter::~PerfDataWriter() { ZSTD_freeCCtx(zstd_); }

void PerfDataWriter::Write(const std::vector<uint8_t>& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    Die(path_, std::strerror(errno));
  }
  offset_ += bytes.size();
}

std::vector<uint8_t> PerfDataWriter::FileHeader(uint64_t data_size) const {
  RecordBuffer out;
  out.Bytes(kMagic, 8);
  out.U64(kFileHeaderBytes);
  out.U64(kAttrBytes + 16);
  out.U64(attrs_offset_);
  out.U64(events_.size() * (kAttrBytes + 16));
  out.U64(data_offset_);
  out.U64(data_size);
  out.Zeros(16);
  uint64_t bitmap[4] = {};
  for (const Feature& f : features_)
    bitmap[f.number / 64] |= uint64_t{1} << f.number % 64;
  for (uint64_t word : bitmap) out.U64(word);
  return out.bytes();
}

void PerfDataWriter::WriteFileHead() {
  RecordBuffer ids, attrs;
  for (const Event& event : events_) {
    AppendAttr(event, attrs);
    attrs.U64(kFileHeaderBytes + ids.size());
    attrs.U64(event.ids.size() * 8);
    for (uint64_t id : event.ids) ids.U64(id);
  }
  attrs_offset_ = kFileHeaderBytes + ids.size();
  data_offset_ = attrs_offset_ + attrs.size();
  Write(FileHeader(0));
  Write(ids.bytes());
  Write(attrs.bytes());
}

void PerfDataWriter::WritePipeHead() {
  RecordBuffer out;
  out.Bytes(kMagic, 8);
  out.U64(kPipeHeaderBytes);
  for (const Event& event : events_) {
    out.Begin(kHeaderAttr);
    AppendAttr(event, out);
    for (uint64_t id : event.ids) out.U64(id);
    out.End();
  }
  const Feature* tracing = nullptr;
  for (const Feature& f : features_) {
    if (f.number == kTracingData) tracing = &f;
    if (!SentInPipe(f.number)) continue;
    out.Begin(kHeaderFeature);
    out.U64(f.number);
    if (f.number == kSampleTime) {
      out.Zeros(16);  // not known yet
    } else {
      out.Bytes(f.payload.data(), f.payload.size());
    }
    out.End();
  }
  out.Begin(kHeaderFeature);
  out.U64(kLastFeature);
  out.End();
  if (tracing != nullptr) {
    size_t padding = (8 - tracing->payload.size() % 8) % 8;
    out.Begin(kHeaderTracingData);
    out.U32(static_cast<uint32_t>(tracing->payload.size() + padding));
    out.End();
    out.Bytes(tracing->payload.data(), tracing->payload.size());
    out.Zeros(padding);
  }
  Write(out.bytes());
}

void PerfDataWriter::WriteRingBuffer(const RecordBuffer& records) {
  if (records.size() == 0) return;
  if (zstd_ == nullptr) {
    Write(records.bytes());
  } else {
    Compress(records.bytes());
  }
}

// Like zstd_compress_stream_to_records(), tools/perf/util/zstd.c: one zstd
// stream for the whole file, flushed at the end of each record.
void PerfDataWriter::Compress(const std::vector<uint8_t>& bytes) {
  constexpr size_t kMaxPayload = 65535 - 8 - 1;
  std::vector<uint8_t> record(8 + kMaxPayload);
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  for (size_t left = 1; in.pos < in.size || left != 0;) {
    ZSTD_outBuffer out = {record.data() + 8, kMaxPayload, 0};
    left = ZSTD_compressStream2(zstd_, &out, &in, ZSTD_e_flush);
    if (ZSTD_isError(left)) Die(path_, ZSTD_getErrorName(left));
    RecordBuffer header;
    header.Begin(kCompressed);
    header.Zeros(out.pos);
    header.End();
    std::copy_n(header.bytes().begin(), 8, record.begin());
    Write(
        {record.begin(), record.begin() + 8 + static_cast<ptrdiff_t>(out.pos)});
  }
}

void PerfDataWriter::WriteFinishedRound() {
  RecordBuffer out;
  out.Begin(kFinishedRound);
  out.End();
  Write(out.bytes());
}

void PerfDataWriter::Finish() {
  if (mode_ == Mode::kFile) {
    uint64_t data_size = offset_ - data_offset_;
    RecordBuffer table;
    uint64_t at = offset_ + features_.size() * 16;
    for (const Feature& f : features_) {
      table.U64(at);
      table.U64(f.payload.size());
      at += f.payload.size();
    }
    Write(table.bytes());
    for (const Feature& f : features_) Write(f.payload);
    uint64_t size = offset_;
    if (std::fseek(file_, 0, SEEK_SET) != 0) Die(path_, std::strerror(errno));
    Write(FileHeader(data_size));
    offset_ = size;
  }
  if (std::fclose(file_) != 0) Die(path_, std::strerror(errno));
}

}  // namespace perf2x::bench
