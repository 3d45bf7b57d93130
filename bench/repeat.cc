// SPDX-License-Identifier: Apache-2.0

// Makes a large recording out of a small real one: repeats the records, each
// time with other pids and later times. For data that cannot be made up, such
// as user stack dumps that call frame information unwinds.
//
// Takes file-mode recordings of one event, uncompressed, of this byte order.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "bench/perf_data_writer.h"

namespace perf2x::bench {
namespace {

// Offsets in the file header and in an attribute.
constexpr size_t kAttrsAt = 24, kDataAt = 40, kDataSizeAt = 48;
constexpr size_t kSampleTypeAt = 24;
constexpr uint32_t kPidStep = 1 << 16;
constexpr uint32_t kFirstUserRecord = 64;

using Bytes = std::vector<uint8_t>;

template <class T>
T Get(const Bytes& bytes, size_t at) {
  T v;
  if (at + sizeof v > bytes.size()) {
    std::fprintf(stderr, "repeat: the recording ends too early\n");
    std::exit(1);
  }
  std::memcpy(&v, &bytes[at], sizeof v);
  return v;
}

// Adds to a number in `bytes`.
template <class T>
void Shift(Bytes& bytes, size_t at, T by) {
  const T v = Get<T>(bytes, at) + by;
  std::memcpy(&bytes[at], &v, sizeof v);
}

// Shifts the pids and times of the records of one event.
class Shifter {
 public:
  explicit Shifter(uint64_t sample_type) : bits_(sample_type) {}

  // Returns the offset of a record's time; 0 if it has none.
  size_t TimeAt(const Bytes& record) const {
    if ((bits_ & kTime) == 0) return 0;
    const size_t before = bits_ & kTid ? 8 : 0;
    if (Get<uint32_t>(record, 0) == kSample) return SampleTidAt() + before;
    return record.size() - TrailerBytes() + before;
  }
  void Apply(Bytes& record, uint32_t pids, uint64_t nanos) const {
    const uint32_t type = Get<uint32_t>(record, 0);
    if (type == kSample) {
      ShiftPids(record, SampleTidAt(), 2, pids);
    } else {
      const bool forks = type == kFork || type == kExit;
      if (forks) Shift<uint64_t>(record, 24, nanos);
      ShiftPids(record, 8, forks ? 4 : 2, pids);
      ShiftPids(record, record.size() - TrailerBytes(), 2, pids);
    }
    const size_t time = TimeAt(record);
    if (time != 0 && Get<uint64_t>(record, time) != 0) {
      Shift<uint64_t>(record, time, nanos);
    }
  }

 private:
  size_t SampleTidAt() const {
    return 8 + (bits_ & kIdentifier ? 8 : 0) + (bits_ & kIp ? 8 : 0);
  }
  size_t TrailerBytes() const {
    size_t fields = 0;
    for (uint64_t bit : {uint64_t{kTid}, uint64_t{kTime}, uint64_t{kId},
                         uint64_t{kCpu}, uint64_t{kIdentifier}}) {
      fields += (bits_ & bit) != 0;
    }
    return 8 * fields;
  }
  static void ShiftPids(Bytes& record, size_t at, size_t count, uint32_t pids) {
    for (size_t i = 0; i < count; ++i, at += 4) {
      const uint32_t pid = Get<uint32_t>(record, at);
      if (pid > 1 && pid != ~0u) Shift<uint32_t>(record, at, pids);
    }
  }

  uint64_t bits_;
};

void Write(std::FILE* out, const void* data, size_t size) {
  if (std::fwrite(data, 1, size, out) != size) {
    std::perror("repeat");
    std::exit(1);
  }
}

int Repeat(const char* from, const char* to, uint64_t copies) {
  std::ifstream file(from, std::ios::binary);
  const Bytes in((std::istreambuf_iterator<char>(file)),
                 std::istreambuf_iterator<char>());
  const uint64_t data = Get<uint64_t>(in, kDataAt);
  const uint64_t size = Get<uint64_t>(in, kDataSizeAt);
  const Shifter shifter(
      Get<uint64_t>(in, Get<uint64_t>(in, kAttrsAt) + kSampleTypeAt));
  if (data > in.size() || size > in.size() - data) {
    std::fprintf(stderr, "repeat: %s: data lies outside of the file\n", from);
    return 1;
  }

  std::vector<Bytes> records;
  uint64_t first = ~uint64_t{0}, last = 0;
  for (uint64_t at = data; at < data + size;) {
    const uint16_t bytes = Get<uint16_t>(in, at + 6);
    if (bytes < 8 || bytes > data + size - at) {
      std::fprintf(stderr, "repeat: %s: a record is damaged\n", from);
      return 1;
    }
    records.emplace_back(in.begin() + static_cast<ptrdiff_t>(at),
                         in.begin() + static_cast<ptrdiff_t>(at + bytes));
    at += bytes;
    const Bytes& r = records.back();
    if (Get<uint32_t>(r, 0) >= kFirstUserRecord) continue;
    const size_t time_at = shifter.TimeAt(r);
    const uint64_t time = time_at == 0 ? 0 : Get<uint64_t>(r, time_at);
    if (time == 0) continue;
    first = std::min(first, time);
    last = std::max(last, time);
  }

  std::FILE* out = std::fopen(to, "wb");
  if (out == nullptr) {
    std::perror(to);
    return 1;
  }
  Write(out, in.data(), data);
  uint64_t written = 0;
  for (uint64_t copy = 0; copy < copies; ++copy) {
    const uint64_t nanos = last > first ? copy * (last - first + 1) : 0;
    for (const Bytes& record : records) {
      const uint32_t type = Get<uint32_t>(record, 0);
      Bytes shifted = record;
      if (type < kFirstUserRecord) {
        shifter.Apply(shifted, static_cast<uint32_t>(copy) * kPidStep, nanos);
      } else if (copy != 0 && type != kFinishedRound) {
        continue;
      }
      Write(out, shifted.data(), shifted.size());
      written += shifted.size();
    }
  }
  // The features and their table follow the data, which is now longer.
  Bytes tail(in.begin() + static_cast<ptrdiff_t>(data + size), in.end());
  uint64_t features = 0;
  for (size_t word = 0; word < 4; ++word) {
    features += static_cast<uint64_t>(
        __builtin_popcountll(Get<uint64_t>(in, 72 + 8 * word)));
  }
  for (uint64_t i = 0; i < features; ++i) {
    Shift<uint64_t>(tail, i * 16, written - size);
  }
  Write(out, tail.data(), tail.size());
  std::fseek(out, kDataSizeAt, SEEK_SET);
  Write(out, &written, sizeof written);
  if (std::fclose(out) != 0) {
    std::perror(to);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace perf2x::bench

int main(int argc, char** argv) {
  const long copies = argc == 4 ? std::atol(argv[3]) : 0;
  if (copies < 1 || copies > 30'000) {
    std::fprintf(stderr, "usage: repeat FROM TO COPIES\n");
    return 2;
  }
  return perf2x::bench::Repeat(argv[1], argv[2], static_cast<uint64_t>(copies));
}
