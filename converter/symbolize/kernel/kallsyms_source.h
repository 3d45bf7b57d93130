// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_SOURCE_H_
#define PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_SOURCE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "converter/symbolize/kernel/kallsyms_cache.h"
#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// Symbols from a kallsyms table, which a kernel and its modules share. ELF
// files add lines and inlined functions: a module's own file; for the kernel,
// only --vmlinux (see precedes_vmlinux). The ELF file is used only where its
// function has the same name as the table's.
class KallsymsSource : public SymbolSource {
 public:
  explicit KallsymsSource(const SymbolSourceContext& context)
      : context_(context) {}
  // Returns null if there is no table for the code, and for DSOs that are
  // neither a kernel nor a module.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso, DsoReport* report) final;

 protected:
  // The result of one search for a table.
  struct Table {
    bool searched = false;
    KallsymsCache::Table kallsyms;  // null: not found
    DsoReport report;
    // Stores the table and adds it to `report`. If `table` is an error, or its
    // addresses are hidden (Kallsyms::is_hidden), only adds the reason to
    // `report`. Does not set `searched`.
    void Set(absl::StatusOr<KallsymsCache::Table> table, bool verified);
  };

  // Returns the table for the code of `dso`. The first call searches for it;
  // Table::kallsyms is null if there is none. Returns null if this source has
  // no tables for such code. Called with the mutex held.
  virtual Table* TableOf(const Dso& dso) = 0;
  // Returns true if this source is tried before VmlinuxSource. It must then
  // read the kernel's lines from --vmlinux itself. Sources after VmlinuxSource
  // need not: they are tried only if --vmlinux is not given or has no symbols.
  virtual bool precedes_vmlinux() const { return false; }
  // Returns the build id of the recorded kernel that `dso` is or belongs to.
  // Empty if not known. Requires that `dso` is not a guest's.
  const BuildId& KernelIdOf(const Dso& dso) const;

  KallsymsCache& cache() const { return *context_.options.kallsyms_cache; }

  const SymbolSourceContext context_;

 private:
  std::unique_ptr<DsoSymbolizer> OpenDetails(const Dso& dso, DsoReport* report);

  std::mutex mutex_;  // guards the tables
};

// --kallsyms or the table in a recording's kcore_dir, and --guest-kallsyms.
class GivenKallsymsSource final : public KallsymsSource {
 public:
  using KallsymsSource::KallsymsSource;
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);

 private:
  Table* TableOf(const Dso& dso) override;
  bool precedes_vmlinux() const override { return true; }
  Table host_, guest_;
};

// The table that simpleperf copied into the recording.
class RecordedKallsymsSource final : public KallsymsSource {
 public:
  using KallsymsSource::KallsymsSource;

 private:
  Table* TableOf(const Dso& dso) override;
  Table table_;
};

// A table that the archive or perf's build-id cache has for the kernel.
class CachedKallsymsSource final : public KallsymsSource {
 public:
  using KallsymsSource::KallsymsSource;

 private:
  Table* TableOf(const Dso& dso) override;
  std::map<std::string, Table> tables_;  // by the kernel's build id
};

// /proc/kallsyms, if the running kernel is proven to be the recorded one.
class RunningKallsymsSource final : public KallsymsSource {
 public:
  using KallsymsSource::KallsymsSource;
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);

 private:
  Table* TableOf(const Dso& dso) override;
  std::map<std::string, Table> tables_;  // by the kernel's build id
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_SOURCE_H_
