// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_UNWIND_TEST_ELF_H_
#define PERF2X_TESTS_UNWIND_TEST_ELF_H_

#include <elf.h>

#include <memory>
#include <string>
#include <vector>

#include "converter/base/byte_order.h"
#include "converter/base/machine.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

// Puts bytes together, number by number.
class Bytes {
 public:
  explicit Bytes(ByteOrder order = ByteOrder::kLittle) : order_(order) {}
  Bytes& U8(uint8_t v) { return Number(v); }
  Bytes& U16(uint16_t v) { return Number(v); }
  Bytes& U32(uint32_t v) { return Number(v); }
  Bytes& U64(uint64_t v) { return Number(v); }
  // A number as wide as an address.
  Bytes& Word(uint64_t v, int size) {
    return size == 8 ? U64(v) : U32(static_cast<uint32_t>(v));
  }
  Bytes& Add(const std::string& s) {
    out_ += s;
    return *this;
  }
  Bytes& Align(size_t n) {
    out_.resize((out_.size() + n - 1) / n * n);
    return *this;
  }
  // A length in 4 bytes and what it is of.
  Bytes& Sized(const std::string& s) {
    return U32(static_cast<uint32_t>(s.size())).Add(s);
  }
  const std::string& str() const { return out_; }
  size_t size() const { return out_.size(); }

 private:
  template <class T>
  Bytes& Number(T v) {
    uint8_t raw[sizeof(T)];
    Store(v, raw, order_);
    out_.append(reinterpret_cast<const char*>(raw), sizeof(T));
    return *this;
  }
  ByteOrder order_;
  std::string out_;
};

// A section that lies at the same offset in the file as in memory.
struct TestSection {
  std::string name;
  uint64_t address = 0;
  std::string bytes;
  uint32_t more_flags = 0;  // SHF_*
  uint32_t type = SHT_PROGBITS;
  uint32_t link = 0;  // sh_link
  uint64_t entry_size = 0;
};

// The image of a program for `machine`: one segment from 0 on, mapped read-only
// and executable, with these sections in it.
inline std::string TestElf(const Machine& machine,
                           const std::vector<TestSection>& sections) {
  const int word = machine.address_size;
  const bool wide = word == 8;
  std::string image(wide ? sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)
                         : sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
                    '\0');
  std::string names(1, '\0');
  Bytes table(machine.order);
  table.Add(std::string(wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), '\0'));
  auto add = [&](const std::string& name, uint32_t type, uint64_t address,
                 uint64_t offset, uint64_t size, uint32_t more_flags = 0,
                 uint32_t link = 0, uint64_t entry_size = 0) {
    table.U32(static_cast<uint32_t>(names.size())).U32(type);
    table.Word(SHF_ALLOC | more_flags, word)
        .Word(address, word)
        .Word(offset, word);
    table.Word(size, word).U32(link).U32(0).Word(4, word);
    table.Word(entry_size, word);
    names += name + '\0';
  };
  for (const TestSection& s : sections) {
    if (image.size() < s.address + s.bytes.size()) {
      image.resize(s.address + s.bytes.size());
    }
    image.replace(s.address, s.bytes.size(), s.bytes);
    add(s.name, s.type, s.address, s.address, s.bytes.size(), s.more_flags,
        s.link, s.entry_size);
  }
  const uint64_t loaded = image.size();
  add(".shstrtab", SHT_STRTAB, 0, image.size(), names.size() + 10);
  image += names;
  image.resize((image.size() + 7) / 8 * 8);
  const uint64_t table_at = image.size();
  image += table.str();

  Bytes header(machine.order);
  header.Add(std::string("\177ELF", 4)).U8(wide ? ELFCLASS64 : ELFCLASS32);
  header.U8(machine.order == ByteOrder::kBig ? ELFDATA2MSB : ELFDATA2LSB);
  header.U8(EV_CURRENT).Add(std::string(9, '\0'));
  header.U16(ET_DYN).U16(machine.elf_machine).U32(EV_CURRENT);
  header.Word(0, word).Word(wide ? 64 : 52, word).Word(table_at, word);
  header.U32(0).U16(wide ? 64 : 52).U16(wide ? 56 : 32).U16(1);
  header.U16(wide ? 64 : 40);
  header.U16(static_cast<uint16_t>(sections.size() + 2));
  header.U16(static_cast<uint16_t>(sections.size() + 1));
  header.U32(PT_LOAD);
  if (wide) header.U32(PF_R | PF_X);
  header.Word(0, word).Word(0, word).Word(0, word);
  header.Word(loaded, word).Word(loaded, word);
  if (!wide) header.U32(PF_R | PF_X);
  header.Word(0x1000, word);
  return image.replace(0, header.size(), header.str());
}

inline std::unique_ptr<ElfFile> OpenElf(const std::string& image) {
  auto elf = ElfFile::Open(SafeFile::FromMemory("test", image));
  return elf.ok() ? *std::move(elf) : nullptr;
}

// Files from memory: file i is images[i].
class TestSource final : public UnwindInfoSource {
 public:
  explicit TestSource(std::vector<std::string> images, std::string debug = "")
      : images_(std::move(images)), debug_(std::move(debug)) {}
  std::shared_ptr<const ElfFile> OpenBinary(DsoId dso) override {
    return dso < images_.size() ? OpenElf(images_[dso]) : nullptr;
  }
  std::shared_ptr<const ElfFile> OpenDebugFile(DsoId, const ElfFile&) override {
    return OpenElf(debug_);
  }

 private:
  std::vector<std::string> images_;
  std::string debug_;
};

// A common entry with these initial instructions, and behind it one function at
// [start, start + size) with these. Lies at `address`; .eh_frame of version 1
// with pc-relative addresses of 4 bytes, code factor 1 and data factor -8 (-4
// for 32 bits).
inline std::string TestEhFrame(const Machine& machine, uint64_t address,
                               uint8_t return_register,
                               const std::string& initial, uint64_t start,
                               uint32_t size, const std::string& program,
                               const std::string& augmentation = "zR") {
  Bytes common(machine.order);
  common.U32(0).U8(1).Add(augmentation + '\0').U8(1);
  common.U8(machine.address_size == 8 ? 0x78 : 0x7c).U8(return_register);
  common.U8(1).U8(0x1b).Add(initial);
  Bytes out(machine.order);
  out.Sized(common.str());
  const uint64_t at = out.size();
  Bytes function(machine.order);
  function.U32(static_cast<uint32_t>(at + 4));
  function.U32(static_cast<uint32_t>(start - (address + at + 8))).U32(size);
  function.U8(0).Add(program);
  out.Sized(function.str());
  return out.U32(0).str();
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_UNWIND_TEST_ELF_H_
