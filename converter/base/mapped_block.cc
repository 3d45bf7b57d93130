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
  bool lost_bytes() const override {
    return mapping_ != nullptr && mapping_->lost_bytes();
  }
  void Populate(absl::Span<const uint8_t> part) const override {
    // Fails before Linux 5.14, and beyond the end of a truncated file.
    AdviseWholePages(part, MADV_POPULATE_READ);
  }
  void Release(absl::Span<const uint8_t> part) const override {
    AdviseWholePages(part, MADV_DONTNEED);
  }

 private:
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
