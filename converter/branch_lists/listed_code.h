// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BRANCH_LISTS_LISTED_CODE_H_
#define PERF2X_BRANCH_LISTS_LISTED_CODE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/branch_lists/branch_list_reader.h"
#include "converter/hwtrace/etm_element.h"
#include "converter/model/code_image.h"
#include "converter/model/stack_table.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The code that branch lists are about, as DSOs of a trace. Not thread-safe.
class ListedCode final : public FrameSource {
 public:
  // The address space of LBR samples. That of a binary is its index plus 1.
  static constexpr AddressSpaceId kLbrSpace = 0;

  // Becomes the FrameSource of `tables`, which must be empty and outlive this.
  explicit ListedCode(TraceTables& tables);

  // Returns the index of a binary, which is no kernel module; adds its DSO if
  // it is new. A binary without a build id is the same as the first one with
  // its path. Only the first kernels of a file are found.
  uint32_t IndexOf(const ListedBinary& binary);
  // Returns the code of a binary; null if its file is not found. Valid as long
  // as this.
  CodeImage* CodeOf(uint32_t index);
  // Returns an address of kLbrSpace for a link-time address in a binary; 0 if
  // it is beyond the addresses of programs.
  static uint64_t LbrAddressOf(uint32_t index, uint64_t address) {
    const bool fits = index < kMaxLbrBinaries && address < uint64_t{1} << kBits;
    return fits ? uint64_t{index + 1} << kBits | address : 0;
  }
  // Returns the code at an address of a list.
  absl::Span<const uint8_t> BytesAt(uint32_t index, uint64_t address);
  // A stack of one frame, of no known code.
  StackId no_stack() const { return no_stack_; }

  // Returns the approximate memory, in bytes, without the tables and files.
  uint64_t memory() const { return binaries_.size() * kOfBinary; }

 private:
  static constexpr int kBits = 44;
  static constexpr uint32_t kMaxLbrBinaries = 1 << 18;
  static constexpr uint64_t kOfBinary = 512;
  // Each has a copy of its file. A machine that started again has another one.
  static constexpr int kMaxKernels = 8;

  struct Binary {
    DsoId dso = kNoId;
    bool at_run_time = false;  // its addresses are
    bool opened = false;
    std::shared_ptr<CodeImage> code;  // null: not found
  };

  // Gives a binary without build id that of another one with its path. Returns
  // false if its file was found, and no file is with the build id.
  bool AdoptBuildId(uint32_t index, const BuildId& build_id);

  void AppendPlaces(StackId stack, FramePlaces* places) override;
  DsoId Locate(AddressSpaceId space, uint64_t address,
               uint64_t* frame_address) override;

  TraceTables& tables_;
  std::vector<Binary> binaries_;
  absl::flat_hash_map<ListedBinary, uint32_t> index_of_;
  // By ListedBinary without build id.
  absl::flat_hash_map<ListedBinary, uint32_t> first_of_path_;
  int kernels_ = 0;  // of binaries_
  DsoId unknown_ = kNoId;
  MappingId no_mapping_ = kNoId;
  StackId no_stack_ = kNoId;
};

// The code of one binary, for OpenCSD. Not thread-safe.
class ListedEtmCode final : public EtmCode {
 public:
  // `code` must outlive this.
  ListedEtmCode(ListedCode& code, uint32_t index)
      : code_(code), index_(index) {}
  uint32_t Read(int32_t cpu, int32_t thread, uint64_t address,
                absl::Span<uint8_t> to) override;

 private:
  ListedCode& code_;
  const uint32_t index_;
};

}  // namespace perf2x

#endif  // PERF2X_BRANCH_LISTS_LISTED_CODE_H_
