#include "converter/symbolize/kernel_names.h"

#include "absl/strings/str_cat.h"
#include "converter/symbolize/running_kernel.h"

namespace perf2x {
namespace {

class KallsymsNamer : public Namer {
 public:
  // `delta` is added to a recorded address to get one of `table`.
  KallsymsNamer(const Kallsyms& table, uint64_t delta)
      : table_(table), delta_(delta) {}

  void Resolve(absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    SymbolIndex::Cursor cursor;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const SymbolIndex::Entry* entry =
          table_.index().Find(addresses[i] + delta_, &cursor);
      if (entry == nullptr) continue;
      Symbol symbol;
      symbol.name = Kallsyms::WithoutModule(entry->view());
      symbol.system_name = symbol.name;
      found(i, {&symbol, 1});
    }
  }

 private:
  const Kallsyms& table_;
  const uint64_t delta_;
};

}  // namespace

const Kallsyms* KernelNames::Table(const CodeFile& file, FileReport* report) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!searched_) {
    searched_ = true;
    auto take = [&](absl::StatusOr<std::unique_ptr<Kallsyms>> table,
                    bool verified) {
      if (!table.ok()) {
        found_.tried.push_back(std::string(table.status().message()));
      } else if ((*table)->hidden()) {
        found_.warnings.push_back(absl::StrCat(
            (*table)->path(),
            " has zeros for addresses: copy it as root, or after"
            " sysctl kernel.kptr_restrict=0, and give it with --kallsyms"));
      } else {
        found_.sources = {(*table)->path()};
        found_.verified = verified;
        table_ = *std::move(table);
      }
    };
    auto read = [](const std::string& path)
        -> absl::StatusOr<std::unique_ptr<Kallsyms>> {
      auto opened = SafeFile::Open(path);
      if (!opened.ok()) return opened.status();
      return Kallsyms::Parse(*std::move(opened));
    };
    // The kernel's build id comes with the kernel's own map, which a recording
    // of modules only would lack; then the caller's word counts.
    const BuildId& id = file.build_id;
    if (options_.kallsyms == "/proc/kallsyms") {
      take(Kallsyms::ReadRunning(), options_.running_kernel);
    } else if (!options_.kallsyms.empty()) {
      take(read(options_.kallsyms), false);
    } else {
      if (std::string path = finder_.FindInCache(id, "kallsyms");
          !path.empty()) {
        take(read(path), true);
      }
      if (table_ == nullptr) {
        if (options_.running_kernel ||
            (!id.empty() && id == RunningKernelBuildId())) {
          take(Kallsyms::ReadRunning(), true);
        } else {
          found_.tried.push_back(
              "/proc/kallsyms (not known to be of the recorded kernel)");
        }
      }
    }
  }
  report->sources = found_.sources;
  report->tried = found_.tried;
  report->warnings = found_.warnings;
  report->verified = found_.verified;
  return table_.get();
}

std::unique_ptr<Namer> KernelNames::NamerFor(const CodeFile& file,
                                             FileReport* report) {
  const Kallsyms* table = Table(file, report);
  if (table == nullptr) return nullptr;
  // A copy from another boot has the kernel, but not its modules, at other
  // addresses; a symbol with its address in the recording tells how far off.
  uint64_t delta = 0;
  if (file.kind == CodeKind::kKernel && !file.reference_symbol.empty() &&
      file.reference_address != 0) {
    if (const uint64_t at = table->AddressOf(file.reference_symbol); at != 0) {
      delta = at - file.reference_address;
    }
  }
  return std::make_unique<KallsymsNamer>(*table, delta);
}

}  // namespace perf2x
