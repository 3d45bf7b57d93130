// SPDX-License-Identifier: Apache-2.0
#include "bench/population.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>

#include "bench/random.h"

namespace perf2x::bench {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kContextKernel = static_cast<uint64_t>(-128);
constexpr uint64_t kContextUser = static_cast<uint64_t>(-512);
constexpr uint32_t kFirstPid = 1000;
constexpr uint32_t kMaxThreads = 4;
constexpr uint64_t kKernelShare = 50;   // one kernel address in so many
constexpr uint64_t kKernelStacks = 10;  // one kernel stack in so many

// Returns `count` places spread over the binary's functions, never a function's
// first byte: readers look up a return address one byte before it.
AddressPool SpreadOver(const Binary& binary, uint64_t count, uint64_t seed) {
  AddressPool pool;
  uint64_t room = binary.function_bytes - binary.functions.size();
  count = std::min(count, room / 2);
  auto function = binary.functions.begin();
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double at = static_cast<double>(i) +
                static_cast<double>(Below(Mix(seed, i), 1000)) / 1000.0;
    uint64_t place = static_cast<uint64_t>(at * static_cast<double>(room) /
                                           static_cast<double>(count));
    while (place - before >= function->size - 1) {
      before += function->size - 1;
      ++function;
    }
    pool.offsets.push_back(
        static_cast<uint32_t>(function->offset + 1 + (place - before)));
  }
  return pool;
}

}  // namespace

Population::Population(const Shape& shape, std::vector<Binary> binaries,
                       Binary kernel)
    : shape_(shape),
      binaries_(std::move(binaries)),
      kernel_(std::move(kernel)) {
  MakePrograms(std::max<uint64_t>(3, shape_.mappings / shape_.processes));
  FillPools(shape_.addresses);
  MakeProcesses();
  tree_bits_ = std::bit_width(shape_.stacks / tasks_.size() + 1);
}

void Population::MakePrograms(uint64_t mappings_each) {
  std::vector<uint32_t> executables, libraries;
  for (uint32_t i = 0; i < binaries_.size(); ++i) {
    (binaries_[i].executable ? executables : libraries).push_back(i);
  }
  if (executables.empty() || libraries.empty()) {
    std::fprintf(stderr, "generate: no binaries with symbols found\n");
    std::exit(1);
  }
  size_t wanted = std::min<size_t>(mappings_each - 2, libraries.size());
  uint64_t count = std::max<uint64_t>(1, shape_.processes / 20);
  for (uint64_t i = 0; i < count; ++i) {
    Random random(Mix(shape_.seed, 1, i));
    std::vector<uint32_t> program = {executables[i % executables.size()]};
    // The C library comes first; every program maps it.
    std::vector<uint32_t> rest(libraries.begin() + 1, libraries.end());
    program.push_back(libraries[0]);
    while (program.size() < wanted + 1) {
      size_t pick = random.Below(rest.size());
      program.push_back(rest[pick]);
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(pick));
    }
    programs_.push_back(std::move(program));
  }
}

void Population::FillPools(uint64_t addresses) {
  std::vector<bool> mapped(binaries_.size());
  for (const auto& program : programs_) {
    for (uint32_t b : program) mapped[b] = true;
  }
  uint64_t bytes = 0;
  for (size_t b = 0; b < binaries_.size(); ++b) {
    if (mapped[b]) bytes += binaries_[b].function_bytes;
  }
  bool with_kernel = !kernel_.functions.empty();
  uint64_t user = addresses - (with_kernel ? addresses / kKernelShare : 0);
  for (size_t b = 0; b < binaries_.size(); ++b) {
    double part = static_cast<double>(binaries_[b].function_bytes) /
                  static_cast<double>(bytes);
    uint64_t count = static_cast<uint64_t>(part * static_cast<double>(user));
    pools_.push_back(
        mapped[b] ? SpreadOver(binaries_[b], count + 1, Mix(shape_.seed, 2, b))
                  : AddressPool());
  }
  pools_.push_back(with_kernel
                       ? SpreadOver(kernel_, addresses / kKernelShare + 1,
                                    Mix(shape_.seed, 3))
                       : AddressPool());
  for (const AddressPool& pool : pools_)
    used_.emplace_back(pool.offsets.size());
  for (const auto& program : programs_) {
    std::vector<uint64_t> sums;
    uint64_t sum = 0;
    for (uint32_t b : program) sums.push_back(sum += pools_[b].offsets.size());
    weights_.push_back(std::move(sums));
  }
}

// Places mappings as the loader and the kernel do: a program at 0x55…,
// libraries downwards from 0x7f…, each at a random page.
void Population::PlaceMappings(Process& process, uint64_t seed) {
  Random random(seed);
  uint64_t library = 0x7f0000000000 + random.Below(1 << 27) * kPage;
  for (uint32_t b : programs_[process.program]) {
    const Binary& binary = binaries_[b];
    uint64_t base = binary.address;
    if (!binary.fixed && binary.executable) {
      base += 0x555500000000 + random.Below(1 << 27) * kPage;
    } else if (!binary.fixed) {
      library -= binary.address + binary.size + random.Below(1 << 9) * kPage;
      base += library;
    }
    process.bases.push_back(base);
  }
  process.bases.push_back(0x7ffc00000000 +
                          random.Below(1 << 20) * kPage);  // [vdso]
}

void Population::MakeProcesses() {
  Random random(Mix(shape_.seed, 4));
  uint64_t old = std::max<uint64_t>(1, shape_.processes * 7 / 10);
  for (uint64_t i = 0; i < shape_.processes; ++i) {
    Process p;
    p.pid = kFirstPid + static_cast<uint32_t>(i) * 2 * kMaxThreads;
    p.program = static_cast<uint32_t>(random.Below(programs_.size()));
    p.threads = 1 + static_cast<uint32_t>(random.Below(kMaxThreads));
    p.end = uint64_t{1} << 32;
    if (i >= old) {
      p.live = true;
      p.execs = random.Below(3) != 0;
      p.parent = static_cast<uint32_t>(random.Below(old));
      p.start = random.Below(uint64_t{9} << 28) + (uint64_t{1} << 27);
      p.end = p.start + (uint64_t{1} << 29) + random.Below(uint64_t{1} << 30);
    }
    if (p.execs) {
      PlaceMappings(p, Mix(shape_.seed, 5, i));
    } else {
      p.program = processes_[p.parent].program;
      p.bases = processes_[p.parent].bases;
    }
    for (uint32_t t = 0; t < p.threads; ++t) {
      tasks_.push_back({static_cast<uint32_t>(i), t});
    }
    processes_.push_back(std::move(p));
  }
}

std::string Population::Comm(const Task& task) const {
  if (task.thread != 0) return "worker-" + std::to_string(task.thread);
  const Binary& main =
      binaries_[programs_[processes_[task.process].program][0]];
  return std::filesystem::path(main.path).filename().string().substr(0, 15);
}

uint64_t Population::PickKernel(uint64_t hash) {
  const AddressPool& pool = pools_.back();
  uint64_t i = SkewedBelow(hash, pool.offsets.size());
  used_.back()[i] = true;
  return kernel_.address + pool.offsets[i];
}

// Level 0 is the start of a thread, in the C library; levels 1 and 2 are in the
// program.
uint64_t Population::PickUser(const Process& process, uint64_t level,
                              uint64_t hash) {
  const std::vector<uint32_t>& program = programs_[process.program];
  const std::vector<uint64_t>& sums = weights_[process.program];
  size_t slot = level == 0 ? 1 : 0;
  if (level > 2) {
    uint64_t at = Below(Mix(hash, 1), sums.back());
    slot = static_cast<size_t>(std::upper_bound(sums.begin(), sums.end(), at) -
                               sums.begin());
  }
  const AddressPool& pool = pools_[program[slot]];
  uint64_t i = SkewedBelow(hash, pool.offsets.size());
  used_[program[slot]][i] = true;
  return process.bases[slot] + pool.offsets[i];
}

void Population::MakeCallchain(uint32_t task, uint64_t stack,
                               std::vector<uint64_t>* chain, bool* user_mode) {
  const Process& process = processes_[tasks_[task].process];
  // Half of a thread's stacks are the same in every process of its program.
  bool shared = Mix(shape_.seed, 6, stack) % 2 == 0;
  uint64_t key =
      shared ? Mix(shape_.seed, 7, process.program) : Mix(shape_.seed, 8, task);
  uint64_t nature = Mix(key, 9, stack);
  uint64_t depth = shape_.depth / 2 + Below(nature, shape_.depth + 1);
  bool kernel =
      !pools_.back().offsets.empty() && Mix(nature, 1) % kKernelStacks == 0;

  chain->clear();
  uint64_t kernel_frames =
      kernel ? std::min<uint64_t>(depth / 2, 3 + Mix(nature, 2) % 6) : 0;
  *user_mode = kernel_frames == 0;
  if (kernel_frames != 0) chain->push_back(kContextKernel);
  for (uint64_t i = 0; i < kernel_frames; ++i) {
    chain->push_back(PickKernel(Mix(nature, 3, i)));
  }
  chain->push_back(kContextUser);
  // Stacks whose numbers share high bits share their outermost frames: a tree
  // in which each stack is a leaf.
  size_t first = chain->size();
  uint64_t user_frames = depth > first ? depth - first : 1;
  for (uint64_t level = 0; level < user_frames; ++level) {
    uint64_t known =
        tree_bits_ * level / std::max<uint64_t>(1, shape_.depth / 3);
    uint64_t branch =
        known >= tree_bits_ ? stack : stack >> (tree_bits_ - known);
    chain->push_back(PickUser(process, level, Mix(key, level, branch)));
  }
  std::reverse(chain->begin() + static_cast<ptrdiff_t>(first), chain->end());
}

uint64_t Population::AddressesUsed() const {
  uint64_t sum = 0;
  for (const std::vector<bool>& pool : used_) {
    sum += static_cast<uint64_t>(std::count(pool.begin(), pool.end(), true));
  }
  return sum;
}

}  // namespace perf2x::bench
