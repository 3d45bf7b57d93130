#include "converter/session/layouts.h"

#include "converter/base/byte_order.h"
#include "converter/perf/wire.h"
#include "converter/session/user_stacks.h"

namespace perf2x {
namespace {

// Power of two. The look-ups of a few thousand hot addresses end here.
constexpr size_t kCacheSize = 1 << 14;

size_t CacheSlot(LayoutId layout, uint64_t address) {
  const uint64_t h =
      (address ^ static_cast<uint64_t>(layout) << 40) * 0x9e3779b97f4a7c15u;
  return h >> 50;
}
static_assert(kCacheSize == size_t{1} << (64 - 50));

}  // namespace

Layouts::Layouts(ProfileTables& tables, CodeFiles& files)
    : tables_(tables), files_(files), cache_(kCacheSize) {
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

void Layouts::FramesOf(StackId stack, std::vector<FrameId>* frames) {
  frames->clear();
  const LayoutId layout = tables_.stacks.layout(stack);
  const absl::Span<const uint8_t> chain = tables_.stacks.chain(stack);
  uint64_t mode = kContextUser;
  // The first address behind a marker is of the interrupted instruction; all
  // others are return addresses, one byte behind the end of a call.
  bool interrupted = true;
  for (size_t at = 0; at + 8 <= chain.size(); at += 8) {
    const uint64_t ip = Load<uint64_t>(&chain[at], kHostOrder);
    if (ip == kStackTruncated) {
      frames->push_back(Pseudo(CodeKind::kMarker, "[truncated]", 0));
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
    frames->push_back(FrameAt(layout, mode, address));
  }
  if (frames->empty()) {
    frames->push_back(Pseudo(CodeKind::kUnknown, "[unknown]", 0));
  }
}

FrameId Layouts::FrameAt(LayoutId layout, uint64_t mode, uint64_t address) {
  Cached& c = cache_[CacheSlot(layout, address)];
  if (c.address != address || c.layout != layout || c.mode != mode) {
    c = {address, mode, layout, LookUp(layout, mode, address)};
  }
  return c.frame;
}

FrameId Layouts::Pseudo(CodeKind kind, const char* name, uint64_t address) {
  const CodeFileId file = files_.OfKind(kind, name);
  const MappingId mapping = files_.MappingOf(file, 0, 0, 0);
  return tables_.InternFrame(file, mapping, address);
}

FrameId Layouts::LookUp(LayoutId layout, uint64_t mode, uint64_t address) {
  const MapEntry* entry = nullptr;
  switch (mode) {
    case kContextKernel: {
      entry = layouts_[layout].kernel.Find(address);
      if (entry != nullptr) break;
      // The recording has no map of the kernel, or not of this part.
      const CodeFileId kernel = files_.OfKernel("[kernel.kallsyms]", false);
      return tables_.InternFrame(kernel, files_.MappingOf(kernel, 0, 0, 0),
                                 address);
    }
    case kContextHypervisor:
      return Pseudo(CodeKind::kHypervisor, "[hypervisor]", address);
    case kContextGuest:
    case kContextGuestKernel:
      return Pseudo(CodeKind::kGuestKernel, "[guest.kernel.kallsyms]", address);
    case kContextGuestUser:
      return Pseudo(CodeKind::kGuestUser, "[guest]", address);
    default:
      entry = layouts_[layout].user.Find(address);
      break;
  }
  if (entry == nullptr) {
    return Pseudo(CodeKind::kUnknown, "[unknown]", address);
  }
  const CodeKind kind = tables_.files()[entry->file].kind;
  if (kind == CodeKind::kFile || kind == CodeKind::kVdso) {
    address = address - entry->start + entry->offset;
  }
  return tables_.InternFrame(entry->file, entry->mapping, address);
}

}  // namespace perf2x
