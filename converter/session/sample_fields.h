#ifndef PERF2X_SESSION_SAMPLE_FIELDS_H_
#define PERF2X_SESSION_SAMPLE_FIELDS_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/model/emitter.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// The optional fields of samples, decoded into names and values for emitters
// that show them. Only what the event's sample_type has is there.
class SampleFields {
 public:
  // The machine that was recorded, as in uname -m: names the registers.
  void set_arch(absl::string_view arch) { arch_ = std::string(arch); }
  // What CGROUP records say.
  void AddCgroup(uint64_t id, absl::string_view path) {
    std::string& to = cgroups_[id];
    cgroup_bytes_ += path.size() - to.size();
    to = std::string(path);
  }
  // About how many bytes of memory the cgroups take.
  uint64_t memory() const {
    constexpr uint64_t kOfEntry = 64;
    return cgroups_.size() * kOfEntry + cgroup_bytes_;
  }

  // "addr", "phys_addr", "data_page_size", "code_page_size", "weight" (with
  // "weight2" and "weight3" of a WEIGHT_STRUCT), "data_src", "transaction",
  // "cgroup", "branch_stack", "user_regs", "intr_regs", "read" and "id". Valid
  // until the next call.
  Fields Of(const SampleRecord& sample, const EventAttr& attr);

  // The fields of a tracepoint's payload. Valid until the next call, strings
  // moreover only as long as the sample is.
  Fields OfTracepoint(const TracepointFormat& format,
                      absl::Span<const uint8_t> raw);

 private:
  std::string& NewText();
  void AddRegisters(const char* name, uint64_t abi, uint64_t mask,
                    const WordSpan& values);
  void AddRead(const ReadValues& read, const EventAttr& attr);

  std::string arch_;
  absl::flat_hash_map<uint64_t, std::string> cgroups_;
  uint64_t cgroup_bytes_ = 0;  // of all paths
  std::vector<Field> fields_, tracepoint_fields_;
  std::deque<std::string> texts_;
  size_t texts_used_ = 0;
  TracepointFields decoded_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SAMPLE_FIELDS_H_
