// SPDX-License-Identifier: Apache-2.0
#include "tests/support/etm_writer.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace perf2x {

EtmSource EtmWriter::Source(int32_t cpu, uint8_t trace_id) {
  EtmSource source;
  source.cpu = cpu;
  source.trace_id = trace_id;
  source.config = 1 << 6 | 1 << 11;  // CID, TS
  source.idr0 = 0x28000ea1;
  source.idr1 = 0x4100f433;  // version 4.3
  source.idr2 = 0x488;
  return source;
}

void EtmWriter::Append(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    Byte(static_cast<uint8_t>(value >> (8 * i)));
  }
}

EtmWriter& EtmWriter::Byte(uint8_t byte) {
  bytes_.push_back(byte);
  return *this;
}

EtmWriter& EtmWriter::Sync() {
  bytes_.insert(bytes_.end(), 11, 0);
  Byte(0x80);
  return Byte(0x01).Byte(0x01).Byte(0x00);
}

EtmWriter& EtmWriter::TraceOn() { return Byte(0x04); }

EtmWriter& EtmWriter::Overflow() { return Byte(0x00).Byte(0x05); }

EtmWriter& EtmWriter::Address(uint64_t address) {
  Byte(0x9d);
  Byte(address >> 2 & 0x7f).Byte(address >> 9 & 0x7f);
  Append(address >> 16, 6);
  return *this;
}

EtmWriter& EtmWriter::Context(uint64_t address, uint32_t thread) {
  Byte(0x85);
  Byte(address >> 2 & 0x7f).Byte(address >> 9 & 0x7f);
  Append(address >> 16, 6);
  const uint8_t level = address >> 63 != 0 ? 1 : 0;
  constexpr uint8_t k64Bit = 1 << 4, kNonSecure = 1 << 5, kHasId = 1 << 7;
  Byte(level | k64Bit | kNonSecure | kHasId);
  Append(thread, 4);
  return *this;
}

EtmWriter& EtmWriter::Atoms(const std::string& letters) {
  for (const char letter : letters) Byte(letter == 'E' ? 0xf7 : 0xf6);
  return *this;
}

EtmWriter& EtmWriter::ManyAtoms(int taken, char last) {
  return Byte(static_cast<uint8_t>((last == 'E' ? 0xc0 : 0xe0) + taken - 3));
}

EtmWriter& EtmWriter::Interrupt(uint64_t address) {
  constexpr uint8_t kIrq = 14, kAddressFollows = 1;
  Byte(0x06).Byte(kAddressFollows | kIrq << 1);
  return Address(address);
}

EtmWriter& EtmWriter::Timestamp(uint64_t time) {
  Byte(0x02);
  for (; time > 0x7f; time >>= 7) Byte(0x80 | (time & 0x7f));
  return Byte(static_cast<uint8_t>(time));
}

// In a frame, bytes at even places are data, whose lowest bit is in the last
// byte, or a new source's id. Padding is of source 0.
std::vector<uint8_t> EtmWriter::Frames(uint8_t trace_id) const {
  std::vector<uint8_t> frames;
  for (size_t at = 0; at < bytes_.size();) {
    uint8_t frame[16] = {};
    frame[0] = static_cast<uint8_t>(trace_id << 1 | 1);
    for (int i = 1; i < 15; ++i) {
      if (at == bytes_.size()) {
        // An id takes effect at once, or after the next byte.
        if (i % 2 == 0) {
          frame[i] = 1;
          break;
        }
        // Only an even place can have an id: repeat nothing, pad with an
        // instruction that says nothing.
        frame[i] = 0x70;
        continue;
      }
      uint8_t byte = bytes_[at++];
      if (i % 2 == 0) {
        frame[15] |= static_cast<uint8_t>((byte & 1) << (i / 2));
        byte &= 0xfe;
      }
      frame[i] = byte;
    }
    frames.insert(frames.end(), frame, frame + 16);
  }
  return frames;
}

const std::vector<uint32_t>& CountdownProgram() {
  static const auto& kProgram = *new std::vector<uint32_t>{
      0xd2800060,  // 00: mov x0, #3
      0xd1000400,  // 04: sub x0, x0, #1
      0xb5ffffe0,  // 08: cbnz x0, 04
      0x94000003,  // 0c: bl 18
      0xd503201f,  // 10: nop
      0xd65f03c0,  // 14: ret
      0xd503201f,  // 18: nop
      0xd65f03c0,  // 1c: ret
  };
  return kProgram;
}

std::vector<uint64_t> EtmInfoWords(const std::vector<EtmSource>& sources) {
  std::vector<uint64_t> words = {1, uint64_t{8} << 32 | sources.size(), 0};
  for (const EtmSource& source : sources) {
    words.insert(
        words.end(),
        {0x4040404040404040, static_cast<uint64_t>(source.cpu), 8,
         source.config, source.trace_id, source.idr0, source.idr1, source.idr2,
         source.idr8, 0xcc, source.timer_time ? uint64_t{1} : uint64_t{0}});
  }
  return words;
}

std::vector<uint8_t> Arm64Program(const std::vector<uint32_t>& code,
                                  const std::string& function) {
  constexpr uint64_t kCode = 0x1000;
  const uint64_t code_size = code.size() * 4;
  const std::string names = std::string(1, '\0') + function + '\0';
  const std::string sections("\0.text\0.symtab\0.strtab\0", 23);
  const uint64_t symbols_at = (kCode + code_size + 7) / 8 * 8;
  const uint64_t names_at = symbols_at + 2 * sizeof(Elf64_Sym);
  const uint64_t sections_at = names_at + names.size();
  const uint64_t headers_at = (sections_at + sections.size() + 7) / 8 * 8;
  std::vector<uint8_t> file(headers_at + 5 * sizeof(Elf64_Shdr));
  const auto put = [&](uint64_t at, const auto& value) {
    std::memcpy(&file[at], &value, sizeof(value));
  };
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_shoff = headers_at;
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  put(0, header);
  Elf64_Phdr load = {};
  load.p_type = PT_LOAD;
  load.p_flags = PF_R | PF_X;
  load.p_filesz = load.p_memsz = kCode + code_size;
  load.p_align = 0x1000;
  put(sizeof(header), load);
  std::memcpy(&file[kCode], code.data(), code_size);
  Elf64_Sym symbol = {};
  symbol.st_name = 1;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  symbol.st_value = kCode;
  symbol.st_size = code_size;
  put(symbols_at + sizeof(symbol), symbol);
  std::copy(names.begin(), names.end(), file.begin() + names_at);
  std::copy(sections.begin(), sections.end(), file.begin() + sections_at);
  const Elf64_Shdr table[] = {
      {},
      {1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kCode, kCode, code_size, 0,
       0, 4, 0},
      {7, SHT_SYMTAB, 0, 0, symbols_at, 2 * sizeof(Elf64_Sym), 3, 1, 8,
       sizeof(Elf64_Sym)},
      {15, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0},
      {15, SHT_STRTAB, 0, 0, sections_at, sections.size(), 0, 0, 1, 0}};
  put(headers_at, table);
  return file;
}

}  // namespace perf2x
