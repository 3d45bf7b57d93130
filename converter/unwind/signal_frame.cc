#include "converter/unwind/signal_frame.h"

#include <array>

#include "absl/types/span.h"

namespace perf2x {
namespace {

// Where a trampoline's instructions begin, seen from where handlers return to,
// and what they are.
struct Trampoline {
  Architecture architecture;
  SignalFrame frame;
  std::array<uint8_t, 10> code;
  size_t size;
};

constexpr SignalFrame kRt = SignalFrame::kRealTime;
constexpr Trampoline kTrampolines[] = {
    // mov $15, %rax; syscall. libc's own or in 32 bits of the register.
    {Architecture::kX86_64,
     kRt,
     {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05},
     9},
    {Architecture::kX86_64, kRt, {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}, 7},
    // mov $173, %eax; int $0x80
    {Architecture::kI386, kRt, {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80}, 7},
    // pop %eax; mov $119, %eax; int $0x80
    {Architecture::kI386,
     SignalFrame::kOld,
     {0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80},
     8},
    // mov x8, #139; svc #0
    {Architecture::kAarch64,
     kRt,
     {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4},
     8},
    // mov r7, #173; svc 0, and in Thumb
    {Architecture::kArm, kRt, {0xad, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, 8},
    {Architecture::kArm, kRt, {0xad, 0x27, 0x00, 0xdf}, 4},
    // mov r7, #119; svc 0, and in Thumb
    {Architecture::kArm,
     SignalFrame::kOld,
     {0x77, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef},
     8},
    {Architecture::kArm, SignalFrame::kOld, {0x77, 0x27, 0x00, 0xdf}, 4},
    // svc 173, svc 119
    {Architecture::kS390x, kRt, {0x0a, 0xad}, 2},
    {Architecture::kS390x, SignalFrame::kOld, {0x0a, 0x77}, 2},
};

// Where in memory a run of saved registers begins and which they are, by DWARF
// number.
class Loader {
 public:
  Loader(const Machine& machine, ReadMemory read)
      : machine_(machine), read_(read) {}
  void Load(uint64_t at, absl::Span<const uint8_t> registers) {
    for (uint8_t reg : registers) {
      uint64_t value = 0;
      if (Word(&at, &value) && reg != kNoRegister) loaded_.Set(reg, value);
    }
  }
  void LoadFirst(uint64_t at, uint8_t count) {
    for (uint8_t reg = 0; reg < count; ++reg) Load(Nth(at, reg), {&reg, 1});
  }
  void LoadPc(uint64_t at) {
    uint64_t value = 0;
    if (Word(&at, &value)) loaded_.pc = value & machine_.mask();
  }
  uint64_t Nth(uint64_t at, int n) const {
    return at + static_cast<uint64_t>(n) * machine_.address_size;
  }
  std::optional<Registers> Done() const {
    if (!loaded_.pc.has_value() || !loaded_.known(machine_.sp)) {
      return std::nullopt;
    }
    return loaded_;
  }

 private:
  bool Word(uint64_t* at, uint64_t* value) {
    const bool read =
        read_(*at & machine_.mask(), machine_.address_size, value);
    *at += machine_.address_size;
    return read;
  }
  const Machine& machine_;
  ReadMemory read_;
  Registers loaded_;
};

constexpr uint64_t kSiginfo = 128;  // bytes of siginfo_t

// ucontext: flags, link and stack (40 bytes), then R8 … RIP in this order.
std::optional<Registers> X8664(Loader loader, uint64_t sp) {
  constexpr uint8_t kOrder[] = {8, 9, 10, 11, 12, 13, 14, 15,
                                5, 4, 6,  3,  1,  0,  2,  7};
  loader.Load(sp + 40, kOrder);
  loader.LoadPc(sp + 168);
  return loader.Done();
}

// sigcontext: four segment registers, then EDI … EAX, two words, EIP. The frame
// of a real-time signal is sig, pinfo, puc and points to its ucontext.
std::optional<Registers> I386(Loader loader, uint64_t context) {
  constexpr uint8_t kOrder[] = {7, 6, 5, 4, 3, 2, 1, 0};
  loader.Load(context + 16, kOrder);
  loader.LoadPc(context + 56);
  return loader.Done();
}

// siginfo; ucontext: flags, link, stack, 128 bytes of signal mask, 8 to align;
// sigcontext: fault address, X0 … X30, SP, PC.
std::optional<Registers> Aarch64(Loader loader, uint64_t sp) {
  const uint64_t context = sp + kSiginfo + 176;
  loader.LoadFirst(context + 8, 32);
  loader.LoadPc(context + 264);
  return loader.Done();
}

// ucontext: flags, link, stack; sigcontext: trap, error, mask, R0 … PC.
std::optional<Registers> Arm(Loader loader, uint64_t ucontext) {
  const uint64_t registers = ucontext + 20 + 12;
  loader.LoadFirst(registers, 16);
  loader.LoadPc(loader.Nth(registers, 15));
  return loader.Done();
}

// PSW mask and address, R0 … R15.
std::optional<Registers> S390x(Loader loader, uint64_t registers) {
  loader.LoadPc(registers + 8);
  loader.LoadFirst(registers + 16, 16);
  return loader.Done();
}

}  // namespace

std::optional<SignalFrame> SignalFrameAt(const Machine& machine, uint64_t pc,
                                         ReadMemory read) {
  std::array<uint64_t, 10> code{};
  size_t known = 0;
  while (known < code.size() && read(pc + known, 1, &code[known])) ++known;
  for (const Trampoline& t : kTrampolines) {
    if (t.architecture != machine.architecture || t.size > known) continue;
    bool same = true;
    for (size_t i = 0; i < t.size; ++i) same &= code[i] == t.code[i];
    if (same) return t.frame;
  }
  return std::nullopt;
}

std::optional<Registers> InterruptedRegisters(const Machine& machine,
                                              SignalFrame frame, uint64_t sp,
                                              ReadMemory read) {
  const bool real_time = frame == SignalFrame::kRealTime;
  const Loader loader(machine, read);
  switch (machine.architecture) {
    case Architecture::kX86_64:
      return X8664(loader, sp);
    case Architecture::kI386: {
      uint64_t ucontext = 0;
      if (!real_time) return I386(loader, sp + 4);
      if (!read(sp + 8, 4, &ucontext)) return std::nullopt;
      return I386(loader, ucontext + 20);
    }
    case Architecture::kAarch64:
      return Aarch64(loader, sp);
    case Architecture::kArm:
      return Arm(loader, real_time ? sp + kSiginfo : sp);
    case Architecture::kS390x: {
      // Behind the save area of 160 bytes: the old form has a mask and a
      // pointer, the other one an instruction, siginfo and ucontext.
      uint64_t registers = sp + 160 + 8 + kSiginfo + 40;
      if (!real_time && !read(sp + 160 + 8, 8, &registers)) return std::nullopt;
      return S390x(loader, registers);
    }
  }
  return std::nullopt;
}

}  // namespace perf2x
