// SPDX-License-Identifier: Apache-2.0
#include "converter/base/early_exit_cleanup.h"

#include <mutex>
#include <utility>

namespace perf2x {
namespace {

// Nothing is allocated while the mutex is held, since cleanups must also run
// when no memory is left. Threads may outlive static objects: the destructors
// of these two do nothing.
constinit std::mutex mutex;
constinit EarlyExitCleanup* newest = nullptr;

}  // namespace

EarlyExitCleanup::EarlyExitCleanup(std::function<void()> undo)
    : undo_(std::move(undo)) {
  const std::lock_guard lock(mutex);
  older_ = newest;
  if (older_ != nullptr) older_->newer_ = this;
  newest = this;
}

EarlyExitCleanup::~EarlyExitCleanup() {
  const std::lock_guard lock(mutex);
  if (older_ != nullptr) older_->newer_ = newer_;
  (newer_ != nullptr ? newer_->older_ : newest) = older_;
}

void RunEarlyExitCleanups() {
  mutex.lock();  // never unlocked
  // The newest first: a file in a folder goes before the folder.
  for (const EarlyExitCleanup* at = newest; at != nullptr; at = at->older_) {
    at->undo_();
  }
}

}  // namespace perf2x
