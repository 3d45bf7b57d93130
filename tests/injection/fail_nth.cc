// SPDX-License-Identifier: Apache-2.0

// A library for LD_PRELOAD in which the n-th call of a kind fails, as when the
// system has run out of what it gives. Calls are counted from main() on, over
// all threads. The environment says which:
//
//   FAIL_CALL   allocation, mmap, write, thread or open
//   FAIL_AT     the number of the call that fails, from 1 on; 0: none
//   FAIL_AFTER  set: so do all later ones
//   FAIL_COUNT  a file for the number of calls, written when main() returns
//   CPU_LIMIT   the seconds of CPU time after which the process is ended
#undef _FILE_OFFSET_BITS  // which would give some functions others' names
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>

namespace {

enum Kind { kAllocation, kMmap, kWrite, kThread, kOpen, kNone };
constexpr const char* kKinds[] = {"allocation", "mmap", "write", "thread",
                                  "open"};

// Plain data: calls come before constructors have run.
Kind kind = kNone;
long fail_at = 0;
bool fail_after = false;
std::atomic<bool> armed{false};
std::atomic<long> calls{0};

bool Fails(Kind of, int error) {
  if (of != kind || !armed.load(std::memory_order_relaxed)) return false;
  const long n = ++calls;
  if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_after)) return false;
  errno = error;
  return true;
}

template <class F>
F* Real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// The mode of a file that a call of open() makes, which the others lack.
mode_t ModeAmong(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0
             ? static_cast<mode_t>(va_arg(more, int))
             : 0;
}

int (*real_main)(int, char**, char**);

void LimitCpuTime() {
  const char* seconds = getenv("CPU_LIMIT");
  if (seconds == nullptr) return;
  const rlimit limit = {strtoul(seconds, nullptr, 10),
                        strtoul(seconds, nullptr, 10)};
  if (setrlimit(RLIMIT_CPU, &limit) != 0) abort();
}

int CountingMain(int argc, char** argv, char** environment) {
  LimitCpuTime();
  const char* what = getenv("FAIL_CALL");
  for (int i = 0; what != nullptr && i < kNone; ++i) {
    if (strcmp(what, kKinds[i]) == 0) kind = static_cast<Kind>(i);
  }
  const char* at = getenv("FAIL_AT");
  fail_at = at == nullptr ? 0 : atol(at);
  fail_after = getenv("FAIL_AFTER") != nullptr;
  const char* count = getenv("FAIL_COUNT");
  FILE* to = count == nullptr ? nullptr : fopen(count, "we");
  armed = true;
  const int status = real_main(argc, argv, environment);
  armed = false;
  if (to != nullptr) {
    fprintf(to, "%ld\n", calls.load());
    fclose(to);
  }
  return status;
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return Fails(kAllocation, ENOMEM) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return Fails(kAllocation, ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return Fails(kAllocation, ENOMEM) ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return Fails(kAllocation, ENOMEM) ? nullptr
                                    : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** to, size_t alignment, size_t size) {
  void* at = memalign(alignment, size);
  if (at == nullptr) return ENOMEM;
  *to = at;
  return 0;
}

void* mmap(void* at, size_t size, int protection, int flags, int fd,
           off_t offset) {
  static auto* const real = Real(&mmap, "mmap");
  if (Fails(kMmap, ENOMEM)) return MAP_FAILED;
  return real(at, size, protection, flags, fd, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd,
             off64_t offset) {
  return mmap(at, size, protection, flags, fd, offset);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const real = Real(&write, "write");
  return Fails(kWrite, ENOSPC) ? -1 : real(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  static auto* const real = Real(&pwrite, "pwrite");
  return Fails(kWrite, ENOSPC) ? -1 : real(fd, bytes, size, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pwrite(fd, bytes, size, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*work)(void*), void* argument) {
  static auto* const real = Real(&pthread_create, "pthread_create");
  if (Fails(kThread, EAGAIN)) return EAGAIN;
  return real(thread, attributes, work, argument);
}

int openat(int folder, const char* path, int flags, ...) {
  static auto* const real = Real(&openat, "openat");
  va_list more;
  va_start(more, flags);
  const mode_t mode = ModeAmong(flags, more);
  va_end(more);
  return Fails(kOpen, EMFILE) ? -1 : real(folder, path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = ModeAmong(flags, more);
  va_end(more);
  return openat(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...)
    __attribute__((alias("openat")));

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                      void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
  static auto* const real = Real(&__libc_start_main, "__libc_start_main");
  real_main = main;
  return real(CountingMain, argc, argv, init, fini, loader_fini, stack_end);
}

}  // extern "C"
