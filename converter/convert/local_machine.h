// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_LOCAL_MACHINE_H_
#define PERF2X_CONVERT_LOCAL_MACHINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/model/trace_tables.h"
#include "converter/session/host_environment.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// The files of the machine that perf2x runs on, and whether it is the recorded
// one.
class LocalMachine final : public HostEnvironment {
 public:
  // `symbolize` off: no file is opened for names; `unwind` off: none for call
  // frame information. `tables` must outlive this.
  LocalMachine(SymbolizeOptions options, bool symbolize, bool unwind,
               const TraceTables& tables)
      : options_(std::move(options)),
        symbolize_(symbolize),
        unwind_(unwind),
        tables_(tables) {}

  Symbolizer* MakeSymbolizer(const HeaderFeatures& features) override;
  std::vector<CodeRange> InterruptEntries(const Dso& kernel) override {
    return symbolizer_ == nullptr ? std::vector<CodeRange>()
                                  : symbolizer_->InterruptEntries(kernel);
  }
  Symbolizer* MakeSymbolTable(const HeaderFeatures& features) override;
  std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures& features) override;
  void OnFork(int32_t pid, int32_t tid, int32_t parent_pid) override {
    processes_->OnFork(pid, tid, parent_pid);
  }
  void OnPidNamespace(int32_t pid, int32_t tid, uint64_t inode) override {
    processes_->OnNamespace(pid, tid, inode);
  }
  int32_t RootOwner(int32_t pid) const override;
  std::unique_ptr<JitDump> OpenJitDump(absl::string_view name, int32_t pid,
                                       const HeaderFeatures& features) override;

  // What MakeSymbolizer made; null before that and once it was taken.
  FileSymbolizer* symbolizer() const { return symbolizer_.get(); }
  std::unique_ptr<FileSymbolizer> TakeSymbolizer() {
    return std::move(symbolizer_);
  }

 private:
  // Whether a recording was made on this machine: the user says so, or the
  // recording is his or root's and has this host's name and something else that
  // those do not know who have no account here.
  bool MadeHere(const HeaderFeatures& features) const;
  // Whether files that it mapped are the very ones that have their names here.
  bool MappedFilesHere() const;
  SymbolizeOptions OptionsFor(const HeaderFeatures& features) const;

  SymbolizeOptions options_;
  const bool symbolize_, unwind_;
  const TraceTables& tables_;
  const std::shared_ptr<RecordedProcesses> processes_ =
      std::make_shared<RecordedProcesses>();
  std::unique_ptr<FileSymbolizer> symbolizer_;
  std::unique_ptr<FileSymbolizer> symbol_table_;
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_LOCAL_MACHINE_H_
