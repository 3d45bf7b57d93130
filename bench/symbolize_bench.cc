// SPDX-License-Identifier: Apache-2.0

// The program that bench/symbolize runs.
//
// usage: bench_symbolize places BINARY COUNT SEED ADDRESSES RECORDING
//        bench_symbolize resolve BINARY < ADDRESSES
//
// `places` draws random places in a program's functions and writes them as
// link-time addresses, one on each line, and as a recording with a sample at
// each. `resolve` symbolizes such addresses and prints, as llvm-symbolizer
// does, a line with the function and one with file and line for each frame.
#include <elf.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/perf_data_writer.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x::bench {
namespace {

std::unique_ptr<ElfFile> OpenElf(const char* path) {
  auto file = SafeFile::Open(path);
  if (!file.ok()) return nullptr;
  auto elf = ElfFile::Open(*file);
  return elf.ok() ? *std::move(elf) : nullptr;
}

// Writes a process that has mapped the whole program, and a sample at each
// address.
void WriteRecording(const ElfFile& elf, const char* path,
                    const std::vector<uint64_t>& addresses) {
  constexpr uint32_t kPid = 1000, kProtReadExec = 5, kMapPrivate = 2;
  constexpr uint64_t kBase = 0x550000000000, kSecond = 1'000'000'000;
  constexpr uint16_t kUserMode = 2;
  Event event;
  event.name = "cpu-clock";
  event.type = 1;
  event.period = 1'000'000;
  event.sample_type = kIp | kTid | kTime;
  event.ids = {1};
  PerfDataWriter writer(path, PerfDataWriter::Mode::kFile, 0, {event}, {});
  RecordBuffer out;
  out.Begin(kComm);
  out.U32(kPid);
  out.U32(kPid);
  out.PaddedString("program");
  out.End();
  out.Begin(kMmap2, kUserMode);
  out.U32(kPid);
  out.U32(kPid);
  out.U64(kBase);
  out.U64((elf.file()->bytes().size() + 4095) / 4096 * 4096);
  out.Zeros(8 + 24);  // offset in the file; device and inode
  out.U32(kProtReadExec);
  out.U32(kMapPrivate);
  out.PaddedString(elf.file()->path());
  out.End();
  for (size_t i = 0; i < addresses.size(); ++i) {
    out.Begin(kSample, kUserMode);
    out.U64(kBase + *elf.OffsetOfAddress(addresses[i]));
    out.U32(kPid);
    out.U32(kPid);
    out.U64(kSecond + i * 1000);
    out.End();
  }
  writer.WriteSynthesized(out);
  writer.Finish();
}

int Places(const char* path, size_t count, unsigned seed,
           const char* address_file, const char* recording) {
  const auto elf = OpenElf(path);
  if (elf == nullptr || elf->Find(".symtab") == nullptr) {
    std::fprintf(stderr, "%s: no program with symbols\n", path);
    return 1;
  }
  std::vector<ElfFile::Sym> functions;
  elf->ForEachSymbol(*elf->Find(".symtab"),
                     [&](uint32_t, const ElfFile::Sym& s) {
                       if (s.type() == STT_FUNC && s.size > 0 && s.value > 0 &&
                           elf->OffsetOfAddress(s.value).has_value()) {
                         functions.push_back(s);
                       }
                     });
  if (functions.empty()) return 1;
  std::mt19937_64 random(seed);
  std::vector<uint64_t> addresses(count);
  for (uint64_t& a : addresses) {
    const ElfFile::Sym& f = functions[random() % functions.size()];
    a = f.value + random() % f.size;
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()),
                  addresses.end());
  std::ofstream out(address_file);
  for (uint64_t a : addresses) {
    out << absl::StrCat("0x", absl::Hex(a), "\n");
  }
  WriteRecording(*elf, recording, addresses);
  return 0;
}

int ResolveAll(const char* path) {
  constexpr size_t kChunk = 64 << 10;
  std::ios::sync_with_stdio(false);
  const auto elf = OpenElf(path);
  if (elf == nullptr) return 1;
  std::vector<uint64_t> offsets;
  for (std::string line; std::getline(std::cin, line);) {
    const auto at = elf->OffsetOfAddress(strtoull(line.c_str(), nullptr, 16));
    if (at.has_value()) offsets.push_back(*at);
  }
  std::sort(offsets.begin(), offsets.end());
  SymbolizeOptions options;
  options.binaries.same_host = true;
  WorkerPool workers(
      static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  options.workers = &workers;
  Dso code;
  code.kind = DsoKind::kFile;
  code.name = path;
  std::string text;
  auto symbolizer = MakeSymbolizer(options);
  symbolizer->Resolve(
      code, offsets, [&text](size_t, absl::Span<const Symbol> symbols) {
        for (const Symbol& s : symbols) {
          absl::StrAppend(&text, s.name, "\n", s.file, ":", s.line, "\n");
        }
        text += '\n';
        if (text.size() > kChunk) {
          std::fwrite(text.data(), 1, text.size(), stdout);
          text.clear();
        }
      });
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace
}  // namespace perf2x::bench

int main(int argc, char** argv) {
  if (argc == 7 && strcmp(argv[1], "places") == 0) {
    return perf2x::bench::Places(
        argv[2], strtoul(argv[3], nullptr, 10),
        static_cast<unsigned>(strtoul(argv[4], nullptr, 10)), argv[5], argv[6]);
  }
  if (argc == 3 && strcmp(argv[1], "resolve") == 0) {
    return perf2x::bench::ResolveAll(argv[2]);
  }
  std::fprintf(stderr,
               "usage: bench_symbolize places BINARY COUNT SEED ADDRESSES "
               "RECORDING\n"
               "       bench_symbolize resolve BINARY < ADDRESSES\n");
  return 2;
}
