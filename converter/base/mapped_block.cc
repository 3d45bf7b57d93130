#include "converter/base/mapped_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <memory>

namespace perf2x {
namespace {

class MappedBlock final : public Block {
 public:
  MappedBlock(void* data, size_t size, bool stable) : Block(stable) {
    bytes_ = {static_cast<const uint8_t*>(data), size};
  }
  ~MappedBlock() override {
    if (!bytes_.empty()) {
      munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
    }
  }
  void Release(absl::Span<const uint8_t> part) const override {
    // Whole pages; the mapping begins with one.
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const auto begin = static_cast<size_t>(part.data() - bytes_.data());
    const size_t first = (begin + page - 1) / page * page;
    const size_t last = (begin + part.size()) / page * page;
    if (first >= last) return;
    madvise(const_cast<uint8_t*>(bytes_.data()) + first, last - first,
            MADV_DONTNEED);
  }
};

}  // namespace

BlockRef MapFile(int fd, uint64_t offset, uint64_t size, bool stable) {
  void* data = nullptr;
  if (size > 0) {  // there is no mapping of nothing
    data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd,
                static_cast<off_t>(offset));
    if (data == MAP_FAILED) return BlockRef();
    madvise(data, size, MADV_SEQUENTIAL);
  }
  return BlockRef(std::make_unique<MappedBlock>(data, size, stable));
}

}  // namespace perf2x
