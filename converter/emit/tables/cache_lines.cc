// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/cache_lines.h"

#include "converter/base/saturating_add.h"

namespace perf2x {

void CacheLines::Add(const Sample& sample, FunctionId function, DsoId dso) {
  const MemoryAccess& memory = *sample.access;
  const DataAccess& access = memory.access;
  const uint64_t count = sample.count;
  const uint32_t number = LineOf(sample);
  CacheLine& line = lines_[number];
  const auto add = [count](bool is_one, uint64_t* to) {
    if (is_one) *to = SaturatingAdd(*to, count);
  };
  add(true, &line.samples);
  add(access.load, &line.loads);
  add(access.store, &line.stores);
  add(access.hitm_local, &line.hitm_local);
  add(access.hitm_remote, &line.hitm_remote);
  add(access.peer_local, &line.peer_local);
  add(access.peer_remote, &line.peer_remote);
  add(access.llc_miss, &line.llc_misses);
  add(access.tlb_miss, &line.tlb_misses);
  line.weight = SaturatingAdd(line.weight, memory.weight);
  const Thread& thread = tables_.threads[sample.thread];
  const auto pid = static_cast<uint32_t>(thread.pid);
  const auto tid = static_cast<uint32_t>(thread.tid);
  CountDistinct(number, CacheLine::kProcesses, pid);
  CountDistinct(number, CacheLine::kThreads, uint64_t{pid} << 32 | tid);
  if (sample.cpu >= 0) {
    CountDistinct(number, CacheLine::kCpus, static_cast<uint64_t>(sample.cpu));
  }
  CountDistinct(number, CacheLine::kOffsets, memory.address & (line_size_ - 1));
  CountCode({number, function, dso}, count);
  AccountMemory();
}

uint32_t CacheLines::LineOf(const Sample& sample) {
  const uint64_t address = sample.access->address;
  uint64_t in_dso = address;
  Key key;
  key.dso = tables_.Locate(sample.address_space, address, &in_dso);
  // Addresses with the highest bit are the kernel's, the same for all. A child
  // has its parent's DSO of anonymous memory, but a copy of the memory.
  const bool own = key.dso == kNoId
                       ? address >> 63 == 0
                       : tables_.dsos()[key.dso].kind == DsoKind::kAnonymous;
  key.pid = own ? tables_.threads[sample.thread].pid : -1;
  key.address = in_dso & ~(line_size_ - 1);
  const auto [it, inserted] =
      line_of_.try_emplace(key, static_cast<uint32_t>(lines_.size()));
  if (!inserted) return it->second;
  CacheLine& line = lines_.emplace_back();
  line.address = address & ~(line_size_ - 1);
  line.thread = sample.thread;
  if (key.dso != kNoId) {
    // Names of data need no mapping.
    const FramePlace place(FrameTable::HashOf(key.dso, in_dso), in_dso, key.dso,
                           /*in=*/kNoId);
    line.data_frame = tables_.InternFrame(place);
  }
  return it->second;
}

void CacheLines::CountDistinct(uint32_t line, CacheLine::Distinct kind,
                               uint64_t value) {
  if (seen_.insert({line, kind, value}).second) ++lines_[line].distinct[kind];
}

// Of places with equally many accesses, the first to have them is kept.
void CacheLines::CountCode(const Code& code, uint64_t count) {
  uint64_t& samples = samples_of_[code];
  samples = SaturatingAdd(samples, count);
  CacheLine& line = lines_[code.line];
  if (samples <= line.function_samples) return;
  line.function_samples = samples;
  line.function = code.function;
  line.function_dso = code.dso;
}

void CacheLines::AccountMemory() {
  // Of vectors and hash tables, which may be half empty. With a line comes a
  // frame.
  constexpr size_t kOfLine = 2 * sizeof(CacheLine) + 128;
  constexpr size_t kOfEntry = 64, kAccountAt = 1024;
  const size_t entries = seen_.size() + samples_of_.size();
  if (lines_.size() + entries < accounted_ + kAccountAt) return;
  accounted_ = lines_.size() + entries;
  memory_.Set(lines_.size() * kOfLine + entries * kOfEntry);
}

}  // namespace perf2x
