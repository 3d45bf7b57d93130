// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_THREADS_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_THREADS_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/diagnostics.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_field.h"
#include "converter/model/trace_tables.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Translates the labels of a profile's samples to threads, and to other
// properties of a trace's samples. docs/pprof.md lists the labels; other labels
// are ignored. Charges no budget. Not thread-safe.
class ProfileThreads {
 public:
  // Both must outlive this.
  ProfileThreads(const Profile& profile, TraceTables& tables);

  // Of several labels with one key, the first with a suitable value counts.

  // Returns the thread that the labels name; adds a new thread to the tables. A
  // pid or tid without a label is 0. A missing thread name is the process's
  // name, and vice versa. If both are missing, they are the base name of the
  // first mapping, or "profile".
  ThreadId ThreadOf(const ProfileSample& sample);
  // Sets `cpu`, `mode` and `time` of `*to` from labels. Members without a label
  // stay as they are.
  void SetCpuAndTime(const ProfileSample& sample, Sample* to) const;
  // Replaces `fields` and `tags` of `*to` by the values of the labels that
  // SampleFieldTable() lists. A label whose SampleField has is_tag set becomes
  // a tag. All others become fields, in the order of the table.
  //
  // Counts the labels whose values do not suit, further labels with the same
  // key, and texts of fields, which are truncated to 4096 bytes. Counts labels
  // of ThreadOf and SetCpuAndTime as well: those do not count themselves, as
  // they may be called several times for a sample. `to->fields` is valid until
  // the next call.
  void SetFields(const ProfileSample& sample, Sample* to);
  // Adds what SetFields counted to `*diagnostics`.
  void ReportSkipped(Diagnostics* diagnostics) const;

 private:
  enum Key { kProcess, kPid, kThread, kTid, kCpu, kCpuMode, kTime, kKeys };
  using Label = ProfileSample::Label;
  // By Key: the label that counts; null: there is none.
  using KeyLabels = std::array<const Label*, kKeys>;
  StringId NameOf(StringIndex s);
  // Returns the Key of a label; kKeys: it is none of these.
  Key KeyOf(const Label& label) const;
  // Returns what is wrong with the value of a label, as a part of the message;
  // empty: nothing.
  absl::string_view FaultOf(Key key, const Label& label) const;
  // Returns the value of a label without a fault.
  int64_t NumberOf(const Label& label) const;
  KeyLabels LabelsOf(const ProfileSample& sample) const;
  // Both return what is wrong with the label, as FaultOf.
  absl::string_view SetField(const SampleField& field, const Label& label);
  absl::string_view SetTag(const SampleField& tag, const Label& label,
                           SampleTags* tags);

  const Profile& profile_;
  TraceTables& tables_;
  StringIndex keys_[kKeys];  // indexes of the keys; kNoId: no label has it
  StringId main_name_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, StringId, StringId>,
                      ThreadId>
      threads_;
  std::vector<StringId> names_;  // by StringIndex; kNoId: not interned yet
  absl::flat_hash_map<StringIndex, const SampleField*> field_of_key_;
  // The fields of the current sample, and their table entries, ascending.
  std::vector<Field> fields_;
  std::vector<const SampleField*> kinds_;
  // The number of labels that were skipped, by their keys and faults.
  std::map<std::pair<absl::string_view, absl::string_view>, uint64_t> left_out_;
  uint64_t truncated_ = 0, cut_bytes_ = 0;  // texts, bytes
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_THREADS_H_
