// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/record_mutator.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "converter/perf/records/all_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using Record = RecordSequence::Record;

constexpr size_t kMaxRecords = 20'000;
constexpr uint64_t kInteresting[] = {
    0,
    1,
    2,
    7,
    8,
    16,
    127,
    255,
    256,
    4095,
    0x7fff,
    0xffff,
    65'528,
    1 << 20,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    uint64_t{1} << 47,
    ~uint64_t{0},
    uint64_t{1} << 63,
    kContextUser,
    kContextKernel,
    kContextUserDeferred,
    0xffffffff81000000,
};

const std::vector<uint32_t>& KnownTypes() {
  static const auto& kTypes = *new std::vector<uint32_t>([] {
    std::vector<uint32_t> types;
    AllRecords::ForEach(
        [&](auto record) { types.push_back(decltype(record)::kType); });
    return types;
  }());
  return kTypes;
}

// Places of the fields by which an event's records are told apart: in samples
// from the start of the body, in the trailers of other records from the end of
// the body. -1: the field is absent.
struct Places {
  struct Place {
    int64_t at = -1;
    size_t size = 8;
  };
  // identifier, ip, pid, tid, time, addr, id, stream, cpu, period
  std::vector<Place> sample, trailer;
};

Places PlacesOf(uint64_t sample_type) {
  Places out;
  int64_t at = 0;
  const auto add = [&](uint64_t bit, size_t parts) {
    if ((sample_type & bit) == 0) return;
    for (size_t i = 0; i < parts; ++i) {
      out.sample.push_back(
          {at + static_cast<int64_t>(i * 8 / parts), 8 / parts});
    }
    at += 8;
  };
  add(kSampleIdentifier, 1);
  add(kSampleIp, 1);
  add(kSampleTid, 2);
  add(kSampleTime, 1);
  add(kSampleAddr, 1);
  add(kSampleId, 1);
  add(kSampleStreamId, 1);
  add(kSampleCpu, 2);
  add(kSamplePeriod, 1);
  // The values after these fields: counts of readings, callchains, raw bytes.
  out.sample.push_back({at, 8});
  out.sample.push_back({at, 4});
  int64_t back = 0;
  const auto add_back = [&](uint64_t bit, size_t parts) {
    if ((sample_type & bit) == 0) return;
    back += 8;
    for (size_t i = 0; i < parts; ++i) {
      out.trailer.push_back(
          {back - static_cast<int64_t>(i * 8 / parts), 8 / parts});
    }
  };
  add_back(kSampleIdentifier, 1);
  add_back(kSampleCpu, 2);
  add_back(kSampleStreamId, 1);
  add_back(kSampleId, 1);
  add_back(kSampleTime, 1);
  add_back(kSampleTid, 2);
  return out;
}

class Mutator {
 public:
  Mutator(const RecordSequence& other, Random& random, RecordSequence* list)
      : other_(other), random_(random), list_(*list), records_(list->records) {
    for (const Record& record : records_) {
      if (record.type != kRecordHeaderAttr) continue;
      places_.push_back(PlacesOf(WordAt(record, 24, 8, list_.order)));
      if (places_.size() == 4) break;
    }
  }

  void Run() {
    for (uint64_t left = 1 + random_.Magnitude(24); left > 0; --left) Once();
    if (records_.size() > kMaxRecords) records_.resize(kMaxRecords);
    if (random_.OneIn(12)) Repeat();
  }

 private:
  void Once() {
    if (records_.empty()) return New();
    switch (random_.Below(16)) {
      case 0:
        return Move();
      case 1:
        return Reorder();
      case 2:
        return Duplicate();
      case 3:
        return Drop();
      case 4:
        return Splice();
      case 5:
      case 6:
        return DelayHead();
      case 7:
        return New();
      case 8:
        return Retype();
      case 9:
        return Resize();
      case 10:
        return ChangeAttr();
      case 11:
      case 12:
        return ChangePlace();
      default:
        return ChangeWord(&random_.Pick(records_));
    }
  }

  struct Range {
    size_t first, last;
  };
  Range AnyRun(size_t size) {
    const size_t first = random_.Below(size);
    const size_t most = size - first;
    return {first, first + std::min<size_t>(1 + random_.Magnitude(200), most)};
  }
  auto At(size_t i) { return records_.begin() + static_cast<ptrdiff_t>(i); }

  void Move() {
    const Range run = AnyRun(records_.size());
    const size_t to = random_.Below(records_.size() + 1);
    if (to < run.first) {
      std::rotate(At(to), At(run.first), At(run.last));
    } else if (to > run.last) {
      std::rotate(At(run.first), At(run.last), At(to));
    }
  }

  void Reorder() {
    const Range run = AnyRun(records_.size());
    if (random_.OneIn(2)) return std::reverse(At(run.first), At(run.last));
    for (size_t i = run.first; i < run.last; ++i) {
      std::swap(records_[i],
                records_[run.first + random_.Below(run.last - run.first)]);
    }
  }

  void Insert(std::vector<Record> run) {
    records_.insert(At(random_.Below(records_.size() + 1)), run.begin(),
                    run.end());
  }
  void Duplicate() {
    const Range run = AnyRun(records_.size());
    Insert({At(run.first), At(run.last)});
  }
  void Drop() {
    const Range run = AnyRun(records_.size());
    records_.erase(At(run.first), At(run.last));
  }
  void Splice() {
    if (other_.records.empty()) return;
    const Range run = AnyRun(other_.records.size());
    const auto from = other_.records.begin();
    Insert({from + static_cast<ptrdiff_t>(run.first),
            from + static_cast<ptrdiff_t>(run.last)});
  }

  // Moves or copies a record that describes an event or a feature to another
  // place, perhaps with another id.
  void DelayHead() {
    const size_t head = list_.HeadSize();
    if (head == 0) return;
    const size_t at = random_.Below(head);
    Record record = records_[at];
    if (record.type == kRecordHeaderAttr && random_.OneIn(2)) {
      const size_t attr = WordAt(record, 4, 4, list_.order);
      SetWordAt(&record, attr, 8, AnyNumber(), list_.order);
    }
    if (random_.OneIn(2)) records_.erase(At(at));
    Insert({std::move(record)});
  }

  void New() {
    Record record;
    record.type = random_.Pick(KnownTypes());
    record.body.resize(random_.Magnitude(40) * 8);
    for (uint64_t n = random_.Below(8); n > 0; --n) ChangeWord(&record);
    Insert({std::move(record)});
  }

  void Retype() {
    Record& record = random_.Pick(records_);
    switch (random_.Below(4)) {
      case 0:
        record.misc = static_cast<uint16_t>(random_.Next());
        break;
      case 1:
        record.misc ^= static_cast<uint16_t>(1 << random_.Below(16));
        break;
      case 2:
        record.type = random_.Pick(records_).type;
        break;
      default:
        record.type = random_.OneIn(8)
                          ? static_cast<uint32_t>(random_.Magnitude(~0u))
                          : random_.Pick(KnownTypes());
    }
  }

  void Resize() {
    Record& record = random_.Pick(records_);
    const size_t size = record.body.size();
    if (random_.OneIn(2)) {
      record.body.resize(size - std::min(size, random_.Magnitude(size)));
    } else {
      const uint64_t most = random_.OneIn(10) ? 65'527 : 256;
      record.body.resize(
          std::min<size_t>(65'527, size + random_.Magnitude(most)),
          random_.OneIn(2) ? 0 : 'x');
    }
    if (record.payload.empty()) return;
    record.payload.resize(random_.Magnitude(record.payload.size()));
  }

  // Changes words of an attribute on which the layout of samples depends.
  void ChangeAttr() {
    std::vector<Record*> attrs;
    for (Record& record : records_) {
      if (record.type == kRecordHeaderAttr) attrs.push_back(&record);
    }
    if (attrs.empty()) return;
    constexpr size_t kWords[] = {0, 8, 16, 24, 24, 32, 40, 56, 72, 80, 88, 96};
    Record* const attr = random_.Pick(attrs);
    const size_t at = random_.Pick(kWords);
    const uint64_t word = WordAt(*attr, at, 8, list_.order);
    SetWordAt(attr, at, 8,
              random_.OneIn(4) ? AnyNumber()
                               : word ^ (uint64_t{1} << random_.Below(42)),
              list_.order);
  }

  // Changes a field that all samples or trailers have, often to another
  // record's value of it.
  void ChangePlace() {
    if (places_.empty()) return;
    const Places& places = random_.Pick(places_);
    Record& record = random_.Pick(records_);
    const bool sample = record.type == kRecordSample;
    const auto& all = sample ? places.sample : places.trailer;
    if (all.empty()) return;
    const Places::Place& place = random_.Pick(all);
    const auto of = [&](const Record& r) {
      return sample ? static_cast<size_t>(place.at)
                    : r.body.size() - static_cast<size_t>(place.at);
    };
    const Record& model = random_.Pick(records_);
    const uint64_t old = WordAt(record, of(record), place.size, list_.order);
    const uint64_t value =
        random_.OneIn(2) && model.type == record.type
            ? WordAt(model, of(model), place.size, list_.order)
            : Near(old);
    SetWordAt(&record, of(record), place.size, value, list_.order);
  }

  uint64_t AnyNumber() {
    return random_.OneIn(2) ? random_.Pick(kInteresting)
                            : random_.Magnitude(~uint64_t{0});
  }
  uint64_t Near(uint64_t value) {
    switch (random_.Below(4)) {
      case 0:
        return AnyNumber();
      case 1:
        return value + random_.Magnitude(1 << 20);
      case 2:
        return value - random_.Magnitude(1 << 20);
      default:
        return value ^ (uint64_t{1} << random_.Below(64));
    }
  }

  // Changes an aligned number of one of the usual sizes, more often near the
  // ends of the body, where most records have numbers.
  void ChangeWord(Record* record) {
    constexpr size_t kSizes[] = {8, 8, 4, 4, 2};
    const size_t size = random_.Pick(kSizes);
    const size_t places = record->body.size() / size;
    if (places == 0) return;
    size_t place = random_.OneIn(4) ? random_.Below(places)
                                    : random_.Magnitude(places - 1);
    if (random_.OneIn(4)) place = places - 1 - place;
    uint64_t value = Near(WordAt(*record, place * size, size, list_.order));
    if (!records_.empty() && random_.OneIn(4)) {
      // Takes a number from anywhere in another record.
      const Record& model = random_.Pick(records_);
      value = WordAt(model, random_.Below(model.body.size() / size + 1) * size,
                     size, list_.order);
    }
    SetWordAt(record, place * size, size, value, list_.order);
  }

  // Repeats some records: for up to 4 MB, or to about the largest size that
  // perf2x decompresses.
  void Repeat() {
    if (records_.empty()) return;
    RecordSequence::Repeat& repeat = list_.repeat;
    repeat.first = random_.Below(records_.size());
    repeat.count = std::min<size_t>(records_.size() - repeat.first,
                                    1 + random_.Magnitude(5));
    repeat.bytes = random_.OneIn(6) ? 62'000'000 + random_.Below(10'000'000)
                                    : 1 + random_.Magnitude(uint64_t{4} << 20);
    if (random_.OneIn(2)) return;
    repeat.place = 4 * random_.Magnitude(12);
    repeat.step = static_cast<uint32_t>(1 + random_.Magnitude(0x10000));
    repeat.rounds = static_cast<uint32_t>(2 + random_.Magnitude(30'000));
  }

  const RecordSequence& other_;
  Random& random_;
  RecordSequence& list_;
  std::vector<Record>& records_;
  std::vector<Places> places_;
};

}  // namespace

void MutateRecords(const RecordSequence& other, Random& random,
                   RecordSequence* list) {
  Mutator(other, random, list).Run();
}

Storage AnyStorage(const RecordSequence& list, Random& random) {
  Storage storage;
  const bool large = list.repeat.bytes > storage.max_plain;
  storage.container = static_cast<Storage::Container>(random.Below(3));
  if (large && random.OneIn(2)) {
    storage.container = Storage::Container::kFolder;
  }
  const bool folder = storage.container == Storage::Container::kFolder;
  if (random.OneIn(folder ? 2 : 4)) {
    storage.wrapping = static_cast<Storage::Wrapping>(1 + random.Below(4));
  }
  if (large || random.OneIn(3)) {
    storage.compressed =
        random.OneIn(2) ? kRecordCompressed : kRecordCompressed2;
    storage.compress_from =
        random.OneIn(4) ? 0 : list.HeadSize() + random.Magnitude(50);
    if (large && storage.compress_from > list.repeat.first) {
      storage.compress_from = random.OneIn(4) ? 0 : list.repeat.first;
    }
    storage.chunk = large ? 1 << 20 : 1 + random.Magnitude(1 << 20);
    storage.slice = large ? 60'000 : 16 + random.Magnitude(65'000);
    storage.frames = random.OneIn(3);
  }
  if (folder) {
    storage.data_files = random.Below(5);
    storage.data_is_pipe = random.OneIn(2);
  }
  storage.says_wrong_order = random.OneIn(40);
  return storage;
}

}  // namespace perf2x
