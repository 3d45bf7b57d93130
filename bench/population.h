// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_POPULATION_H_
#define PERF2X_BENCH_POPULATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/binaries.h"

namespace perf2x::bench {

// The dimensions of a generated recording.
struct Shape {
  uint64_t seed = 1;
  uint64_t samples = 4'280'000;
  uint64_t stacks = 2'000'000;   // distinct (thread, callchain) pairs
  uint64_t addresses = 800'000;  // distinct (file, offset) pairs
  uint64_t processes = 1'000;
  uint64_t mappings = 16'000;  // executable mappings of all processes
  uint64_t cpus = 8;
  uint64_t depth = 17;  // mean callchain entries, with context markers
};

// The code of a binary that appears in stacks: offsets from the mapping's
// start.
struct AddressPool {
  std::vector<uint32_t> offsets;
};

struct Process {
  uint32_t pid = 0;
  uint32_t parent = 0;  // index of the forking process, if `live`
  uint32_t program = 0;
  uint32_t threads = 1;
  bool live = false;            // starts and ends while recording
  bool execs = true;            // else has its parent's mappings
  uint64_t start = 0, end = 0;  // fractions of the recording, in 2^-32
  std::vector<uint64_t> bases;  // run-time address of each mapping
};

// A thread, the unit that is scheduled and sampled.
struct Task {
  uint32_t process = 0;
  uint32_t thread = 0;  // the tid is the process's pid plus `thread`
};

// The processes of a generated recording with their mappings and stacks.
// Depends on the shape and the machine's files alone. The constructor ends the
// program with a message if `binaries` lacks a program or a library. Not
// thread-safe.
class Population {
 public:
  Population(const Shape& shape, std::vector<Binary> binaries, Binary kernel);

  const std::vector<Binary>& binaries() const { return binaries_; }
  const Binary& kernel() const { return kernel_; }
  // Returns the binaries that program `i` maps, as indices into binaries(), the
  // executable first.
  const std::vector<uint32_t>& program(uint32_t i) const {
    return programs_[i];
  }
  const std::vector<Process>& processes() const { return processes_; }
  const std::vector<Task>& tasks() const { return tasks_; }
  // Returns the task's name, of at most 15 bytes.
  std::string Comm(const Task& task) const;

  // Sets `*chain` to the callchain of a task's stack number `stack`, with
  // context markers, as in a sample. `task` is an index into tasks(). Sets
  // `*user_mode` to whether the callchain begins in user space.
  void MakeCallchain(uint32_t task, uint64_t stack,
                     std::vector<uint64_t>* chain, bool* user_mode);

  // Returns the number of distinct addresses in the callchains so far.
  uint64_t AddressesUsed() const;

 private:
  void FillPools(uint64_t addresses);
  void MakePrograms(uint64_t mappings_each);
  void MakeProcesses();
  void PlaceMappings(Process& process, uint64_t seed);
  uint64_t PickKernel(uint64_t hash);
  uint64_t PickUser(const Process& process, uint64_t level, uint64_t hash);

  Shape shape_;
  std::vector<Binary> binaries_;
  Binary kernel_;
  std::vector<AddressPool> pools_;  // one for each binary, then the kernel's
  std::vector<std::vector<bool>> used_;
  std::vector<std::vector<uint32_t>> programs_;
  std::vector<std::vector<uint64_t>>
      weights_;  // running sums of pool sizes, one list for each program
  std::vector<Process> processes_;
  std::vector<Task> tasks_;
  uint64_t tree_bits_ = 0;
};

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_POPULATION_H_
