#include "converter/base/unfinished.h"

#include <mutex>
#include <utility>

namespace perf2x {
namespace {

// Nothing is allocated while the mutex is held, since what is unfinished must
// be undone when there is no memory left. Threads may outlive static objects:
// these have no destructors that do anything.
constinit std::mutex mutex;
constinit Unfinished* newest = nullptr;

}  // namespace

Unfinished::Unfinished(std::function<void()> undo) : undo_(std::move(undo)) {
  const std::lock_guard lock(mutex);
  older_ = newest;
  if (older_ != nullptr) older_->newer_ = this;
  newest = this;
}

Unfinished::~Unfinished() {
  const std::lock_guard lock(mutex);
  if (older_ != nullptr) older_->newer_ = newer_;
  (newer_ != nullptr ? newer_->older_ : newest) = older_;
}

void UndoUnfinished() {
  mutex.lock();  // for good
  // The last first: what is in a folder before the folder.
  for (const Unfinished* at = newest; at != nullptr; at = at->older_) {
    at->undo_();
  }
}

}  // namespace perf2x
