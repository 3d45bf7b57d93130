// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/data_src.h"
#include "converter/perf/records/registers.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// Decoders of fields that are not just a number of SampleRecord.
struct SampleFields::Decoders {
  // The word holds three numbers of 32, 16 and 16 bits, lowest first, if the
  // event records WEIGHT_STRUCT. Else the word is the weight.
  template <int kShift, uint64_t kMask>
  static void Weight(SampleFields& fields, const SampleField& field,
                     const SampleRecord& sample, const EventAttr& attr) {
    if ((attr.sample_type & kSampleWeightStruct) != 0) {
      fields.AddNumber(field, sample.weight >> kShift & kMask);
    } else if (kShift == 0) {
      fields.AddNumber(field, sample.weight);
    }
  }

  static void DataSrc(SampleFields& fields, const SampleField& field,
                      const SampleRecord& sample, const EventAttr&) {
    std::string& text = fields.NewText();
    AppendDataSource(sample.data_src, &text);
    fields.AddText(field, text);
  }

  static void Cgroup(SampleFields& fields, const SampleField& field,
                     const SampleRecord& sample, const EventAttr&) {
    const auto it = fields.cgroups_.find(sample.cgroup);
    if (it == fields.cgroups_.end()) {
      fields.AddNumber(field, sample.cgroup);
    } else {
      fields.AddText(field, it->second);
    }
  }

  static void BranchStack(SampleFields& fields, const SampleField& field,
                          const SampleRecord& sample, const EventAttr&) {
    std::string& text = fields.NewText();
    AppendBranches(sample.branches, &text);
    fields.AddText(field, text);
  }

  static void UserRegs(SampleFields& fields, const SampleField& field,
                       const SampleRecord& sample, const EventAttr& attr) {
    Registers(fields, field, sample.user_abi, attr.sample_regs_user,
              sample.user_regs);
  }
  static void IntrRegs(SampleFields& fields, const SampleField& field,
                       const SampleRecord& sample, const EventAttr& attr) {
    Registers(fields, field, sample.intr_abi, attr.sample_regs_intr,
              sample.intr_regs);
  }
  // "ABI:2 AX:0x0 …", as perf script shows registers.
  static void Registers(SampleFields& fields, const SampleField& field,
                        uint64_t abi, uint64_t mask, const WordSpan& values) {
    if (abi == kAbiNone) return;  // a kernel thread has no user registers
    std::string& text = fields.NewText();
    absl::StrAppend(&text, "ABI:", abi);
    size_t i = 0;
    for (int bit = 0; bit < 64 && i < values.size(); ++bit) {
      if (((mask >> bit) & 1) == 0) continue;
      absl::StrAppend(&text, " ", RegisterName(fields.arch_, abi, bit), ":0x",
                      absl::Hex(values[i++]));
    }
    fields.AddText(field, text);
  }

  // Appends "id=value", separated by spaces, for each counter of a group. There
  // may be thousands, for which StrAppend is slow.
  static void AppendMembers(const WordSpan& members, uint64_t format,
                            std::string* text) {
    constexpr size_t kMaxDigits = 20, kMaxMember = 2 * (kMaxDigits + 1);
    std::array<char, 100 * kMaxMember> block;
    char* end = block.data();
    const auto number = [&](uint64_t n, char after) {
      end = std::to_chars(end, end + kMaxDigits, n).ptr;
      *end++ = after;
    };
    const size_t stride = ReadValues::Stride(format);
    for (size_t i = 0; i + stride <= members.size(); i += stride) {
      if (block.data() + block.size() - end < ptrdiff_t{kMaxMember}) {
        text->append(block.data(), end);
        end = block.data();
      }
      number((format & kReadId) ? members[i + 1] : i / stride, '=');
      number(members[i], ' ');
    }
    text->append(block.data(), end);
    if (!text->empty()) text->pop_back();
  }

  // "id=value" for each counter, then the times if recorded.
  static void Read(SampleFields& fields, const SampleField& field,
                   const SampleRecord& sample, const EventAttr& attr) {
    const ReadValues& read = sample.read;
    std::string& text = fields.NewText();
    const uint64_t format = attr.read_format;
    if ((format & kReadGroup) == 0) {
      absl::StrAppend(&text, read.id, "=", read.value);
    } else {
      AppendMembers(read.members, format, &text);
    }
    if (format & kReadTotalTimeEnabled) {
      absl::StrAppend(&text, " enabled=", read.time_enabled);
    }
    if (format & kReadTotalTimeRunning) {
      absl::StrAppend(&text, " running=", read.time_running);
    }
    fields.AddText(field, text);
  }

  struct Source {
    absl::string_view record_field;  // in SampleRecord::Fields
    absl::string_view field;         // in SampleFieldTable()
    Append append;                   // null: a number with another name
  };
  static constexpr Source kSources[] = {
      {"weight", "weight", Weight<0, 0xffffffff>},
      {"weight", "weight2", Weight<32, 0xffff>},
      {"weight", "weight3", Weight<48, 0xffff>},
      {"data_src", "data_src", DataSrc},
      {"cgroup", "cgroup", Cgroup},
      {"branches", "branch_stack", BranchStack},
      {"user_abi", "user_regs", UserRegs},
      {"intr_abi", "intr_regs", IntrRegs},
      {"value", "read", Read},    // one counter
      {"members", "read", Read},  // a group's counters
      {"identifier", "id", nullptr},
  };
};

// The visitor that finds the fields that samples of an event have, and their
// offsets in SampleRecord.
class SampleFields::Planner {
 public:
  explicit Planner(const EventAttr& attr) : attr_(attr) {}

  std::vector<Step> Plan() {
    SampleRecord::Fields(*this, record_);
    std::sort(steps_.begin(), steps_.end(),
              [](const Step& a, const Step& b) { return a.field < b.field; });
    return std::move(steps_);
  }

  template <class T>
  void operator()(const char* name, T& value) {
    // Fields of `read` are not looked up by name: their "id" is not the field
    // "id" of the table.
    const auto is_in = [&](const auto& part) {
      const auto* at = reinterpret_cast<const char*>(&value);
      const auto* begin = reinterpret_cast<const char*>(&part);
      return at >= begin && at < begin + sizeof(part);
    };
    if (AddDecoded(name, OffsetOf(value)) || is_in(record_.read)) return;
    const SampleField* field = FindSampleField(name);
    if (sizeof(T) == sizeof(uint64_t) && field != nullptr) {
      Add({field, nullptr, OffsetOf(value)});
    }
  }
  template <class T>
  void Hex(const char* name, T& value) {
    (*this)(name, value);
  }
  void Words(const char* name, uint64_t, int, WordSpan&) {
    AddDecoded(name, 0);
  }
  void Bytes(const char* name, uint64_t, absl::Span<const uint8_t>&) {
    AddDecoded(name, 0);
  }
  const EventAttr& attr() const { return attr_; }

 private:
  template <class T>
  size_t OffsetOf(const T& value) const {
    return reinterpret_cast<const char*>(&value) -
           reinterpret_cast<const char*>(&record_);
  }
  bool AddDecoded(absl::string_view name, size_t offset) {
    bool any = false;
    for (const Decoders::Source& source : Decoders::kSources) {
      if (source.record_field != name) continue;
      Add({FindSampleField(source.field), source.append, offset});
      any = true;
    }
    return any;
  }
  void Add(const Step& step) {
    for (const Step& known : steps_) {
      if (known.field == step.field) return;
    }
    steps_.push_back(step);
  }

  const EventAttr& attr_;
  SampleRecord record_;
  std::vector<Step> steps_;
};

const std::vector<SampleFields::Step>& SampleFields::PlanFor(
    const EventAttr& attr) {
  // Damaged recordings may have thousands of types.
  constexpr size_t kMaxPlans = 64;
  if (plans_.size() > kMaxPlans) plans_.clear();
  const auto [it, inserted] = plans_.try_emplace(attr.sample_type);
  if (inserted) it->second = Planner(attr).Plan();
  return it->second;
}

bool SampleFields::HasMoreThanEventId(const EventAttr& attr) {
  const std::vector<Step>& plan = PlanFor(attr);
  return std::any_of(plan.begin(), plan.end(),
                     [](const Step& step) { return !step.field->is_event_id; });
}

Field SampleFields::EventId(uint64_t id) {
  static const absl::string_view kName = FindSampleField("id")->name;
  return {kName, id};
}

void SampleFields::AddNumber(const SampleField& field, uint64_t value) {
  if (field.kind == SampleField::Kind::kHex ||
      field.kind == SampleField::Kind::kAddress) {
    fields_.push_back({field.name, Field::Hex{value}});
  } else {
    fields_.push_back({field.name, value});
  }
}

void SampleFields::AddText(const SampleField& field, absl::string_view text) {
  fields_.push_back({field.name, text});
}

std::string& SampleFields::NewText() {
  if (texts_used_ == texts_.size()) texts_.emplace_back();
  std::string& text = texts_[texts_used_++];
  text.clear();
  return text;
}

Fields SampleFields::Decode(const SampleRecord& sample, const EventAttr& attr) {
  fields_.clear();
  texts_used_ = 0;
  for (const Step& step : PlanFor(attr)) {
    if (step.append != nullptr) {
      step.append(*this, *step.field, sample, attr);
      continue;
    }
    uint64_t value;
    std::memcpy(&value, reinterpret_cast<const char*>(&sample) + step.offset,
                sizeof(value));
    AddNumber(*step.field, value);
  }
  return fields_;
}

Fields SampleFields::WithAddress(uint64_t addr) {
  // The first in the table.
  if (!fields_.empty() && fields_[0].name == "addr") {
    fields_[0].value = Field::Hex{addr};
  }
  return fields_;
}

Fields SampleFields::DecodeTracepoint(const TracepointFormat& format,
                                      absl::Span<const uint8_t> raw) {
  tracepoint_fields_.clear();
  format.Decode(raw, &decoded_);
  for (const TracepointField& f : decoded_.fields) {
    Field field;
    field.name = f.name;
    switch (f.kind) {
      case TracepointField::Kind::kUnsigned:
        field.value = f.number;
        break;
      case TracepointField::Kind::kSigned:
        field.value = static_cast<int64_t>(f.number);
        break;
      case TracepointField::Kind::kHex:
        field.value = Field::Hex{f.number};
        break;
      case TracepointField::Kind::kText:
      case TracepointField::Kind::kArray:
        field.value = f.text;
        break;
    }
    tracepoint_fields_.push_back(field);
  }
  return tracepoint_fields_;
}

}  // namespace perf2x
