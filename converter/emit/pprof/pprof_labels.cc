// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_labels.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/emit/cpu_mode_name.h"
#include "converter/model/tag_fields.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

// Serializes labels, as those of a Sample message without other fields.
class LabelWriter {
 public:
  explicit LabelWriter(UsedStrings& strings) : strings_(strings) {}

  // Writes no label for an empty text: readers would take it for the number 0.
  void Text(absl::string_view key, absl::string_view text) {
    if (text.empty()) return;
    pb::Label* label = sample_.add_label();
    label->set_key(strings_.IndexOf(key));
    label->set_str(strings_.IndexOf(text));
  }
  // Always sets a unit: without one, pprof drops a number that is 0, and takes
  // the key for the unit of other numbers.
  void Number(absl::string_view key, int64_t number, absl::string_view unit) {
    pb::Label* label = sample_.add_label();
    label->set_key(strings_.IndexOf(key));
    label->set_num(number);
    label->set_num_unit(strings_.IndexOf(unit.empty() ? key : unit));
  }
  // Writes the fields that have the label's name.
  void Values(const SampleField& label, Fields fields) {
    for (const Field& field : fields) {
      if (field.name == label.name) Value(label, field);
    }
  }
  std::string Bytes() const { return sample_.SerializeAsString(); }

 private:
  void Value(const SampleField& label, const Field& field) {
    if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
      Text(label.name, *text);
    } else if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
      Text(label.name, absl::StrCat("0x", absl::Hex(hex->value)));
    } else if (const auto* u = std::get_if<uint64_t>(&field.value)) {
      Number(label.name, static_cast<int64_t>(*u), label.unit);
    } else if (const auto* i = std::get_if<int64_t>(&field.value)) {
      Number(label.name, *i, label.unit);
    } else if (const auto* d = std::get_if<double>(&field.value)) {
      Text(label.name, absl::StrCat(*d));
    }
  }

  UsedStrings& strings_;
  pb::Sample sample_;
};

}  // namespace

std::string LabelSets::Names() {
  std::string names = "process, pid, thread, tid, cpu, cpumode, time";
  for (const SampleField& field : SampleFieldTable()) {
    if (field.is_label()) absl::StrAppend(&names, ", ", field.name);
  }
  return names;
}

absl::StatusOr<LabelSets> LabelSets::Parse(absl::string_view list) {
  LabelSets out;
  if (list == "none") return out;
  for (absl::string_view name : absl::StrSplit(list, ',')) {
    if (name == "process") {
      out.process_ = true;
    } else if (name == "pid") {
      out.pid_ = true;
    } else if (name == "thread") {
      out.thread_ = true;
    } else if (name == "tid") {
      out.tid_ = true;
    } else if (name == "cpu") {
      out.cpu_ = out.sample_labels_ = true;
    } else if (name == "cpumode") {
      out.mode_ = out.sample_labels_ = true;
    } else if (name == "time") {
      out.time_ = out.sample_labels_ = true;
    } else if (const SampleField* field = FindSampleField(name);
               field != nullptr && field->is_label()) {
      out.fields_.insert(field);
      out.requires_fields_ |= !field->is_tag;
      out.sample_labels_ |= !field->is_tag;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("no label is called \"", name,
                       "\"; it is \"none\" or a list of ", Names()));
    }
  }
  return out;
}

LabelSetId LabelSets::NumberOf(const Set& set) {
  if (set.own >= set_of_part_.size()) {
    set_of_part_.resize(parts_->size(), kNoId);
  }
  LabelSetId& id = set.tags == 0
                       ? set_of_part_[set.own]
                       : set_of_pair_.try_emplace(set, kNoId).first->second;
  if (id == kNoId) {
    id = static_cast<LabelSetId>(sets_.size());
    sets_.push_back(set);
  }
  return id;
}

LabelSetId LabelSets::IdWithTags(const Sample& sample,
                                 const TraceTables& tables,
                                 UsedStrings& strings) {
  const std::pair key(sample.thread, sample.tags);
  if (key == latest_) return latest_set_;
  latest_ = key;
  if (sample.tags >= kFewTags) {
    return latest_set_ = SetWithTags(sample, tables, strings);
  }
  const size_t at = size_t{sample.thread} * kFewTags + sample.tags;
  if (at >= set_of_few_tags_.size()) {
    set_of_few_tags_.resize(tables.threads.size() * kFewTags, kNoId);
  }
  LabelSetId& id = set_of_few_tags_[at];
  if (id == kNoId) id = SetWithTags(sample, tables, strings);
  return latest_set_ = id;
}

LabelSetId LabelSets::SetWithTags(const Sample& sample,
                                  const TraceTables& tables,
                                  UsedStrings& strings) {
  if (sample.thread >= of_thread_.size()) {
    of_thread_.resize(tables.threads.size(), kNoId);
  }
  if (sample.tags >= of_tags_.size()) of_tags_.resize(sample.tags + 1, kNoId);
  StringId& own = of_thread_[sample.thread];
  if (own == kNoId) {
    own = parts_->Intern(BytesOf(sample, /*id=*/0, tables, strings));
  }
  StringId& tags = of_tags_[sample.tags];
  if (tags == kNoId) {
    tags = parts_->Intern(BytesOfTags(sample.tags, tables, strings));
  }
  return NumberOf({own, tags});
}

void LabelSets::AddThreads(const TraceTables& tables) {
  set_of_thread_.resize(tables.threads.size(), kNoId);
}

LabelSetId LabelSets::Encode(const Sample& sample, const TraceTables& tables,
                             UsedStrings& strings) {
  return NumberOf(
      {parts_->Intern(BytesOf(sample, sample.tags, tables, strings)), 0});
}

// Encodes the labels of a sample that has the tags `id`.
std::string LabelSets::BytesOf(const Sample& sample, TagsId id,
                               const TraceTables& tables,
                               UsedStrings& strings) const {
  const Thread& thread = tables.threads[sample.thread];
  LabelWriter out(strings);
  if (process_) out.Text("process", tables.strings[thread.process_name]);
  if (pid_) out.Number("pid", thread.pid, "");
  if (thread_) out.Text("thread", tables.strings[thread.name]);
  if (tid_) out.Number("tid", thread.tid, "");
  if (cpu_ && sample.cpu >= 0) out.Number("cpu", sample.cpu, "");
  if (mode_) out.Text("cpumode", CpuModeName(sample.mode));
  if (time_ && sample.time.has_value()) {
    out.Number("time", static_cast<int64_t>(*sample.time), "nanoseconds");
  }
  const TagFields tags(tables, id);
  for (const SampleField* label : fields_) {
    out.Values(*label, label->is_tag ? tags.fields() : sample.fields);
  }
  return out.Bytes();
}

std::string LabelSets::BytesOfTags(TagsId id, const TraceTables& tables,
                                   UsedStrings& strings) const {
  LabelWriter out(strings);
  const TagFields tags(tables, id);
  for (const SampleField* label : fields_) out.Values(*label, tags.fields());
  return out.Bytes();
}

}  // namespace perf2x
