// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_DSO_TABLE_H_
#define PERF2X_SESSION_DSO_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The mapped file of an MMAP or MMAP2 record.
struct MappedFile {
  absl::string_view name;
  BuildId build_id;  // empty: not recorded
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0, inode_generation = 0;  // 0: not recorded
  bool below_4g = false;  // ends at or below 4 GiB: a [vdso] there is 32-bit
  // If set, copies of one file at different paths are different DSOs.
  bool by_path = false;
};

// The DSOs of a recording. Decides which mappings are of the same Dso. Adds a
// Dso to the tables when it is first requested. Not thread-safe.
class DsoTable {
 public:
  // `tables` must outlive this object.
  explicit DsoTable(TraceTables& tables);

  // Returns the Dso of a file (or [vdso], [heap], …) that a process mapped.
  // Files with the same build id are one Dso. Without a build id, files with
  // the same name, inode and `root_owner` are one. `root_owner` is the process
  // in whose own root folder the path lies; -1: none. Anonymous memory is one
  // Dso per `pid`, `program` (ProcessState::program) and name. Its name is
  // "[anon]" unless `mapped.name` is in brackets.
  DsoId UserDso(const MappedFile& mapped, int32_t pid, uint32_t program,
                int32_t root_owner = -1);
  // Returns the Dso of the kernel proper or, if `module` is set, of a module
  // ("[name]" or a path). `start` is the load address of a module. Ignores
  // `start` if the Dso exists.
  DsoId KernelDso(absl::string_view name, bool module, uint64_t start);
  // Adds a new Dso for a generated function, which has no file, at the run-time
  // addresses [start, end). `pid` is -1 for the kernel's. `lines` and
  // `eh_frame` may be null.
  DsoId AddGenerated(
      absl::string_view symbol, int32_t pid, uint64_t start, uint64_t end,
      std::shared_ptr<const std::vector<GeneratedLine>> lines,
      std::shared_ptr<const std::vector<uint8_t>> eh_frame = nullptr);
  // Adds a function that the kernel generated, as AddGenerated does. To be
  // called once for each name and range: see FindKernelFunction.
  DsoId AddKernelFunction(
      absl::string_view symbol, uint64_t start, uint64_t end,
      std::shared_ptr<const std::vector<GeneratedLine>> lines);
  // Returns the result of AddKernelFunction for this name and range; kNoId: not
  // added yet.
  DsoId FindKernelFunction(absl::string_view symbol, uint64_t start,
                           uint64_t end) const;
  // Adds a new Dso, a copy of the generated function `generated` at [start,
  // end).
  DsoId AddMovedCopy(DsoId generated, uint64_t start, uint64_t end);
  // Returns the placeholder Dso of this kind and name. The kind is kUnknown,
  // kGuestKernel, kGuestUser, kHypervisor or kMarker. For "[jit]" and "[bpf]"
  // it is kGenerated.
  DsoId PlaceholderDso(DsoKind kind, absl::string_view name);

  // The largest number of names whose build ids are kept.
  static constexpr size_t kMaxBuildIds = 1 << 18;
  // Sets the build id that the recording has for a name. Ignores an empty one.
  // Applies to the kernel or module of that name. Also applies to files of that
  // name without a build id, mapped before or after. If a 64-bit and a 32-bit
  // vDSO were mapped, applies to the 64-bit one. Returns false, and does
  // nothing, if the name is new and kMaxBuildIds names have build ids.
  bool SetBuildId(absl::string_view name, const BuildId& build_id);

  // Returns the id of the mapping of [start, limit) at `offset` of a Dso.
  // Ranges of a Dso with equal offset and length share one mapping, which keeps
  // the addresses of the first range. All generated code of processes shares
  // the mapping "[jit]". All generated code of the kernel shares "[bpf]".
  MappingId MappingOf(DsoId dso, uint64_t start, uint64_t limit,
                      uint64_t offset);

  // Returns the approximate memory of the build ids by name, in bytes.
  // TraceTables::memory includes the DSOs.
  uint64_t memory() const {
    constexpr uint64_t kOfName = 192;
    return (build_ids_.size() + awaiting_build_id_.size()) * kOfName +
           name_bytes_;
  }

  // Sets the reference symbol of a kernel and its address, from its MMAP
  // record.
  void SetReference(DsoId kernel, absl::string_view symbol, uint64_t address);

 private:
  DsoId Intern(absl::string_view key, Dso dso);

  TraceTables& tables_;
  absl::flat_hash_map<std::string, DsoId> by_key_;
  absl::flat_hash_map<std::string, BuildId> build_ids_;
  // By name: files without a build id so far, identified by inode or by the
  // process in whose root they are.
  absl::flat_hash_map<std::string, std::vector<DsoId>> awaiting_build_id_;
  uint64_t name_bytes_ = 0;  // of the keys of both
  struct Part {
    DsoId dso;
    uint64_t offset, length;
    friend bool operator==(const Part&, const Part&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Part& p) {
      return H::combine(std::move(h), p.dso, p.offset, p.length);
    }
  };
  absl::flat_hash_map<Part, MappingId> mappings_;
};

// Returns the kind of a mapping with this name in a process: kVdso, kFile or,
// for memory without a file that can be opened, kAnonymous.
DsoKind KindOfUserMapping(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SESSION_DSO_TABLE_H_
