// SPDX-License-Identifier: Apache-2.0

// Measures each stage that every sample or frame goes through. The data is as
// large as that of a large recording, so that cache misses cost as much as
// there.

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "converter/base/gzip_output.h"
#include "converter/base/hash.h"
#include "converter/emit/pprof/pprof_writer.h"
#include "converter/emit/sample_rows.h"
#include "converter/model/frame_table.h"
#include "converter/model/stack_table.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/block_feed.h"
#include "converter/perf/stream/framer.h"
#include "converter/perf/stream/time_order.h"
#include "converter/session/address_map.h"
#include "converter/session/flat_maps.h"

namespace perf2x {
namespace {

constexpr size_t kBody = 184;  // bytes of a sample with 16 frames
constexpr uint64_t kSamples = 1 << 16;

uint64_t Next(uint64_t* random) {
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return *random >> 20;
}

BlockRef Samples() {
  auto block = std::make_unique<MemoryBlock>(kSamples * (8 + kBody));
  block->set_size(block->capacity());
  uint64_t random = 1;
  for (uint64_t i = 0; i < kSamples; ++i) {
    uint8_t* p = block->data() + i * (8 + kBody);
    Store<uint32_t>(kRecordSample, p, kHostOrder);
    Store<uint32_t>(uint32_t{8 + kBody} << 16, p + 4, kHostOrder);
    for (size_t at = 8; at < 8 + kBody; at += 8) {
      Store<uint64_t>(Next(&random), p + at, kHostOrder);
    }
  }
  return BlockRef(std::move(block));
}

void BM_Frame(benchmark::State& state) {
  const BlockRef samples = Samples();
  for (auto _ : state) {
    Framer framer(RangeFeed(samples, samples->bytes()), 0, kHostOrder);
    RawRecord record;
    uint64_t bytes = 0;
    while (framer.Next(&record)) bytes += record.body.size();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(state.iterations() * kSamples);
}
BENCHMARK(BM_Frame);

// Orders rounds of 4096 records from `range` buffers.
void BM_Order(benchmark::State& state) {
  const BlockRef samples = Samples();
  const auto buffers = static_cast<uint64_t>(state.range(0));
  for (auto _ : state) {
    TimeOrder order(false, kDefaultMaxMemory, Budget::Unlimited());
    uint64_t given = 0;
    const auto no_key = [](TimedRecord* to) { to->key.event = kNoEvent; };
    const auto take = [&](const OrderedRecords& ordered) {
      given += ordered.records.size();
      return absl::OkStatus();
    };
    RawRecord record;
    record.block = &samples;
    constexpr uint64_t kRound = 4096;
    for (uint64_t i = 0; i < kSamples; ++i) {
      record.type = kRecordSample;
      record.body = samples->bytes().subspan(i * (8 + kBody) + 8, kBody);
      const uint64_t in_round = i % kRound, each = kRound / buffers;
      const uint64_t time = i - in_round + in_round % each * buffers + 1;
      if (!order.Add(record, time, no_key, take).ok())
        state.SkipWithError("add");
      if (in_round == kRound - 1 && !order.EndRound(take).ok()) {
        state.SkipWithError("round");
      }
    }
    if (!order.Finish(take).ok()) state.SkipWithError("finish");
    benchmark::DoNotOptimize(given);
  }
  state.SetItemsProcessed(state.iterations() * kSamples);
}
BENCHMARK(BM_Order)->Arg(2)->Arg(64);

void BM_HashChain(benchmark::State& state) {
  const BlockRef samples = Samples();
  uint64_t i = 0, sum = 0;
  for (auto _ : state) {
    sum +=
        HashBytes(samples->bytes().subspan(i++ % kSamples * (8 + kBody), 136))
            .low;
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HashChain);

// Interns stacks, of which every other one is new, up to `range` of them.
void BM_InternStack(benchmark::State& state) {
  const auto most = static_cast<uint64_t>(state.range(0));
  static constexpr uint8_t kChain[136] = {};
  auto table = std::make_unique<StackTable>();
  uint64_t random = 1, made = 0;
  constexpr uint64_t kAhead = 16;
  Hash128 waiting[kAhead] = {};
  uint64_t i = 0;
  for (auto _ : state) {
    if (made == most) {
      state.PauseTiming();
      table = std::make_unique<StackTable>();
      made = 0;
      state.ResumeTiming();
    }
    const uint64_t n = i % 2 == 0 ? made++ : Next(&random) % (made + 1);
    Hash128& slot = waiting[i++ % kAhead];
    benchmark::DoNotOptimize(table->Intern(slot, 0, kChain, /*stable=*/true));
    slot = {n * 0x9e3779b97f4a7c15u, n * 0xd6e8feb86659fd93u};
    table->Prefetch(slot);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_InternStack)->Arg(1 << 14)->Arg(1 << 21);

// Interns frames that the table has already, `range` of them.
void BM_InternFrame(benchmark::State& state) {
  const auto most = static_cast<uint64_t>(state.range(0));
  FrameTable table;
  for (uint64_t i = 0; i < most; ++i) {
    table.Intern(FrameTable::HashOf(1, i), 1, 0, i);
  }
  uint64_t random = 1, i = 0;
  constexpr uint64_t kAhead = 16;
  uint64_t waiting[kAhead] = {};
  for (auto _ : state) {
    uint64_t& address = waiting[i++ % kAhead];
    benchmark::DoNotOptimize(
        table.Intern(FrameTable::HashOf(1, address), 1, 0, address));
    address = Next(&random) % most;
    table.Prefetch(FrameTable::HashOf(1, address));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_InternFrame)->Arg(1 << 14)->Arg(800'000);

// Looks up addresses among `range` mappings.
template <class Map>
void BM_FindMapping(benchmark::State& state) {
  const auto mappings = static_cast<uint64_t>(state.range(0));
  AddressMap::Arena arena;
  AddressMap tree;
  for (uint64_t i = 0; i < mappings; ++i) {
    tree.Insert({.start = i << 20,
                 .end = (i + 1) << 20,
                 .dso = 0,
                 .mapping = 0,
                 .code = MappedCode::kFile},
                arena);
  }
  Map map(tree);
  uint64_t random = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.Find(Next(&random) % (mappings << 20)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_FindMapping<AddressMap>)->Arg(25)->Arg(1000);
BENCHMARK(BM_FindMapping<FlatMap>)->Arg(25)->Arg(1000);

// Sums samples of two threads that share `range` stacks.
void BM_AddRow(benchmark::State& state) {
  const auto stacks = static_cast<uint64_t>(state.range(0));
  Pipeline pipeline(1);
  SampleRows rows(pipeline);
  uint64_t random = 1;
  for (auto _ : state) {
    const uint64_t n = Next(&random);
    rows.Add({static_cast<StackId>(n % stacks),
              static_cast<LabelSetId>(n >> 40 & 1), 0},
             /*space=*/0, 1);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_AddRow)->Arg(1 << 14)->Arg(1 << 21);

class Nowhere final : public Output {
 public:
  absl::Status Write(absl::string_view bytes) override {
    benchmark::DoNotOptimize(bytes.data());
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }
};

void BM_EncodeSample(benchmark::State& state) {
  Nowhere nowhere;
  PprofWriter writer(nowhere);
  std::vector<FrameId> frames(16);
  uint64_t random = 1;
  for (FrameId& frame : frames) frame = Next(&random) % 800'000;
  const std::vector<uint64_t> values = {1, 1'000'000};
  const std::string labels(24, 'x');
  for (auto _ : state) {
    writer.SetFrames(frames);
    if (!writer.Sample(values, labels).ok()) state.SkipWithError("write");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EncodeSample);

// Compresses bytes like those of samples, of which half repeat.
void BM_Gzip(benchmark::State& state) {
  std::string bytes(1 << 20, '\0');
  uint64_t random = 1;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    const uint64_t word = at % 16 == 0 ? Next(&random) : 0x1201020304050607;
    std::memcpy(&bytes[at], &word, 8);
  }
  for (auto _ : state) {
    HelperPool helpers("bench", 1);
    GzipOutput gzip(std::make_unique<Nowhere>(), &helpers);
    for (int i = 0; i < 16; ++i) {
      if (!gzip.Write(bytes).ok()) state.SkipWithError("write");
    }
    if (!gzip.Close().ok()) state.SkipWithError("close");
  }
  state.SetBytesProcessed(state.iterations() * 16 *
                          static_cast<int64_t>(bytes.size()));
}
BENCHMARK(BM_Gzip)->UseRealTime();

}  // namespace
}  // namespace perf2x

BENCHMARK_MAIN();
