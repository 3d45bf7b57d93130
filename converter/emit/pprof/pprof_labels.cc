#include "converter/emit/pprof/pprof_labels.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/emit/cpu_mode_name.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

struct FieldLabel {
  const char* name;  // of the label and of the field in Sample::fields
  const char* unit;  // of numbers
};
constexpr FieldLabel kFieldLabels[] = {
    {"addr", "address"},         {"phys_addr", "address"},
    {"weight", "count"},         {"data_src", ""},
    {"transaction", ""},         {"cgroup", ""},
    {"data_page_size", "bytes"}, {"code_page_size", "bytes"},
};

// Adds labels to a Sample that has nothing else.
class LabelWriter {
 public:
  explicit LabelWriter(PprofStrings& strings) : strings_(strings) {}

  // An absent text is no label: readers would take it for the number 0.
  void Text(absl::string_view key, absl::string_view text) {
    if (text.empty()) return;
    pb::Label* label = sample_.add_label();
    label->set_key(strings_.Of(key));
    label->set_str(strings_.Of(text));
  }
  // Without a unit pprof drops a number that is 0, and takes the key for the
  // unit of others.
  void Number(absl::string_view key, int64_t number, absl::string_view unit) {
    pb::Label* label = sample_.add_label();
    label->set_key(strings_.Of(key));
    label->set_num(number);
    label->set_num_unit(strings_.Of(unit.empty() ? key : unit));
  }
  void Value(const FieldLabel& to, const Field& field) {
    if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
      Text(to.name, *text);
    } else if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
      Text(to.name, absl::StrCat("0x", absl::Hex(hex->value)));
    } else if (const auto* u = std::get_if<uint64_t>(&field.value)) {
      Number(to.name, static_cast<int64_t>(*u), to.unit);
    } else if (const auto* i = std::get_if<int64_t>(&field.value)) {
      Number(to.name, *i, to.unit);
    } else if (const auto* d = std::get_if<double>(&field.value)) {
      Text(to.name, absl::StrCat(*d));
    }
  }
  std::string Bytes() const { return sample_.SerializeAsString(); }

 private:
  PprofStrings& strings_;
  pb::Sample sample_;
};

}  // namespace

std::string LabelSets::Names() {
  return absl::StrCat("process, pid, thread, tid, cpu, cpumode, time, ",
                      absl::StrJoin(kFieldLabels, ", ",
                                    [](std::string* out, const FieldLabel& f) {
                                      out->append(f.name);
                                    }));
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
    } else if (std::any_of(std::begin(kFieldLabels), std::end(kFieldLabels),
                           [&](const auto& f) { return name == f.name; })) {
      out.fields_.emplace_back(name);
      out.sample_labels_ = true;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("no label is called \"", name,
                       "\"; it is \"none\" or a list of ", Names()));
    }
  }
  return out;
}

LabelSetId LabelSets::Encode(const Sample& sample, const TraceTables& tables,
                             PprofStrings& strings) {
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
  for (const FieldLabel& label : kFieldLabels) {
    if (std::find(fields_.begin(), fields_.end(), label.name) ==
        fields_.end()) {
      continue;
    }
    for (const Field& field : sample.fields) {
      if (field.name == label.name) out.Value(label, field);
    }
  }
  return sets_->Intern(out.Bytes());
}

}  // namespace perf2x
