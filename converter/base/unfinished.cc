#include "converter/base/unfinished.h"

#include <map>
#include <mutex>
#include <utility>

namespace perf2x {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<uint64_t, std::function<void()>> undo;
  uint64_t next = 0;
};

// Never destroyed: threads may outlive static objects.
Registry& TheRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

}  // namespace

Unfinished::Unfinished(std::function<void()> undo) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  id_ = registry.next++;
  registry.undo[id_] = std::move(undo);
}

Unfinished::~Unfinished() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.undo.erase(id_);
}

void UndoUnfinished() {
  Registry& registry = TheRegistry();
  registry.mutex.lock();  // for good
  // The last first: what is in a folder before the folder.
  for (auto it = registry.undo.rbegin(); it != registry.undo.rend(); ++it) {
    it->second();
  }
}

}  // namespace perf2x
