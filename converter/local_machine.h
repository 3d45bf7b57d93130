#ifndef PERF2X_LOCAL_MACHINE_H_
#define PERF2X_LOCAL_MACHINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/profile/tables.h"
#include "converter/session/surroundings.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// The files of the machine that perf2x runs on, and whether it is the recorded
// one.
class LocalMachine final : public Surroundings {
 public:
  // `symbolize` off: no file is opened for names. `tables` must outlive this.
  LocalMachine(SymbolizeOptions options, bool symbolize,
               const ProfileTables& tables)
      : options_(std::move(options)), symbolize_(symbolize), tables_(tables) {}

  Symbolizer* MakeSymbolizer(const HeaderFeatures& features) override;
  Symbolizer* MakeSymbolTable(const HeaderFeatures& features) override;
  std::unique_ptr<CodeSource> MakeCodeSource(
      const HeaderFeatures& features) override;
  void SetPidNamespace(int32_t pid, uint64_t inode) override {
    pid_namespaces_->Set(pid, inode);
  }
  std::unique_ptr<JitDump> OpenJitDump(absl::string_view name, int32_t pid,
                                       const HeaderFeatures& features) override;

  // What MakeSymbolizer made; null before that and once it was taken.
  FileSymbolizer* symbolizer() const { return symbolizer_.get(); }
  std::unique_ptr<FileSymbolizer> TakeSymbolizer() {
    return std::move(symbolizer_);
  }

 private:
  SymbolizeOptions OptionsFor(const HeaderFeatures& features) const;

  SymbolizeOptions options_;
  const bool symbolize_;
  const ProfileTables& tables_;
  const std::shared_ptr<PidNamespaces> pid_namespaces_ =
      std::make_shared<PidNamespaces>();
  std::unique_ptr<FileSymbolizer> symbolizer_;
  std::unique_ptr<FileSymbolizer> symbol_table_;
};

}  // namespace perf2x

#endif  // PERF2X_LOCAL_MACHINE_H_
