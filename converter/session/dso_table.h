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

// What an MMAP or MMAP2 record says of the file it maps.
struct MappedFile {
  absl::string_view name;
  BuildId build_id;
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0, inode_generation = 0;
  bool below_4g = false;  // mapped there, as all of a 32-bit process is
};

// The bodies of code of a recording, each once: decides which mappings are of
// the same one.
class DsoTable {
 public:
  explicit DsoTable(TraceTables& tables);

  // A file (or [vdso], [heap], …) mapped by a process. `pid` and `program`,
  // which counts the programs that a process ran, tell anonymous memory apart;
  // `root_owner`, the Dso::pid of files, those of processes whose files
  // lie in a folder of their own. -1: not in one.
  DsoId OfUser(const MappedFile& file, int32_t pid, uint32_t program,
               int32_t root_owner = -1);
  // The kernel proper, or a module ("[name]" or a path),
  // loaded at `start`.
  DsoId OfKernel(absl::string_view name, bool module, uint64_t start);
  // A function without a file, at [start, end); `lines` and `eh_frame` may be
  // null.
  DsoId OfGenerated(
      absl::string_view symbol, int32_t pid, uint64_t start, uint64_t end,
      std::shared_ptr<const std::vector<GeneratedLine>> lines,
      std::shared_ptr<const std::vector<uint8_t>> eh_frame = nullptr);
  // The same of the kernel, once for each name and place.
  DsoId OfKernelFunction(
      absl::string_view symbol, uint64_t start, uint64_t end,
      std::shared_ptr<const std::vector<GeneratedLine>> lines);
  // What OfKernelFunction has given for these; kNoId: nothing yet.
  DsoId KnownKernelFunction(absl::string_view symbol, uint64_t start,
                            uint64_t end) const;
  // The same function at another place.
  DsoId MovedTo(DsoId generated, uint64_t start, uint64_t end);
  // A pseudo file, one a kind: kUnknown, kGuestKernel, kGuestUser, kHypervisor;
  // or a marker of the given name.
  DsoId OfKind(DsoKind kind, absl::string_view name);

  // What the recording's BUILD_ID feature or a HEADER_BUILD_ID record says:
  // counts for files of that name, mapped before or after, that have no build
  // id of their own.
  void SetBuildId(absl::string_view name, const BuildId& build_id);

  // The mapping of [start, limit) to `offset` of a file, once for each part of
  // a file.
  MappingId MappingOf(DsoId file, uint64_t start, uint64_t limit,
                      uint64_t offset);

  // For the kernel: what its map record says of a reference symbol.
  void SetReference(DsoId kernel, absl::string_view symbol, uint64_t address);

 private:
  DsoId Intern(std::string key, Dso file);

  TraceTables& tables_;
  absl::flat_hash_map<std::string, DsoId> by_key_;
  absl::flat_hash_map<std::string, BuildId> build_ids_;
  // Files known by their inodes whose build ids may come yet, by name.
  absl::flat_hash_map<std::string, std::vector<DsoId>> awaiting_build_id_;
  struct Part {
    DsoId file;
    uint64_t offset, length;
    friend bool operator==(const Part&, const Part&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Part& p) {
      return H::combine(std::move(h), p.file, p.offset, p.length);
    }
  };
  absl::flat_hash_map<Part, MappingId> mappings_;
};

// What a name in a process's memory map stands for.
DsoKind KindOfUserMapping(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SESSION_DSO_TABLE_H_
