// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PT_PROGRAM_H_
#define PERF2X_TESTS_SUPPORT_PT_PROGRAM_H_

#ifdef PERF2X_INTEL_PT
#include <cstdint>
#include <random>
#include <vector>

#include "converter/hwtrace/traced_code.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/pt_writer.h"

namespace perf2x {

// A program of x86-64 machine code that is executed here, instruction by
// instruction, while its trace is written as the processor would do.
class PtProgram final : public TracedCode {
 public:
  static constexpr uint64_t kBase = 0x401000;

  explicit PtProgram(ByteVector code) : code_(std::move(code)) {}
  // Functions of `blocks` blocks each, with loops, calls of earlier functions
  // and indirect jumps. Nothing is repeated for ever without a packet.
  static PtProgram Random(uint32_t seed, int functions, int blocks);

  size_t Read(uint64_t address, absl::Span<uint8_t> to) override {
    if (address < kBase || address - kBase >= code_.size()) return 0;
    const size_t at = address - kBase;
    const size_t n = std::min(to.size(), code_.size() - at);
    std::copy_n(code_.begin() + static_cast<ptrdiff_t>(at), n, to.begin());
    return n;
  }
  const ByteVector& code() const { return code_; }

  // Executes instructions from `ip` on. Conditions and targets of indirect
  // jumps are drawn at random. After each `psb_every` instructions, there is a
  // PSB, with a time-stamp counter of `clock` and the number of instructions.
  // Returns the address of the instruction that would be next.
  uint64_t Run(uint64_t ip, int instructions, int psb_every, uint32_t seed,
               PtWriter* trace);
  uint64_t clock = 1000;
  // The addresses of all instructions that were executed.
  const std::vector<uint64_t>& executed() const { return executed_; }
  // The branches that were taken, oldest first.
  struct Jump {
    uint64_t from, to;
    friend bool operator==(const Jump&, const Jump&) = default;
  };
  const std::vector<Jump>& taken() const { return taken_; }

 private:
  uint64_t Step(uint64_t ip, std::mt19937& random, PtWriter* trace);
  int32_t Displacement(size_t at, size_t size) const;

  ByteVector code_;
  std::vector<uint64_t> blocks_;  // where indirect jumps may lead
  std::vector<uint64_t> returns_;
  std::vector<uint64_t> executed_;
  std::vector<Jump> taken_;
};

inline int32_t PtProgram::Displacement(size_t at, size_t size) const {
  if (size == 1) return static_cast<int8_t>(code_[at]);
  int32_t value = 0;
  std::memcpy(&value, &code_[at], 4);
  return value;
}

// Executes the instruction at `ip` and returns the address of the next one.
inline uint64_t PtProgram::Step(uint64_t ip, std::mt19937& random,
                                PtWriter* trace) {
  const size_t at = ip - kBase;
  const auto jump = [&](uint64_t to) {
    taken_.push_back({ip, to});
    return to;
  };
  switch (code_[at]) {
    case 0x90:  // nop
      return ip + 1;
    case 0xeb:  // jmp rel8
      return jump(ip + 2 + static_cast<int64_t>(Displacement(at + 1, 1)));
    case 0x74: {  // jz rel8
      const bool taken = (random() & 1) != 0;
      trace->Tnt(taken);
      if (!taken) return ip + 2;
      return jump(ip + 2 + static_cast<int64_t>(Displacement(at + 1, 1)));
    }
    case 0xe8:  // call rel32
      returns_.push_back(ip + 5);
      return jump(ip + 5 + static_cast<int64_t>(Displacement(at + 1, 4)));
    case 0xff: {  // jmp *%rax
      const uint64_t to = blocks_[random() % blocks_.size()];
      trace->Tip(to);
      return jump(to);
    }
    default: {  // ret
      uint64_t to = blocks_.empty() ? kBase : blocks_[0];
      if (!returns_.empty()) {
        to = returns_.back();
        returns_.pop_back();
      }
      trace->Tip(to);
      return jump(to);
    }
  }
}

inline uint64_t PtProgram::Run(uint64_t ip, int instructions, int psb_every,
                               uint32_t seed, PtWriter* trace) {
  std::mt19937 random(seed);
  for (int i = 0; i < instructions; ++i) {
    if (i > 0 && i % psb_every == 0) trace->Psb(ip, clock + executed_.size());
    executed_.push_back(ip);
    ip = Step(ip, random, trace);
  }
  return ip;
}

inline PtProgram PtProgram::Random(uint32_t seed, int functions, int blocks) {
  std::mt19937 random(seed);
  PtProgram out({});
  ByteVector& code = out.code_;
  std::vector<size_t> entries;
  for (int f = 0; f < functions; ++f) {
    const size_t entry = code.size();
    for (int b = 0; b < blocks; ++b) {
      out.blocks_.push_back(kBase + code.size());
      for (uint32_t n = 1 + random() % 5; n > 0; --n) code.push_back(0x90);
      // Back to the block's start, or over the next instruction.
      switch (random() % 6) {
        case 0:
          code.insert(code.end(), {0x74, 0x02, 0x90, 0x90});
          break;
        case 1:
          code.insert(code.end(), {0x74, 0xfd});
          break;
        case 2:
          code.insert(code.end(), {0xeb, 0x01, 0xcc});
          break;
        case 3: {
          if (entries.empty()) break;
          const auto to =
              static_cast<int64_t>(entries[random() % entries.size()]);
          const auto by =
              static_cast<int32_t>(to - static_cast<int64_t>(code.size() + 5));
          code.push_back(0xe8);
          for (int i = 0; i < 4; ++i) {
            code.push_back(static_cast<uint8_t>(by >> (8 * i)));
          }
          break;
        }
        case 4:
          code.insert(code.end(), {0xff, 0xe0});
          break;
        default:
          break;
      }
    }
    code.push_back(0xc3);
    entries.push_back(entry);
  }
  return out;
}

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
#endif  // PERF2X_TESTS_SUPPORT_PT_PROGRAM_H_
