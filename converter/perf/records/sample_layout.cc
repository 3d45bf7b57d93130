// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/sample_layout.h"

#include <functional>
#include <type_traits>

#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/base/hash.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// The visitor that notes where a record's fields lie. Sets each visited number
// to all ones, so that Fields() also visits the fields that depend on it.
class OffsetVisitor {
 public:
  explicit OffsetVisitor(const EventAttr& attr) : attr_(attr) {}

  template <class T>
  requires std::is_integral_v<T>
  void operator()(const char*, T& value) {
    OnNumber(&value, static_cast<int>(sizeof(T)));
    value = static_cast<T>(~T{0});
  }
  template <class T>
  void Hex(const char* name, T& value) {
    (*this)(name, value);
  }
  void Words(const char*, uint64_t, int, WordSpan& words) { OnArray(&words); }
  void Bytes(const char*, uint64_t, absl::Span<const uint8_t>& bytes) {
    OnArray(&bytes);
  }
  const EventAttr& attr() const { return attr_; }

 protected:
  ~OffsetVisitor() = default;
  virtual void OnNumber(const void* field, int size) = 0;
  virtual void OnArray(const void* field) = 0;

 private:
  const EventAttr& attr_;
};

class SampleVisitor final : public OffsetVisitor {
 public:
  explicit SampleVisitor(const EventAttr& attr) : OffsetVisitor(attr) {
    SampleRecord::Fields(*this, sample_);
    if (!seen_array_) layout_.variable_offset = at_;
    // These bits may add fields that are not known.
    if ((attr.sample_type & ~kSampleKnown) != 0) layout_.is_plain = false;
  }
  const SampleLayout& layout() const { return layout_; }

 private:
  void OnNumber(const void* field, int size) override {
    if (seen_array_) {
      // raw_size belongs to the raw data.
      if (field != &sample_.raw_size) layout_.trailing_bytes += size;
      return;
    }
    const auto note = [&](const auto& of, int* to) {
      if (field == &of && *to < 0) *to = at_;
    };
    note(sample_.id, &layout_.id);
    note(sample_.ip, &layout_.ip);
    note(sample_.pid, &layout_.thread);
    note(sample_.time, &layout_.time);
    note(sample_.cpu, &layout_.cpu);
    note(sample_.period, &layout_.period);
    const void* const read = &sample_.read;
    const std::less<const void*> less;
    if (!less(field, read) && less(field, &sample_.read + 1)) {
      layout_.is_plain = false;
    }
    last_ = at_;
    at_ += size;
  }
  void OnArray(const void* field) override {
    // An array begins with its count, the number that was visited last.
    if (!seen_array_) layout_.variable_offset = last_;
    seen_array_ = true;
    if (field == &sample_.ips) {
      layout_.has_callchain = true;
    } else if (field == &sample_.raw) {
      layout_.has_raw = true;
    } else {
      layout_.is_plain = false;
    }
  }

  SampleRecord sample_;
  SampleLayout layout_;
  bool seen_array_ = false;
  int at_ = 0, last_ = 0;  // offsets of the end and start of the last number
};

class TrailerVisitor final : public OffsetVisitor {
 public:
  explicit TrailerVisitor(const EventAttr& attr) : OffsetVisitor(attr) {
    SampleId::Fields(*this, id_);
    if (id_at_ >= 0) layout_.id_from_end = at_ - id_at_;
    layout_.size = static_cast<size_t>(at_);
  }
  const TrailerLayout& layout() const { return layout_; }

 private:
  void OnNumber(const void* field, int size) override {
    if (field == &id_.id) id_at_ = at_;  // IDENTIFIER comes after ID
    if (field == &id_.pid) layout_.thread = at_;
    if (field == &id_.time) layout_.time = at_;
    if (field == &id_.cpu) layout_.cpu = at_;
    at_ += size;
  }
  void OnArray(const void*) override {}

  SampleId id_;
  TrailerLayout layout_;
  int at_ = 0, id_at_ = -1;
};

}  // namespace

SampleLayout SampleLayout::FromAttr(const EventAttr& attr) {
  return SampleVisitor(attr).layout();
}

TrailerLayout TrailerLayout::FromAttr(const EventAttr& attr) {
  TrailerLayout layout = TrailerVisitor(attr).layout();
  if (!attr.sample_id_all()) {
    layout.thread = layout.time = layout.cpu = -1;
    layout.size = 0;
  }
  return layout;
}

bool SampleLayout::ReadKey(const RawRecord& record, uint32_t event,
                           uint64_t default_period, TimedRecord* to) const {
  if (!is_plain) return false;
  const uint8_t* body = record.body.data();
  const size_t size = record.body.size();
  size_t end =
      static_cast<size_t>(variable_offset);  // of the part that was checked
  if (size < end + (has_callchain ? 8 : 0)) return false;
  SampleKey& key = to->key;
  if (has_callchain) {
    const WordSpan words(body + end, (size - end) / 8, record.order);
    const uint64_t nr = words[0];
    if (record.order != kHostOrder || nr < 2 || nr >= words.size() ||
        words[1] < kContextMax || words[2] >= kContextMax ||
        words[nr - 1] == kContextUserDeferred) {
      return false;
    }
    end += 8;
    to->callchain_at = static_cast<uint16_t>(end);
    to->callchain_words = static_cast<uint16_t>(nr);
    const Hash128 hash = HashBytes({body + end, static_cast<size_t>(nr) * 8});
    key.callchain_hash.low = hash.low;
    key.callchain_hash.high = hash.high;
    end += static_cast<size_t>(nr) * 8;
  }
  if (has_raw) {
    if (size < end + 4) return false;
    end += 4 + size_t{Load<uint32_t>(body + end, record.order)};
  }
  if (size < end + static_cast<size_t>(trailing_bytes)) return false;
  const auto word = [&](int at) {
    return Load<uint64_t>(body + at, record.order);
  };
  const auto half = [&](int at) {
    return Load<uint32_t>(body + at, record.order);
  };
  key.ip = ip < 0 ? 0 : word(ip);
  key.pid = thread < 0 ? -1 : static_cast<int32_t>(half(thread));
  key.tid = thread < 0 ? -1 : static_cast<int32_t>(half(thread + 4));
  key.cpu = cpu < 0 ? ~0u : half(cpu);
  key.period = period < 0 ? default_period : word(period);
  key.event = event;
  key.sched_tid = SampleKey::kNotRead;
  return true;
}

}  // namespace perf2x
