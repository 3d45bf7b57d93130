// SPDX-License-Identifier: Apache-2.0
#include "converter/base/mapped_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "converter/base/file_mapping.h"

namespace perf2x {
namespace {

class MappedBlock final : public Block {
 public:
  // `mapping` is null for a block without bytes.
  MappedBlock(std::unique_ptr<FileMapping> mapping, bool stable)
      : Block(stable), mapping_(std::move(mapping)) {
    if (mapping_ != nullptr) bytes_ = mapping_->bytes();
  }
  bool has_lost_bytes() const override {
    return mapping_ != nullptr && mapping_->has_lost_bytes();
  }
  void Populate(absl::Span<const uint8_t> part) const override {
    ReadAhead(static_cast<size_t>(part.end() - bytes_.data()));
    // Fails before Linux 5.14, and beyond the end of a truncated file.
    AdviseWholePages(part, MADV_POPULATE_READ);
  }
  void Release(absl::Span<const uint8_t> part) const override {
    AdviseWholePages(part, MADV_DONTNEED);
  }

 private:
  // Makes the kernel read the bytes that will be populated next from the disk,
  // in the background. To populate bytes that are not in memory takes their
  // reading, of which the kernel has less under way by itself than a fast disk
  // can do.
  void ReadAhead(size_t at) const {
    constexpr size_t kStep = 4 << 20, kSteps = 8;
    for (size_t i = 0; i < kSteps && at < bytes_.size(); ++i, at += kStep) {
      const absl::Span<const uint8_t> part = bytes_.subspan(at, kStep);
      if (!IsInMemory(part.size() - 1 + at)) {
        AdviseWholePages(part, MADV_WILLNEED);
      }
    }
  }
  // Returns false if a page must be read from the disk. The kernel says so only
  // to those who may write the file.
  bool IsInMemory(size_t at) const {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    unsigned char state = 1;
    mincore(const_cast<uint8_t*>(bytes_.data()) + at / page * page, 1, &state);
    return (state & 1) != 0;
  }
  // Advises on the pages that lie in `part` as a whole; the mapping begins at a
  // page.
  void AdviseWholePages(absl::Span<const uint8_t> part, int advice) const {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const auto begin = static_cast<size_t>(part.data() - bytes_.data());
    const size_t first = (begin + page - 1) / page * page;
    const size_t last = (begin + part.size()) / page * page;
    if (first >= last) return;
    madvise(const_cast<uint8_t*>(bytes_.data()) + first, last - first, advice);
  }

  const std::unique_ptr<FileMapping> mapping_;
};

}  // namespace

BlockRef MapFile(int fd, uint64_t offset, uint64_t size, bool stable) {
  std::unique_ptr<FileMapping> mapping;
  if (size > 0) {  // mmap fails for 0 bytes
    mapping = FileMapping::Map(fd, offset, size);
    if (mapping == nullptr) return BlockRef();
    madvise(const_cast<uint8_t*>(mapping->bytes().data()), size,
            MADV_SEQUENTIAL);
  }
  return BlockRef(std::make_unique<MappedBlock>(std::move(mapping), stable));
}

}  // namespace perf2x
