#include "converter/session/layouts.h"

#include "converter/base/byte_order.h"
#include "converter/perf/wire.h"
#include "converter/session/user_stacks.h"

namespace perf2x {
Layouts::Layouts(ProfileTables& tables, CodeFiles& files)
    : tables_(tables), files_(files) {
  tables_.set_frame_source(this);
}

LayoutId Layouts::Of(ProcessState& process) {
  if (process.layout != kNoId && process.layout_map == process.map &&
      process.layout_kernel_map == kernel_map_) {
    return process.layout;
  }
  process.layout = static_cast<LayoutId>(layouts_.size());
  process.layout_map = process.map;
  process.layout_kernel_map = kernel_map_;
  layouts_.push_back({process.map, kernel_map_});
  arena_.Freeze();
  return process.layout;
}

CodeFileId Layouts::Locate(LayoutId layout, uint64_t mode, uint64_t ip,
                           uint64_t* address) {
  const Layout& at_hand = layouts_[layout];
  flat_user_ = flat_users_.Of(at_hand.user, 1);
  flat_kernel_ = flat_kernels_.Of(at_hand.kernel, 1);
  const FramePlace place = PlaceOf(at_hand, mode, ip);
  *address = place.address;
  return place.file;
}

void Layouts::AppendPlaces(StackId stack, std::vector<FramePlace>* places) {
  const Layout& layout = layouts_[tables_.stacks.layout(stack)];
  // Stacks are mostly asked for in order, but lie all over the input.
  tables_.stacks.PrefetchChain(stack + 8);
  const size_t before = places->size();
  const absl::Span<const uint8_t> chain = tables_.stacks.chain(stack, &chain_);
  flat_user_ = flat_users_.Of(layout.user, chain.size() / 8);
  flat_kernel_ = flat_kernels_.Of(layout.kernel, chain.size() / 8);
  uint64_t mode = kContextUser;
  // The first address behind a marker is of the interrupted instruction; all
  // others are return addresses, one byte behind the end of a call.
  bool interrupted = true;
  for (size_t at = 0; at + 8 <= chain.size(); at += 8) {
    const uint64_t ip = Load<uint64_t>(&chain[at], kHostOrder);
    if (ip == kStackTruncated) {
      places->push_back(Pseudo(CodeKind::kMarker, "[truncated]", 0));
      continue;
    }
    if (ip >= kContextMax) {
      mode = ip;
      interrupted = true;
      if (ip == kContextUserDeferred) at += 8;  // a cookie, not an address
      continue;
    }
    const uint64_t address = interrupted || ip == 0 ? ip : ip - 1;
    interrupted = false;
    places->push_back(PlaceOf(layout, mode, address));
  }
  if (places->size() == before) {
    places->push_back(Pseudo(CodeKind::kUnknown, "[unknown]", 0));
  }
}

FramePlace Layouts::In(CodeFileId file, MappingId mapping, uint64_t address) {
  return {FrameTable::HashOf(file, address), address, file, mapping};
}

FramePlace Layouts::Pseudo(CodeKind kind, const char* name, uint64_t address) {
  const CodeFileId file = files_.OfKind(kind, name);
  return In(file, files_.MappingOf(file, 0, 0, 0), address);
}

FramePlace Layouts::PlaceOf(const Layout& layout, uint64_t mode,
                            uint64_t address) {
  const bool kernel = mode == kContextKernel;
  switch (mode) {
    case kContextHypervisor:
      return Pseudo(CodeKind::kHypervisor, "[hypervisor]", address);
    case kContextGuest:
    case kContextGuestKernel:
      return Pseudo(CodeKind::kGuestKernel, "[guest.kernel.kallsyms]", address);
    case kContextGuestUser:
      return Pseudo(CodeKind::kGuestUser, "[guest]", address);
    default:
      break;
  }
  const FlatMap* flat = kernel ? flat_kernel_ : flat_user_;
  const MapEntry* entry =
      flat != nullptr ? flat->Find(address)
                      : (kernel ? layout.kernel : layout.user).Find(address);
  if (entry != nullptr) {
    return In(
        entry->file, entry->mapping,
        entry->by_offset ? address - entry->start + entry->offset : address);
  }
  if (!kernel) return Pseudo(CodeKind::kUnknown, "[unknown]", address);
  // The recording has no map of the kernel, or not of this part.
  const CodeFileId file = files_.OfKernel("[kernel.kallsyms]", false, 0);
  return In(file, files_.MappingOf(file, 0, 0, 0), address);
}

}  // namespace perf2x
