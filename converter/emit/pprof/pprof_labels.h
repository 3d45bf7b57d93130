#ifndef PERF2X_EMIT_PPROF_PPROF_LABELS_H_
#define PERF2X_EMIT_PPROF_PPROF_LABELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"
#include "converter/emit/pprof/pprof_rows.h"
#include "converter/emit/pprof/pprof_strings.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The labels that samples get in a pprof profile, each distinct set encoded and
// numbered once.
class LabelSets {
 public:
  // `list`: "none", or names of labels separated by commas.
  static absl::StatusOr<LabelSets> Parse(absl::string_view list);
  // The names that Parse knows, for help and errors.
  static std::string Names();

  LabelSets(LabelSets&&) = default;

  // Whether some label comes from Sample::fields.
  bool needs_fields() const { return !fields_.empty(); }

  // The labels of a sample; their texts go to `strings`.
  LabelSetId Of(const Sample& sample, const TraceTables& tables,
                PprofStrings& strings) {
    if (!sample_labels_) {
      if (sample.thread >= of_thread_.size()) {
        of_thread_.resize(tables.threads.size(), kNoId);
      }
      LabelSetId& id = of_thread_[sample.thread];
      if (id == kNoId) id = Encode(sample, tables, strings);
      return id;
    }
    return Encode(sample, tables, strings);
  }
  // The set as the `label` fields of a serialized pprof Sample. Valid as long
  // as this object.
  absl::string_view encoded(LabelSetId id) const { return (*sets_)[id]; }
  size_t size() const { return sets_->size(); }

 private:
  LabelSets() : sets_(std::make_unique<StringTable>()) {}
  LabelSetId Encode(const Sample& sample, const TraceTables& tables,
                    PprofStrings& strings);

  bool process_ = false, pid_ = false, thread_ = false, tid_ = false;
  bool cpu_ = false, mode_ = false, time_ = false;
  std::vector<std::string> fields_;
  // Whether some label differs between samples of one thread.
  bool sample_labels_ = false;
  std::vector<LabelSetId> of_thread_;
  std::unique_ptr<StringTable> sets_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_LABELS_H_
