#ifndef PERF2X_SESSION_LAYOUTS_H_
#define PERF2X_SESSION_LAYOUTS_H_

#include <cstdint>
#include <vector>

#include "converter/profile/stack_table.h"
#include "converter/profile/tables.h"
#include "converter/session/address_map.h"
#include "converter/session/code_files.h"
#include "converter/session/threads.h"

namespace perf2x {

// The address-space layouts that stacks were sampled under, and the frames of
// stacks read in them. A chain is the words of a callchain in the host's byte
// order; it starts with a context marker (perf/wire.h).
class Layouts final : public FrameSource {
 public:
  Layouts(ProfileTables& tables, CodeFiles& files);

  // The kernel's own mappings, which every layout sees.
  AddressMap& kernel_map() { return kernel_map_; }
  AddressMap::Arena& arena() { return arena_; }

  // The layout of `process` as it is now.
  LayoutId Of(ProcessState& process);

  void FramesOf(StackId stack, std::vector<FrameId>* frames) override;

  // The frame of one address: `mode` is a context marker.
  FrameId FrameAt(LayoutId layout, uint64_t mode, uint64_t address);

 private:
  struct Layout {
    AddressMap user, kernel;
  };
  // What a small direct-mapped cache keeps of the last look-ups.
  struct Cached {
    uint64_t address = 0;
    uint64_t mode = 0;
    LayoutId layout = kNoId;
    FrameId frame = kNoId;
  };
  FrameId LookUp(LayoutId layout, uint64_t mode, uint64_t address);
  FrameId Pseudo(CodeKind kind, const char* name, uint64_t address);

  ProfileTables& tables_;
  CodeFiles& files_;
  AddressMap::Arena arena_;
  AddressMap kernel_map_;
  std::vector<Layout> layouts_;
  std::vector<Cached> cache_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_LAYOUTS_H_
