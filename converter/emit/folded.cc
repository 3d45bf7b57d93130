#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "converter/base/status_macros.h"
#include "converter/emit/call_path.h"
#include "converter/emit/emitters.h"
#include "converter/emit/plain_text.h"

namespace perf2x {
namespace {

// Writes what flamegraph.pl and its relatives read: a line for each distinct
// stack, "thread;outermost;…;innermost count". Counts are samples of the first
// event that has any.
class FoldedEmitter final : public Emitter {
 public:
  explicit FoldedEmitter(const EmitterContext& context)
      : tables_(context.tables),
        outputs_(context.outputs),
        paths_(context.tables) {}

  absl::Status Begin(const ProfileInfo&) override {
    ASSIGN_OR_RETURN(output_, outputs_.Open(""));
    counts_.resize(tables_.events.size());
    return absl::OkStatus();
  }

  absl::Status OnSample(const Sample& sample) override {
    const StringId name = tables_.threads[sample.thread].name;
    ++counts_[sample.event][{name, sample.stack}];
    return absl::OkStatus();
  }

  absl::Status Finish(const ProfileSummary&) override {
    tables_.NameAllFrames(1);
    // Different stacks may read alike: in other processes, at other addresses.
    std::map<std::string, uint64_t> lines;
    for (const auto& of_event : counts_) {
      for (const auto& [key, count] : of_event) {
        std::string scratch;
        std::string line = absl::StrReplaceAll(
            AsPlainText(tables_.strings[key.first], &scratch), {{";", ":"}});
        line.push_back(';');
        paths_.AppendFolded(paths_.Of(key.second), &line);
        lines[line] += count;
      }
      if (!of_event.empty()) break;
    }
    for (const auto& [line, count] : lines) {
      RETURN_IF_ERROR(output_->Write(absl::StrCat(line, " ", count, "\n")));
    }
    return output_->Close();
  }

 private:
  ProfileTables& tables_;
  OutputFactory& outputs_;
  CallPaths paths_;
  std::unique_ptr<Output> output_;
  // By event: samples by name of the thread and stack.
  std::vector<std::map<std::pair<StringId, StackId>, uint64_t>> counts_;
};

absl::StatusOr<std::unique_ptr<Emitter>> Make(const EmitterContext& context) {
  return std::make_unique<FoldedEmitter>(context);
}

}  // namespace

EmitterInfo FoldedEmitterInfo() {
  return {.name = "folded",
          .extension = ".folded",
          .summary = "folded stacks, for flamegraph.pl and inferno",
          .make = Make,
          .merges = [](const auto&) { return absl::OkStatus(); }};
}

}  // namespace perf2x
