// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_LOCAL_MACHINE_H_
#define PERF2X_CONVERT_LOCAL_MACHINE_H_

#include <memory>
#include <utility>
#include <vector>

#include "converter/model/trace_tables.h"
#include "converter/session/host_environment.h"
#include "converter/symbolize/recorded_symbols.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// The files of the machine that perf2x runs on. Determines whether that machine
// is the recorded one. Owns the symbolizers that it makes; TakeSymbolizer
// transfers one. Not thread-safe.
class LocalMachine final : public HostEnvironment {
 public:
  // Without `symbolize`, opens no symbol file or jitdump. Without `unwind`,
  // opens no file for call frame information. `tables` must outlive this
  // object.
  LocalMachine(SymbolizeOptions options, bool symbolize, bool unwind,
               const TraceTables& tables)
      : options_(std::move(options)),
        symbolize_(symbolize),
        unwind_(unwind),
        tables_(tables) {}

  // Makes the symbolizer, which is symbolizer() from now on. Null without
  // `symbolize`.
  Symbolizer* MakeSymbolizer(const HeaderFeatures& features) override;
  // Asks symbolizer(). Empty if it is null.
  std::vector<CodeRange> InterruptEntries(const Dso& kernel) override {
    return symbolizer_ == nullptr ? std::vector<CodeRange>()
                                  : symbolizer_->InterruptEntries(kernel);
  }
  // Returns a second symbolizer, without inlined functions and lines, by which
  // --symbol filters samples. Null without `symbolize`.
  Symbolizer* MakeSymbolizerWithoutLines(
      const HeaderFeatures& features) override;
  // Null without `symbolize`.
  RecordedSymbols* recorded_symbols() override {
    return symbolize_ ? recorded_.get() : nullptr;
  }
  // Finds files as the symbolizer does. Null without `unwind`.
  std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures& features) override;
  std::shared_ptr<const ElfFile> OpenKernelMemory() override;
  // Follow the recorded processes, to find files of processes in containers.
  void OnFork(int32_t pid, int32_t tid, int32_t parent_pid) override {
    processes_->OnFork(pid, tid, parent_pid);
  }
  void OnPidNamespace(int32_t pid, int32_t tid, uint64_t inode) override {
    processes_->OnNamespace(pid, tid, inode);
  }
  uint64_t memory() const override { return processes_->memory(); }
  // Returns `pid` or its nearest ancestor for which --symfs PID=DIR was given;
  // -1: none.
  int32_t NearestPidWithRoot(int32_t pid) const override;
  // Null without `symbolize`, if no file is found, or if another user may have
  // written it.
  std::unique_ptr<JitDump> OpenJitDump(absl::string_view name, int32_t pid,
                                       const HeaderFeatures& features) override;

  // Returns the result of the last MakeSymbolizer; null before that call and
  // after TakeSymbolizer.
  FileSymbolizer* symbolizer() const { return symbolizer_.get(); }
  // Returns symbolizer(), and transfers its ownership to the caller.
  std::unique_ptr<FileSymbolizer> TakeSymbolizer() {
    return std::move(symbolizer_);
  }

 private:
  // Returns true if the recording was made on this machine: the user says so,
  // or the recording proves it. Proof needs three things. The user or root
  // wrote the recording. It has this host's name. It has this host's memory
  // size in kB, or passes MapsLocalFile(): others may know the name, but not
  // these.
  bool MadeHere(const HeaderFeatures& features) const;
  // Returns true if a file that the recording maps is the very file of that
  // name on this machine. The generation of its inode is the proof. Tries at
  // most 16 files.
  bool MapsLocalFile() const;
  // Returns how files of programs and libraries are found, for symbols and for
  // unwinding alike.
  BinaryFinderOptions BinariesFor(const HeaderFeatures& features) const;
  // Returns options_, completed with what is known of the recording: whether it
  // was made here, its kernel and its processes.
  SymbolizeOptions OptionsFor(const HeaderFeatures& features) const;

  SymbolizeOptions options_;
  const bool symbolize_, unwind_;
  const TraceTables& tables_;
  const std::shared_ptr<RecordedProcesses> processes_ =
      std::make_shared<RecordedProcesses>();
  const std::shared_ptr<RecordedSymbols> recorded_ =
      std::make_shared<RecordedSymbols>();
  const std::shared_ptr<SymbolFiles> files_ = std::make_shared<SymbolFiles>();
  std::unique_ptr<FileSymbolizer> symbolizer_;
  std::unique_ptr<FileSymbolizer> symbolizer_without_lines_;
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_LOCAL_MACHINE_H_
