// Resolves random places in a program's functions, from cold, and prints how
// fast; see bench/symbolize.
//
// usage: bench_symbolize BINARY COUNT SEED [ADDRESS_FILE]
//
// ADDRESS_FILE gets the link-time addresses, one a line, for other tools.
#include <elf.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "converter/symbolize/symbolize.h"

namespace perf2x {
namespace {

int Run(const char* path, size_t count, unsigned seed, const char* out_path) {
  auto file = SafeFile::Open(path);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.status().ToString().c_str());
    return 1;
  }
  auto elf = ElfFile::Open(*file);
  if (!elf.ok() || (*elf)->Find(".symtab") == nullptr) {
    std::fprintf(stderr, "%s: no symbols\n", path);
    return 1;
  }
  std::vector<ElfFile::Sym> functions;
  (*elf)->ForEachSymbol(
      *(*elf)->Find(".symtab"), [&](uint32_t, const ElfFile::Sym& s) {
        if (s.type() == STT_FUNC && s.size > 0 && s.value > 0 &&
            (*elf)->OffsetOfAddress(s.value).has_value()) {
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
  if (out_path != nullptr) {
    std::ofstream out(out_path);
    out << std::hex;
    for (uint64_t a : addresses) out << "0x" << a << "\n";
  }
  std::vector<uint64_t> offsets;
  for (uint64_t a : addresses) offsets.push_back(*(*elf)->OffsetOfAddress(a));

  SymbolizeOptions options;
  options.binaries.same_host = true;
  options.threads =
      static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CodeFile code;
  code.kind = CodeKind::kFile;
  code.name = path;
  size_t places = 0, frames = 0;
  const auto start = std::chrono::steady_clock::now();
  auto symbolizer = MakeSymbolizer(options);
  symbolizer->Resolve(code, offsets,
                      [&](size_t, absl::Span<const Symbol> symbols) {
                        ++places;
                        frames += symbols.size();
                      });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::printf("%zu places, %zu named, %zu frames, %.3f s, %.0f frames/s\n",
              offsets.size(), places, frames, seconds, frames / seconds);
  return 0;
}

}  // namespace
}  // namespace perf2x

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "usage: bench_symbolize BINARY COUNT SEED [ADDRESS_FILE]\n");
    return 2;
  }
  return perf2x::Run(argv[1], std::strtoul(argv[2], nullptr, 10),
                     static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)),
                     argc > 4 ? argv[4] : nullptr);
}
