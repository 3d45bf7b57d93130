#include "converter/session/sample_fields.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/perf/records/data_src.h"
#include "converter/perf/records/registers.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

std::string& SampleFields::NewText() {
  if (texts_used_ == texts_.size()) texts_.emplace_back();
  std::string& text = texts_[texts_used_++];
  text.clear();
  return text;
}

// "ABI:2 AX:0x0 …", as perf script shows registers.
void SampleFields::AddRegisters(const char* name, uint64_t abi, uint64_t mask,
                                const WordSpan& values) {
  if (abi == 0) return;  // a kernel thread has no user registers
  std::string& text = NewText();
  absl::StrAppend(&text, "ABI:", abi);
  size_t i = 0;
  for (int bit = 0; bit < 64 && i < values.size(); ++bit) {
    if (((mask >> bit) & 1) == 0) continue;
    absl::StrAppend(&text, " ", RegisterName(arch_, abi, bit), ":0x",
                    absl::Hex(values[i++]));
  }
  fields_.push_back({name, absl::string_view(text)});
}

// "id=value" for each counter, then the times where recorded.
void SampleFields::AddRead(const ReadValues& read, const EventAttr& attr) {
  std::string& text = NewText();
  const uint64_t format = attr.read_format;
  const size_t stride = ReadValues::Stride(format);
  if ((format & kReadGroup) == 0) {
    absl::StrAppend(&text, read.id, "=", read.value);
  }
  for (size_t i = 0; i + stride <= read.members.size(); i += stride) {
    const uint64_t id = (format & kReadId) ? read.members[i + 1] : i / stride;
    absl::StrAppend(&text, i == 0 ? "" : " ", id, "=", read.members[i]);
  }
  if (format & kReadTotalTimeEnabled) {
    absl::StrAppend(&text, " enabled=", read.time_enabled);
  }
  if (format & kReadTotalTimeRunning) {
    absl::StrAppend(&text, " running=", read.time_running);
  }
  fields_.push_back({"read", absl::string_view(text)});
}

Fields SampleFields::Of(const SampleRecord& s, const EventAttr& attr) {
  fields_.clear();
  texts_used_ = 0;
  const uint64_t type = attr.sample_type;
  if (type & kSampleAddr) fields_.push_back({"addr", Field::Hex{s.addr}});
  if (type & kSamplePhysAddr) {
    fields_.push_back({"phys_addr", Field::Hex{s.phys_addr}});
  }
  if (type & kSampleDataPageSize) {
    fields_.push_back({"data_page_size", s.data_page_size});
  }
  if (type & kSampleCodePageSize) {
    fields_.push_back({"code_page_size", s.code_page_size});
  }
  if (type & kSampleWeight) fields_.push_back({"weight", s.weight});
  if (type & kSampleWeightStruct) {
    // Three numbers in one word: 32, 16 and 16 bits from the bottom.
    fields_.push_back({"weight", s.weight & 0xffffffff});
    fields_.push_back({"weight2", s.weight >> 32 & 0xffff});
    fields_.push_back({"weight3", s.weight >> 48});
  }
  if (type & kSampleDataSrc) {
    std::string& text = NewText();
    AppendDataSource(s.data_src, &text);
    fields_.push_back({"data_src", absl::string_view(text)});
  }
  if (type & kSampleTransaction) {
    fields_.push_back({"transaction", Field::Hex{s.transaction}});
  }
  if (type & kSampleCgroup) {
    auto it = cgroups_.find(s.cgroup);
    if (it != cgroups_.end()) {
      fields_.push_back({"cgroup", absl::string_view(it->second)});
    } else {
      fields_.push_back({"cgroup", s.cgroup});
    }
  }
  if (type & kSampleBranchStack) {
    std::string& text = NewText();
    AppendBranches(s.branches, &text);
    fields_.push_back({"branch_stack", absl::string_view(text)});
  }
  if (type & kSampleRegsUser) {
    AddRegisters("user_regs", s.user_abi, attr.sample_regs_user, s.user_regs);
  }
  if (type & kSampleRegsIntr) {
    AddRegisters("intr_regs", s.intr_abi, attr.sample_regs_intr, s.intr_regs);
  }
  if (type & kSampleRead) AddRead(s.read, attr);
  if (type & (kSampleId | kSampleIdentifier)) fields_.push_back({"id", s.id});
  return fields_;
}

Fields SampleFields::OfTracepoint(const TracepointFormat& format,
                                  absl::Span<const uint8_t> raw) {
  tracepoint_fields_.clear();
  // What lies outside of the payload is left out; the rest is good.
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
