// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_STEPPED_PROCESS_H_
#define PERF2X_BENCH_STEPPED_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace perf2x::bench {

// A branch that was taken.
struct Jump {
  uint64_t from = 0, to = 0;
};

// The main thread of a program of x86-64, run under ptrace; other threads run
// freely. Signals are delivered.
// The destructor kills it. Run and Step must not be called once alive() is
// false. Not thread-safe.
class SteppedProcess {
 public:
  // Starts the program, which then is stopped at its first instruction. If it
  // cannot be started, alive() is false.
  explicit SteppedProcess(const std::vector<std::string>& command);
  ~SteppedProcess();
  SteppedProcess(const SteppedProcess&) = delete;
  SteppedProcess& operator=(const SteppedProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool alive() const { return alive_; }
  uint64_t ip() const { return ip_; }
  // Runs the program for about `microseconds`, then stops it.
  void Run(uint64_t microseconds);
  // Returns the addresses that the kernel's walk along frame pointers finds:
  // the instruction's and return addresses, the innermost first.
  std::vector<uint64_t> Callchain() const;
  // Executes one instruction. Returns the branch that it took; nullopt if none.
  // An instruction that enters the kernel takes none.
  std::optional<Jump> Step();

 private:
  struct Instruction {
    uint8_t size = 0;
    bool is_branch = false;
  };
  Instruction InstructionAt(uint64_t address);
  // Waits for the next stop, and sets ip_. Returns true if `expected` is its
  // signal; another one is delivered at the next resumption, except for
  // SIGSTOP.
  bool Wait(int expected);

  pid_t pid_ = -1;
  int memory_ = -1;  // /proc/PID/mem
  bool alive_ = true;
  int signal_ = 0;  // to deliver
  uint64_t ip_ = 0;
  std::unordered_map<uint64_t, Instruction> instructions_;
};

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_STEPPED_PROCESS_H_
