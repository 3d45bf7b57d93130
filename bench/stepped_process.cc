// SPDX-License-Identifier: Apache-2.0
#include "bench/stepped_process.h"

#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace perf2x::bench {

SteppedProcess::SteppedProcess(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execvp(arguments[0], arguments.data());
    std::perror(arguments[0]);
    _exit(127);
  }
  Wait(SIGTRAP);
  const std::string path = "/proc/" + std::to_string(pid_) + "/mem";
  memory_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

SteppedProcess::~SteppedProcess() {
  if (memory_ >= 0) close(memory_);
  if (!alive_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool SteppedProcess::Wait(int expected) {
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) {
    alive_ = false;
    return false;
  }
  const int signal = WSTOPSIG(status);
  // Run's SIGSTOP may come late, after another signal; it is ours.
  signal_ = signal == expected || signal == SIGSTOP ? 0 : signal;
  ip_ = static_cast<uint64_t>(
      ptrace(PTRACE_PEEKUSER, pid_, offsetof(user_regs_struct, rip), nullptr));
  return signal == expected;
}

void SteppedProcess::Run(uint64_t microseconds) {
  ptrace(PTRACE_CONT, pid_, nullptr, signal_);
  usleep(static_cast<useconds_t>(microseconds));
  // To this thread: any other one would stop the whole process, unseen.
  syscall(SYS_tgkill, pid_, pid_, SIGSTOP);
  Wait(SIGSTOP);
}

SteppedProcess::Instruction SteppedProcess::InstructionAt(uint64_t address) {
  const auto [it, inserted] = instructions_.try_emplace(address);
  if (!inserted) return it->second;
  uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH] = {};
  const ssize_t size =
      pread(memory_, bytes, sizeof bytes, static_cast<off_t>(address));
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction instruction;
  if (size > 0 &&
      ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
          &decoder, nullptr, bytes, static_cast<size_t>(size), &instruction))) {
    const auto category = instruction.meta.category;
    it->second.size = instruction.length;
    it->second.is_branch = category == ZYDIS_CATEGORY_CALL ||
                           category == ZYDIS_CATEGORY_RET ||
                           category == ZYDIS_CATEGORY_COND_BR ||
                           category == ZYDIS_CATEGORY_UNCOND_BR;
  }
  return it->second;
}

std::vector<uint64_t> SteppedProcess::Callchain() const {
  constexpr size_t kMaxStack = 127;
  std::vector<uint64_t> chain = {ip_};
  auto at = static_cast<uint64_t>(
      ptrace(PTRACE_PEEKUSER, pid_, offsetof(user_regs_struct, rbp), nullptr));
  uint64_t frame[2];  // the caller's frame pointer, the return address
  while (chain.size() < kMaxStack &&
         pread(memory_, frame, sizeof frame, static_cast<off_t>(at)) ==
             sizeof frame) {
    chain.push_back(frame[1]);
    if (frame[0] <= at) break;
    at = frame[0];
  }
  return chain;
}

std::optional<Jump> SteppedProcess::Step() {
  const uint64_t from = ip_;
  const Instruction instruction = InstructionAt(from);
  ptrace(PTRACE_SINGLESTEP, pid_, nullptr, signal_);
  if (!Wait(SIGTRAP) || !instruction.is_branch ||
      ip_ == from + instruction.size) {
    return std::nullopt;
  }
  return Jump{from, ip_};
}

}  // namespace perf2x::bench
