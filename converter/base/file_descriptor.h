// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_FILE_DESCRIPTOR_H_
#define PERF2X_BASE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace perf2x {

// Owns a file descriptor, or none (-1). The destructor closes it. Assignment
// swaps: the old descriptor is closed by the destructor of the right-hand side.
class FileDescriptor {
 public:
  // Takes ownership of `fd`; -1: owns none.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  // Returns the descriptor, which this object still owns; -1: none.
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_FILE_DESCRIPTOR_H_
