// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_SYMBOL_BOMBS_H_
#define PERF2X_TESTS_FUZZ_SYMBOL_BOMBS_H_

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/symbol_lookups.h"
#include "tests/support/bounds.h"
#include "tests/support/hostile.h"
#include "tests/unwind/test_elf.h"

// For tests of small symbol files that would take much time or memory.

namespace perf2x {

inline constexpr uint64_t kCode = 0x1000;
inline constexpr size_t kNameCount = 20'000;

inline uint64_t PeakMemory() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;
}

// Checks that CPU time and memory stay within bounds during its lifetime.
class Bounded {
 public:
  Bounded() : start_(clock()), memory_(PeakMemory()) {}
  ~Bounded() {
    if (Sanitized()) return;
    EXPECT_LT(static_cast<double>(clock() - start_) / CLOCKS_PER_SEC,
              MaxSeconds());
    EXPECT_LT(PeakMemory() - memory_, kMaxMemory);
  }

 private:
  const clock_t start_;
  const uint64_t memory_;
};

struct ElfSection {
  std::string name;
  uint32_t type = SHT_PROGBITS;
  std::string bytes;
  uint32_t link = 0;
  uint64_t entry_size = 0;
  uint64_t more_flags = 0;
};

// Returns an x86-64 library with these sections and, at kCode, 1 MB of code
// that has no bytes in the file.
inline std::string MakeElf(const std::vector<ElfSection>& sections) {
  std::string names(1, '\0');
  Bytes table;
  table.Add(std::string(sizeof(Elf64_Shdr), '\0'));
  std::string body;
  constexpr uint64_t kHead = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  auto add = [&](const ElfSection& s, uint64_t address, uint64_t size) {
    table.U32(static_cast<uint32_t>(names.size())).U32(s.type);
    table.U64(SHF_ALLOC | s.more_flags)
        .U64(address)
        .U64(kHead + body.size())
        .U64(size);
    table.U32(s.link).U32(0).U64(1).U64(s.entry_size);
    names += s.name + '\0';
    body += s.bytes;
  };
  for (const ElfSection& s : sections) add(s, 0, s.bytes.size());
  add({".text", SHT_NOBITS, "", 0, 0}, kCode, 1 << 20);
  const std::string last = ".shstrtab";
  add({last, SHT_STRTAB, "", 0, 0}, 0, names.size() + last.size() + 1);
  body += names;
  const auto count = static_cast<uint16_t>(sections.size() + 3);
  Bytes head;
  head.Add(std::string("\177ELF\2\1\1", 7)).Add(std::string(9, '\0'));
  head.U16(ET_DYN).U16(EM_X86_64).U32(1).U64(0).U64(64);
  head.U64(kHead + body.size()).U32(0).U16(64).U16(56).U16(1).U16(64);
  head.U16(count).U16(static_cast<uint16_t>(count - 1));
  head.U32(PT_LOAD).U32(PF_R | PF_X).U64(0).U64(0).U64(0);
  head.U64(1 << 22).U64(1 << 22).U64(4096);
  return head.str() + body + table.str();
}

struct Named {
  size_t found = 0;
  std::vector<std::string> warnings;
};

// Symbolizes kNameCount addresses of the code, 16 bytes apart.
inline Named NameCode(const std::string& image) {
  auto elf = OpenElf(image);
  EXPECT_NE(elf, nullptr);
  if (elf == nullptr) return {};
  std::vector<uint64_t> addresses;
  for (uint64_t i = 0; i < kNameCount; ++i) addresses.push_back(kCode + 16 * i);
  Named named;
  named.warnings = NameWith(std::move(elf), addresses,
                            [&](size_t, absl::Span<const Symbol> symbols) {
                              named.found += !symbols.empty();
                            });
  return named;
}

inline void ExpectOneWarning(const Named& named, const std::string& what) {
  ASSERT_EQ(named.warnings.size(), 1u);
  EXPECT_EQ(named.warnings[0],
            "asks for more than a file of its size is worth, or is damaged: " +
                what + " left out");
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_SYMBOL_BOMBS_H_
