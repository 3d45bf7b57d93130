// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_RECORD_BUFFER_H_
#define PERF2X_BENCH_RECORD_BUFFER_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace perf2x::bench {

// Little-endian bytes of a recording. All functions but Begin and End append
// values: between Begin and End to the body of a record, else to whatever the
// caller writes (a section of the header, a payload). Does not use the
// converter's encoder, so that the two do not share mistakes.
class RecordBuffer {
 public:
  void Begin(uint32_t type, uint16_t misc = 0) {
    start_ = bytes_.size();
    U32(type);
    U16(misc);
    U16(0);
  }
  // Sets the size of the record that was begun last, which must be below 64
  // KiB.
  void End() {
    uint16_t size = static_cast<uint16_t>(bytes_.size() - start_);
    std::memcpy(&bytes_[start_ + 6], &size, sizeof size);
  }

  void U16(uint16_t v) { Put(v); }
  void U32(uint32_t v) { Put(v); }
  void U64(uint64_t v) { Put(v); }
  void Bytes(const void* data, size_t size) {
    if (size == 0) return;
    const size_t at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, data, size);
  }
  void Zeros(size_t size) { bytes_.resize(bytes_.size() + size); }
  // Appends a string, NUL-terminated and padded to a multiple of `align`, as
  // the kernel does.
  void PaddedString(std::string_view s, size_t align = 8) {
    Bytes(s.data(), s.size());
    Zeros(align - s.size() % align);
  }
  // Appends a string as feature sections store it: the padded length, then the
  // padded bytes.
  void FeatureString(std::string_view s) {
    U32(static_cast<uint32_t>(s.size() / 64 * 64 + 64));
    PaddedString(s, 64);
  }

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void Clear() { bytes_.clear(); }

 private:
  template <class T>
  void Put(T v) {
    Bytes(&v, sizeof v);
  }

  std::vector<uint8_t> bytes_;
  size_t start_ = 0;
};

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_RECORD_BUFFER_H_
