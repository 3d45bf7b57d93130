// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PPROF_PPROF_LABELS_H_
#define PERF2X_EMIT_PPROF_PPROF_LABELS_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"
#include "converter/emit/sample_rows.h"
#include "converter/emit/used_strings.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_field.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The labels of samples in a pprof profile. Numbers the distinct sets of
// labels. Stores the labels of each thread and of each SampleTags once,
// encoded: there may be many more pairs of them. Charges no budget; see
// memory(). Not thread-safe.
class LabelSets {
 public:
  // Parses a list of label names: "none", or names separated by commas. Fails
  // with InvalidArgument for unknown names.
  static absl::StatusOr<LabelSets> Parse(absl::string_view list);
  // Returns the names that Parse accepts, separated by ", ", for help and
  // errors.
  static std::string Names();

  LabelSets(LabelSets&&) = default;

  // Returns true if a label comes from Sample::fields.
  bool requires_fields() const { return requires_fields_; }

  // Returns true if all samples of one thread with the same tags have the same
  // labels.
  bool depend_only_on_thread_and_tags() const { return !sample_labels_; }

  // Returns the label set of a sample. Omits labels that the sample does not
  // have. `tables` and `strings` must be the same at each call. Adds new texts
  // to `strings`.
  LabelSetId IdOf(const Sample& sample, const TraceTables& tables,
                  UsedStrings& strings) {
    if (sample_labels_) return Encode(sample, tables, strings);
    if (sample.tags != 0) return IdWithTags(sample, tables, strings);
    if (sample.thread >= set_of_thread_.size()) AddThreads(tables);
    LabelSetId& id = set_of_thread_[sample.thread];
    if (id == kNoId) id = Encode(sample, tables, strings);
    return id;
  }
  // Returns the set as serialized `label` fields of a pprof Sample. Valid until
  // the next call.
  absl::string_view encoded(LabelSetId id) {
    const Set& set = sets_[id];
    if (set.tags == 0) return (*parts_)[set.own];
    const absl::string_view own = (*parts_)[set.own];
    const absl::string_view tags = (*parts_)[set.tags];
    joined_.assign(own.data(), own.size());
    joined_.append(tags.data(), tags.size());
    return joined_;
  }
  // Returns the number of sets, the empty one included.
  size_t size() const { return sets_.size(); }
  // Returns the memory of all sets and of the tables that find them, in bytes.
  // That of each set includes its sums.
  uint64_t memory() const {
    constexpr uint64_t kOfSet = 160, kOfPart = 96;
    return size() * kOfSet + parts_->size() * kOfPart +
           (of_thread_.capacity() + of_tags_.capacity() +
            set_of_few_tags_.capacity()) *
               sizeof(LabelSetId);
  }

 private:
  // A set is the labels of a thread, or of a sample, and those of its tags. The
  // two have no label in common, so that no other pair is the same set.
  struct Set {
    StringId own = 0, tags = 0;  // in parts_; 0: none
    friend bool operator==(const Set&, const Set&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Set& s) {
      return H::combine(std::move(h), s.own, s.tags);
    }
  };

  LabelSets() : parts_(std::make_unique<StringTable>()) {}
  // Not inlined: rare.
  LabelSetId IdWithTags(const Sample& sample, const TraceTables& tables,
                        UsedStrings& strings);
  LabelSetId SetWithTags(const Sample& sample, const TraceTables& tables,
                         UsedStrings& strings);
  LabelSetId NumberOf(const Set& set);
  void AddThreads(const TraceTables& tables);
  LabelSetId Encode(const Sample& sample, const TraceTables& tables,
                    UsedStrings& strings);
  std::string BytesOf(const Sample& sample, TagsId id,
                      const TraceTables& tables, UsedStrings& strings) const;
  std::string BytesOfTags(TagsId id, const TraceTables& tables,
                          UsedStrings& strings) const;

  bool process_ = false, pid_ = false, thread_ = false, tid_ = false;
  bool cpu_ = false, mode_ = false, time_ = false;
  std::set<const SampleField*> fields_;  // in the table's order
  bool requires_fields_ = false;
  // If set, labels differ between samples of one thread with the same tags.
  bool sample_labels_ = false;
  std::vector<LabelSetId> set_of_thread_;  // without tags
  // Most samples have tags below kFewTags. Their sets are in a table, by thread
  // * kFewTags + tags.
  static constexpr TagsId kFewTags = 32;
  std::vector<LabelSetId> set_of_few_tags_;
  // The two parts of sets, by thread and by tags; kNoId: not encoded yet.
  std::vector<StringId> of_thread_, of_tags_;
  // The latest thread and tags, and their set. With --wall-clock, two or more
  // consecutive samples have the same.
  std::pair<ThreadId, TagsId> latest_ = {kNoId, 0};
  LabelSetId latest_set_ = kNoId;
  std::unique_ptr<StringTable> parts_;         // the empty one first
  std::vector<Set> sets_ = {Set()};            // by id, the empty one first
  std::vector<LabelSetId> set_of_part_ = {0};  // without tags; kNoId: none
  absl::flat_hash_map<Set, LabelSetId> set_of_pair_;
  std::string joined_;  // buffer
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_LABELS_H_
