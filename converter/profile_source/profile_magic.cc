// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_magic.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "converter/base/proto_reader.h"

namespace perf2x {
namespace {

// The schema: whether the fields 1 to 15 are bytes (b), numbers (n) or either
// (e), and the highest field of those that are messages.
constexpr absl::string_view kFieldKinds = "bbbbbbnnnnbnenn";
constexpr uint64_t kFieldsOf[] = {2, 3, 10, 5, 5, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};

// Looks for the fields of a Profile in its first bytes.
class Recognizer {
 public:
  explicit Recognizer(absl::Span<const uint8_t> bytes)
      : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool Run() {
    while (at_ != end_) {
      const Step step = Next();
      if (step == Step::kCut) break;
      // Damage counts as a profile's only after what text hardly begins with.
      if (step == Step::kNoField) return messages_ >= 2;
    }
    return known_ > 0;
  }

 private:
  enum class Step { kField, kCut, kNoField };

  Step Next() {
    uint64_t tag = 0, value = 0;
    if (!ReadVarint(&at_, end_, &tag)) return CutOrDamaged();
    const uint64_t field = tag >> 3, type = tag & 7;
    const bool defined = field <= kFieldKinds.size();
    if (field == 0) return Step::kNoField;
    if (!defined && (type == 1 || type == 5)) {
      return Skip(type == 1 ? 8 : 4);
    }
    if (type != 0 && type != 2) return Step::kNoField;
    if (defined && kFieldKinds[field - 1] != 'e' &&
        kFieldKinds[field - 1] != (type == 2 ? 'b' : 'n')) {
      return Step::kNoField;
    }
    if (!ReadVarint(&at_, end_, &value)) return CutOrDamaged();
    if (type == 2)
      return Bytes(defined ? kFieldsOf[field - 1] : 0, defined, value);
    known_ += defined;
    return Step::kField;
  }
  Step Bytes(uint64_t highest_field, bool defined, uint64_t size) {
    const bool whole = size <= left();
    const absl::Span<const uint8_t> bytes(
        at_, static_cast<size_t>(std::min(size, left())));
    if (highest_field == 0) {
      known_ += defined && whole;
    } else {
      // Fields that are not defined come after those that are.
      ProtoReader in(bytes);
      const bool first = in.Next();
      const bool plausible = first && in.field() <= highest_field;
      while (in.Next()) {
      }
      if (whole && !in.ok()) return Step::kNoField;
      if (!whole && first && !plausible) return Step::kNoField;
      known_ += plausible || bytes.empty() || !whole;
      messages_ += plausible && whole;
    }
    return Skip(size);
  }
  Step Skip(uint64_t size) {
    if (size > left()) return Step::kCut;
    at_ += size;
    return Step::kField;
  }
  // A number ends after ten bytes at most.
  Step CutOrDamaged() const {
    return left() < 10 ? Step::kCut : Step::kNoField;
  }
  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }

  const uint8_t* at_;
  const uint8_t* const end_;
  int known_ = 0;     // fields that the format defines
  int messages_ = 0;  // of them, whole messages
};

}  // namespace

bool IsProfile(absl::Span<const uint8_t> first_bytes) {
  const absl::string_view text(
      reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  return !absl::StartsWith(text, "PERF") &&
         !absl::StartsWith(text, "2ELIFREP") && Recognizer(first_bytes).Run();
}

}  // namespace perf2x
