// SPDX-License-Identifier: Apache-2.0
#include "converter/input/read_stop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace perf2x {

ReadStop::ReadStop() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void ReadStop::Request() {
  const uint64_t one = 1;
  // Fails only if eventfd() failed, or after 2^64 calls.
  if (write(event_.get(), &one, sizeof(one)) < 0) errno = 0;
}

bool ReadStop::WaitFor(int fd) const {
  pollfd fds[] = {{fd, POLLIN, 0}, {event_.get(), POLLIN, 0}};
  while (poll(fds, 2, -1) < 0 && errno == EINTR) {
  }
  return fds[1].revents == 0;
}

}  // namespace perf2x
