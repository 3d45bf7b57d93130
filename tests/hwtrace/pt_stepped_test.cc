// SPDX-License-Identifier: Apache-2.0

// Intel PT of a real program: a child of this process is executed instruction
// by instruction (ptrace), and its trace is written as the processor would.
// What is decoded must be the same steps and the same calls.

#if defined(PERF2X_INTEL_PT) && defined(__x86_64__)
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "converter/hwtrace/call_stack.h"
#include "converter/hwtrace/pt_decoder.h"
#include "converter/hwtrace/traced_code.h"
#include "tests/support/pt_writer.h"

namespace perf2x {
namespace {

using StepKind = PtStep::Kind;

// What the child executes. Its result is not used.
volatile uint64_t workload_sink = 0;

uint64_t Fibonacci(int n) {
  return n < 2 ? 1 : Fibonacci(n - 1) + Fibonacci(n - 2);
}

int Compare(const void* a, const void* b) {
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

__attribute__((noinline)) void Workload() {
  std::vector<int> numbers(60);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::reverse(numbers.begin(), numbers.end());
  std::qsort(numbers.data(), numbers.size(), sizeof(int), Compare);  // by PLT
  std::map<std::string, int> words;
  for (const int n : numbers) words["word " + std::to_string(n % 7)] += n;
  const std::function<uint64_t(int)> indirect = Fibonacci;
  workload_sink = indirect(9);
  workload_sink = static_cast<uint64_t>(syscall(SYS_getppid));
  char text[64];
  std::snprintf(text, sizeof(text), "%" PRIu64 " of %zu", workload_sink,
                words.size());
  workload_sink = std::strlen(text);
}

struct Stop {
  uint64_t ip = 0, sp = 0;
};

// Returns the places of the child from the first instruction of Workload up to
// its return; empty if it cannot be traced.
std::vector<Stop> StepWorkload() {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    Workload();
    _exit(0);
  }
  constexpr size_t kMaxSteps = 400'000;
  const auto first = reinterpret_cast<uint64_t>(&Workload);
  std::vector<Stop> stops;
  uint64_t return_sp = 0;
  int status = 0;
  bool done = false;
  while (!done && stops.size() < kMaxSteps) {
    user_regs_struct registers{};
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_GETREGS, child, nullptr, &registers) != 0) {
      break;
    }
    if (registers.rip == first) return_sp = registers.rsp;
    if (return_sp != 0) stops.push_back({registers.rip, registers.rsp});
    done = return_sp != 0 && registers.rsp > return_sp;
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) break;
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) == child && !WIFSIGNALED(status) &&
         !WIFEXITED(status)) {
  }
  return done ? stops : std::vector<Stop>();
}

// The memory of this process, which is the child's.
class OwnCode final : public TracedCode {
 public:
  OwnCode() {
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    char line[512];
    while (maps != nullptr && std::fgets(line, sizeof(line), maps) != nullptr) {
      uint64_t start = 0, end = 0;
      char access[5] = "";
      if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end,
                      access) == 3 &&
          access[0] == 'r' && access[2] == 'x') {
        ranges_[start] = end;
      }
    }
    if (maps != nullptr) std::fclose(maps);
  }
  size_t Read(uint64_t address, absl::Span<uint8_t> to) override {
    auto range = ranges_.upper_bound(address);
    if (range == ranges_.begin()) return 0;
    --range;
    if (address >= range->second) return 0;
    const size_t size = std::min<uint64_t>(to.size(), range->second - address);
    std::memcpy(to.data(), reinterpret_cast<const void*>(address), size);
    return size;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;
};

// What an instruction has in a trace.
enum class Flow { kNext, kConditional, kDirect, kIndirect, kSystemCall };
struct Instruction {
  Flow flow = Flow::kNext;
  uint64_t size = 0;  // of conditional branches and calls
  bool is_call = false, is_return = false, is_repeated = false;
};

Instruction InstructionAt(uint64_t address, OwnCode& code) {
  uint8_t bytes[15] = {};
  code.Read(address, bytes);
  size_t at = 0;
  Instruction found;
  for (;; ++at) {
    const uint8_t b = bytes[at];
    if (b == 0xf2 || b == 0xf3) {
      found.is_repeated = true;
    } else if (b != 0x66 && b != 0x2e && b != 0x3e && b != 0x64 && b != 0x65 &&
               b != 0x67) {
      break;
    }
  }
  if ((bytes[at] & 0xf0) == 0x40) ++at;  // REX
  const uint8_t b = bytes[at], next = bytes[at + 1];
  const auto is = [&](Flow flow, size_t size) {
    found.flow = flow;
    found.size = at + size;
  };
  if ((b & 0xf0) == 0x70 || (b >= 0xe0 && b <= 0xe3)) {
    is(Flow::kConditional, 2);
  } else if (b == 0x0f && (next & 0xf0) == 0x80) {
    is(Flow::kConditional, 6);
  } else if (b == 0x0f && next == 0x05) {
    is(Flow::kSystemCall, 2);
  } else if (b == 0xe8) {
    is(Flow::kDirect, 5);
    found.is_call = true;
  } else if (b == 0xe9 || b == 0xeb) {
    is(Flow::kDirect, 5);
  } else if (b == 0xc3 || b == 0xc2) {
    is(Flow::kIndirect, 1);
    found.is_return = true;
  } else if (b == 0xff && ((next >> 3 & 7) == 2 || (next >> 3 & 7) == 4)) {
    is(Flow::kIndirect, 0);
    found.is_call = (next >> 3 & 7) == 2;
  }
  return found;
}

// The flow, with what the stack pointer says of calls after each instruction.
struct Expected {
  std::vector<uint64_t> ips;
  std::vector<size_t> depths;  // calls that have not returned
};

// Writes the trace of all stops but the last.
Expected WriteTrace(const std::vector<Stop>& stops, OwnCode& code,
                    PtWriter* trace) {
  constexpr size_t kPsbEvery = 1500;
  Expected expected;
  std::vector<uint64_t> frames;  // where return addresses lie
  trace->Psb(stops[0].ip, 1000);
  for (size_t i = 0; i + 1 < stops.size(); ++i) {
    const uint64_t ip = stops[i].ip, next = stops[i + 1].ip;
    const Instruction instruction = InstructionAt(ip, code);
    // The processor stops after each repetition.
    if (instruction.is_repeated && next == ip &&
        instruction.flow == Flow::kNext) {
      continue;
    }
    expected.ips.push_back(ip);
    switch (instruction.flow) {
      case Flow::kConditional:
        trace->Tnt(next != ip + instruction.size);
        break;
      case Flow::kIndirect:
        trace->Tip(next);
        break;
      case Flow::kSystemCall:
        trace->Leave();
        trace->Enable(next);
        break;
      default:
        break;
    }
    if (instruction.is_call) frames.push_back(stops[i + 1].sp);
    while (instruction.is_return && !frames.empty() &&
           frames.back() <= stops[i].sp) {
      frames.pop_back();
    }
    expected.depths.push_back(frames.size());
    if (expected.ips.size() % kPsbEvery == 0) trace->Psb(next, 1000 + i);
  }
  trace->Disable(stops.back().ip);
  return expected;
}

TEST(PtSteppedTest, ARealProgramStepByStepAndCallByCall) {
  const std::vector<Stop> stops = StepWorkload();
  if (stops.empty()) GTEST_SKIP() << "the kernel lets no process be traced";
  OwnCode code;
  PtWriter writer;
  const Expected expected = WriteTrace(stops, code, &writer);
  ASSERT_GT(expected.ips.size(), 5000u);
  const ByteVector trace = writer.Bytes();

  PtDecoder decoder(trace, PtSettings(), code);
  CallStack stack;
  PtStep step, last;
  size_t at = 0, deepest = 0;
  while (decoder.Next(&step)) {
    if (step.kind == StepKind::kEnabled) stack.OnEnabled(step.ip);
    if (step.kind == StepKind::kDisabled) stack.OnDisabled(last, step.ip);
    if (step.kind != StepKind::kInstruction) continue;
    ASSERT_LT(at, expected.ips.size());
    ASSERT_EQ(step.ip, expected.ips[at]) << at;
    const bool falls_through = step.ip == last.ip + last.size &&
                               last.branch == PtStep::Branch::kConditional;
    if (at > 0 && last.branch != PtStep::Branch::kNone && !falls_through &&
        !last.is_far) {
      stack.OnBranch(last, step.ip);
    }
    stack.OnInstruction(step.ip);
    if (at > 0) {
      ASSERT_EQ(stack.frames().size(), 1 + expected.depths[at - 1]) << at;
    }
    deepest = std::max(deepest, stack.frames().size());
    last = step;
    ++at;
  }
  EXPECT_EQ(at, expected.ips.size());
  EXPECT_GT(deepest, 8u);
}

}  // namespace
}  // namespace perf2x

#endif  // PERF2X_INTEL_PT && __x86_64__
