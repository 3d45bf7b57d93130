// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_BINARIES_H_
#define PERF2X_BENCH_BINARIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perf2x::bench {

// A function's bytes, as an offset from the start of its binary's text mapping.
struct Function {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// An ELF file of this machine that generated processes map; or the kernel.
struct Binary {
  std::string path;
  std::vector<uint8_t> build_id;
  uint32_t major = 0, minor = 0;
  uint64_t inode = 0;
  bool executable = false;  // a program rather than a library
  bool fixed = false;       // ET_EXEC: mapped where it was linked
  // The executable segment as the loader maps it, in whole pages.
  uint64_t address = 0, file_offset = 0, size = 0;
  std::vector<Function> functions;  // sorted, without overlaps
  uint64_t function_bytes = 0;
};

// Returns a program or library of x86-64 or AArch64. Returns nullopt if the
// file cannot be read, is none, or has no build id.
std::optional<Binary> ReadBinary(const std::string& path);

// Returns the `programs` executables and `libraries` shared objects in
// `folders` that have the most function bytes. If found, the C library is one
// of the libraries. Returns fewer if there are fewer. Ignores folders and files
// that cannot be read. The choice depends on the machine's files alone.
std::vector<Binary> FindBinaries(const std::vector<std::string>& folders,
                                 size_t programs, size_t libraries);

// Returns the kernel's text from a kallsyms file. Without functions if the file
// cannot be read or hides the addresses.
Binary ReadKernel(const std::string& kallsyms);

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_BINARIES_H_
