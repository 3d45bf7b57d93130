// SPDX-License-Identifier: Apache-2.0
#include "converter/base/early_exit_cleanup.h"

#include <mutex>
#include <utility>

namespace perf2x {
namespace {

// Nothing is allocated while the mutex is held, since what is unfinished must
// be undone when there is no memory left. Threads may outlive static objects:
// these have no destructors that do anything.
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
  mutex.lock();  // for good
  // The last first: what is in a folder before the folder.
  for (const EarlyExitCleanup* at = newest; at != nullptr; at = at->older_) {
    at->undo_();
  }
}

}  // namespace perf2x
