// SPDX-License-Identifier: Apache-2.0

// Stores a RecordSequence as a recording.

#include <zstd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "absl/strings/string_view.h"
#include "converter/perf/records/wire.h"
#include "tests/fuzz/record_bytes.h"
#include "tests/fuzz/record_sequence.h"
#include "tests/support/compressed_file.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

// Writes records as bytes, in COMPRESSED records or as they are.
class RecordWriter {
 public:
  RecordWriter(ByteOrder order, const Storage& storage)
      : order_(order),
        storage_(storage),
        zstd_(ZSTD_createCStream(), ZSTD_freeCStream) {}

  // A record with a payload is not compressed: perf writes none so.
  void Add(const RecordSequence::Record& record, bool may_compress) {
    const bool compress = may_compress && record.payload.empty();
    ByteVector* const to = compress ? &inner_ : &out_;
    if (!compress) Flush();
    const size_t size = std::min(record.body.size(), kMaxBody);
    Put(record.type, order_, to);
    Put(record.misc, order_, to);
    Put(static_cast<uint16_t>(size + kRecordHeader), order_, to);
    Append(Part(record.body, 0, size), to);
    if (!record.payload.empty()) {
      Flush();
      Append(record.payload, &out_);
    }
    if (inner_.size() >= storage_.chunk) Flush();
    made_ += size + kRecordHeader + record.payload.size();
    plain_ += record.payload.size();
    if (!compress) plain_ += size + kRecordHeader;
  }
  uint64_t made() const { return made_; }
  bool full() const {
    return made_ >= storage_.max_size || plain_ >= storage_.max_plain;
  }
  ByteVector Take() {
    Flush();
    return std::move(out_);
  }

 private:
  void Flush() {
    if (inner_.empty()) return;
    ByteVector packed(ZSTD_compressBound(inner_.size()) + 64);
    ZSTD_inBuffer in{inner_.data(), inner_.size(), 0};
    ZSTD_outBuffer to{packed.data(), packed.size(), 0};
    ZSTD_compressStream2(zstd_.get(), &to, &in,
                         storage_.frames ? ZSTD_e_end : ZSTD_e_flush);
    inner_.clear();
    const size_t slice = std::clamp<size_t>(storage_.slice, 16, 65'000);
    for (size_t at = 0; at < to.pos; at += slice) {
      Slice(Part(packed, at, std::min(slice, to.pos - at)));
    }
  }

  void Slice(FuzzInput bytes) {
    const bool second = storage_.compressed == kRecordCompressed2;
    const size_t padding = second ? (8 - bytes.size() % 8) % 8 : 0;
    const size_t size =
        kRecordHeader + (second ? 8 : 0) + bytes.size() + padding;
    Put(storage_.compressed, order_, &out_);
    Put(uint16_t{0}, order_, &out_);
    Put(static_cast<uint16_t>(size), order_, &out_);
    if (second) Put(uint64_t{bytes.size()}, order_, &out_);
    Append(bytes, &out_);
    out_.resize(out_.size() + padding);
  }

  const ByteOrder order_;
  const Storage& storage_;
  const std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream*)> zstd_;
  ByteVector inner_, out_;
  uint64_t made_ = 0, plain_ = 0;  // bytes of all records; stored uncompressed
};

// Writes the records [first, last) of a list, with the repetitions.
void AddRecords(const RecordSequence& list, const Storage& storage,
                size_t first, size_t last, RecordWriter* writer) {
  const RecordSequence::Repeat& repeat = list.repeat;
  for (size_t i = first; i < last; ++i) {
    const bool compress = storage.compressed != 0 && i >= storage.compress_from;
    if (writer->full()) return;
    writer->Add(list.records[i], compress);
    if (repeat.bytes == 0 || i + 1 != repeat.first + repeat.count ||
        repeat.first < first) {
      continue;
    }
    std::vector<RecordSequence::Record> run(
        list.records.begin() + static_cast<ptrdiff_t>(repeat.first),
        list.records.begin() + static_cast<ptrdiff_t>(i + 1));
    const uint64_t end = writer->made() + repeat.bytes;
    for (uint32_t round = 1; writer->made() < end && !writer->full(); ++round) {
      for (size_t k = 0; k < run.size(); ++k) {
        if (repeat.step != 0) {
          const uint64_t word = WordAt(list.records[repeat.first + k],
                                       repeat.place, 4, list.order);
          const uint32_t added =
              round % std::max<uint32_t>(1, repeat.rounds) * repeat.step;
          SetWordAt(&run[k], repeat.place, 4, word + added, list.order);
        }
        writer->Add(run[k], compress);
      }
    }
  }
}

ByteVector PipeOf(const RecordSequence& list, const Storage& storage,
                  size_t last) {
  RecordWriter writer(list.order, storage);
  AddRecords(list, storage, 0, last, &writer);
  ByteVector out = MagicOf(list.order);
  Put(uint64_t{kPipeHeader}, list.order, &out);
  Append(writer.Take(), &out);
  return out;
}

// The first records of a list as a file's header has them.
struct FileHead {
  std::vector<const RecordSequence::Record*> attrs;
  std::map<uint32_t, ByteVector> features;
  size_t stride = 0;
};

FileHead HeadOf(const RecordSequence& list) {
  FileHead head;
  const size_t size = list.HeadSize();
  for (size_t i = 0; i < size; ++i) {
    const RecordSequence::Record& r = list.records[i];
    if (r.type == kRecordHeaderAttr) {
      head.attrs.push_back(&r);
      const uint64_t attr =
          std::min<uint64_t>(WordAt(r, 4, 4, list.order), 4096);
      head.stride = std::max<size_t>({head.stride, attr + 16, 64 + 16});
    } else if (r.type == kRecordHeaderTracingData) {
      head.features.try_emplace(kFeatureTracingData, r.payload);
    } else if (const uint64_t n = WordAt(r, 0, 8, list.order);
               n < 256 && r.body.size() > 8) {
      head.features.try_emplace(static_cast<uint32_t>(n),
                                Vector(Part(r.body, 8, r.body.size())));
    }
  }
  return head;
}

ByteVector FileOf(const RecordSequence& list, const Storage& storage,
                  size_t last) {
  const ByteOrder order = list.order;
  const FileHead head = HeadOf(list);
  const size_t stride = std::max<size_t>(head.stride, 64 + 16);
  // The file has the attributes, their ids, the records, then the features.
  const size_t attrs = head.attrs.size() * stride;
  ByteVector table, ids;
  for (const RecordSequence::Record* r : head.attrs) {
    const size_t own = std::min<size_t>(
        std::max<uint64_t>(WordAt(*r, 4, 4, order), 64), r->body.size());
    ByteVector attr = Vector(Part(r->body, 0, std::min(own, stride - 16)));
    attr.resize(stride - 16);
    Append(attr, &table);
    Put(uint64_t{kFileHeader + attrs + ids.size()}, order, &table);
    Put(uint64_t{r->body.size() - own}, order, &table);
    Append(Part(r->body, own, r->body.size()), &ids);
  }
  RecordWriter writer(order, storage);
  AddRecords(list, storage, std::min(last, list.HeadSize()), last, &writer);
  const ByteVector data = writer.Take();
  const uint64_t data_at = kFileHeader + attrs + ids.size();

  ByteVector out = MagicOf(order);
  std::array<uint64_t, 4> bits{};
  for (const auto& [bit, feature] : head.features) {
    bits[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  for (const uint64_t word :
       {uint64_t{kFileHeader}, uint64_t{stride}, uint64_t{kFileHeader},
        uint64_t{attrs}, data_at, uint64_t{data.size()}, uint64_t{0},
        uint64_t{0}, bits[0], bits[1], bits[2], bits[3]}) {
    Put(word, order, &out);
  }
  Append(table, &out);
  Append(ids, &out);
  Append(data, &out);
  uint64_t at = out.size() + 16 * head.features.size();
  for (const auto& [bit, feature] : head.features) {
    Put(at, order, &out);
    Put(uint64_t{feature.size()}, order, &out);
    at += feature.size();
  }
  for (const auto& [bit, feature] : head.features) Append(feature, &out);
  return out;
}

ByteVector Wrapped(ByteVector bytes, Storage::Wrapping wrapping) {
  switch (wrapping) {
    case Storage::Wrapping::kNone:
      break;
    case Storage::Wrapping::kGzip:
      return Gzipped(bytes);
    case Storage::Wrapping::kBzip2:
      return Bzip2ed(bytes);
    case Storage::Wrapping::kXz:
      return Xzed(bytes);
    case Storage::Wrapping::kZstd:
      return Zstded(bytes);
  }
  return bytes;
}

}  // namespace

std::vector<ByteVector> Store(const RecordSequence& list,
                              const Storage& storage) {
  const bool folder = storage.container == Storage::Container::kFolder;
  const bool pipe = storage.container == Storage::Container::kPipe ||
                    (folder && storage.data_is_pipe);
  const size_t size = list.records.size();
  // In a folder, the head and some records after it are in `data`.
  size_t at = size;
  if (folder && storage.data_files > 0) {
    at = std::min(size, list.HeadSize() + (size - list.HeadSize()) / 4);
  }
  std::vector<ByteVector> files;
  ByteVector main =
      pipe ? PipeOf(list, storage, at) : FileOf(list, storage, at);
  if (storage.says_wrong_order) std::reverse(main.begin(), main.begin() + 8);
  files.push_back(Wrapped(std::move(main), storage.wrapping));
  for (size_t left = storage.data_files; folder && left > 0; --left) {
    const size_t last = at + (size - at) / left;
    RecordWriter writer(list.order, storage);
    AddRecords(list, storage, at, last, &writer);
    files.push_back(writer.Take());
    at = last;
  }
  return files;
}

}  // namespace perf2x
