// SPDX-License-Identifier: Apache-2.0

// The least work that any reader of a recording does: maps the file and sums
// its words. Prints the seconds taken and the sum.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: plain_pass FILE\n");
    return 2;
  }
  auto start = std::chrono::steady_clock::now();
  int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  size_t size = static_cast<size_t>(info.st_size);
  void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED) {
    std::perror(argv[1]);
    return 1;
  }
  const char* bytes = static_cast<const char*>(map);
  uint64_t sum = 0;
  for (size_t i = 0; i + 8 <= size; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    sum += word;
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%.6f %016llx\n", took.count(),
              static_cast<unsigned long long>(sum));
  return 0;
}
