// SPDX-License-Identifier: Apache-2.0
#include "converter/base/file_mapping.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace perf2x {

// One mapping, as the signal handler sees it. The handler may run at any
// moment, on any thread, so that it must not wait for a lock.
struct FileMapping::Slot {
  std::atomic<uintptr_t> begin{0};  // 0: free
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> lost_bytes{false};
};

// All mappings of the process, and the handler of SIGBUS.
class FileMappings {
 public:
  using Slot = FileMapping::Slot;

  static FileMappings& Get() {
    // Never destroyed: threads may outlive static objects.
    static FileMappings& all = *new FileMappings;
    return all;
  }

  Slot* Add(uintptr_t begin, size_t size) {
    const std::lock_guard lock(mutex_);
    Slot* slot = FreeSlot();
    slot->lost_bytes.store(false, std::memory_order_relaxed);
    slot->end.store(begin + size, std::memory_order_relaxed);
    slot->begin.store(begin, std::memory_order_release);
    return slot;
  }
  void Remove(Slot* slot) {
    const std::lock_guard lock(mutex_);
    slot->begin.store(0, std::memory_order_release);
    free_ = slot;
  }

 private:
  // Chunks are only ever added, so that the handler can walk them.
  struct Chunk {
    std::array<Slot, 256> slots;
    std::atomic<Chunk*> next{nullptr};
  };

  FileMappings() {
    struct sigaction action = {};
    action.sa_sigaction = Handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous_);
    page_size_ = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  }

  Slot* FreeSlot() {
    if (free_ != nullptr && free_->begin.load() == 0) {
      return std::exchange(free_, nullptr);
    }
    for (Chunk* chunk = &first_;; chunk = chunk->next.load()) {
      for (Slot& slot : chunk->slots) {
        if (slot.begin.load(std::memory_order_relaxed) == 0) return &slot;
      }
      if (chunk->next.load() == nullptr) chunk->next.store(new Chunk);
    }
  }

  Slot* Find(uintptr_t address) {
    for (Chunk* chunk = &first_; chunk != nullptr; chunk = chunk->next.load()) {
      for (Slot& slot : chunk->slots) {
        const uintptr_t begin = slot.begin.load(std::memory_order_acquire);
        if (begin != 0 && address >= begin && address < slot.end.load()) {
          return &slot;
        }
      }
    }
    return nullptr;
  }

  static void Handle(int signal, siginfo_t* info, void* context) {
    FileMappings& all = Get();
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    Slot* const slot = all.Find(address);
    if (slot != nullptr) {
      const uintptr_t page = address & ~(all.page_size_ - 1);
      // Replaces the rest of the mapping at once: doing so page by page would
      // cost a signal for each page.
      if (mmap(reinterpret_cast<void*>(page), slot->end.load() - page,
               PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) != MAP_FAILED) {
        slot->lost_bytes.store(true, std::memory_order_relaxed);
        return;
      }
    }
    // Not a mapping of this class: what happens is up to the previous handler.
    const struct sigaction& previous = all.previous_;
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
      previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL &&
               previous.sa_handler != SIG_IGN) {
      previous.sa_handler(signal);
    } else {
      // The access is repeated, and ends the process.
      sigaction(signal, &previous, nullptr);
    }
  }

  std::mutex mutex_;
  Chunk first_;
  Slot* free_ = nullptr;  // the slot freed last
  uintptr_t page_size_ = 0;
  struct sigaction previous_ = {};
};

std::unique_ptr<FileMapping> FileMapping::Map(int fd, uint64_t offset,
                                              size_t size) {
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd,
                          static_cast<off_t>(offset));
  if (data == MAP_FAILED) return nullptr;
  Slot* const slot =
      FileMappings::Get().Add(reinterpret_cast<uintptr_t>(data), size);
  return std::unique_ptr<FileMapping>(
      new FileMapping({static_cast<const uint8_t*>(data), size}, slot));
}

FileMapping::~FileMapping() {
  FileMappings::Get().Remove(slot_);
  munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

bool FileMapping::has_lost_bytes() const {
  return slot_->lost_bytes.load(std::memory_order_relaxed);
}

void FileMapping::ReleasePages() const {
  madvise(const_cast<uint8_t*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace perf2x
