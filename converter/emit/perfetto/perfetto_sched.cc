// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_sched.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace perf2x {
namespace {

constexpr PerfettoFtrace::Task kIdle{0, "swapper"};

// Layouts of the bits, by the version of the kernel. Readers assume the oldest
// one for a trace that does not name its kernel.
enum class Layout { kBefore4_8, kBefore4_14, kFrom4_14 };

Layout LayoutOf(absl::string_view release) {
  const std::vector<absl::string_view> parts = absl::StrSplit(release, '.');
  uint32_t major = 0, minor = 0;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &major) ||
      !absl::SimpleAtoi(parts[1], &minor)) {
    return Layout::kBefore4_8;
  }
  const std::pair version(major, minor);
  if (version < std::pair(4u, 8u)) return Layout::kBefore4_8;
  return version < std::pair(4u, 14u) ? Layout::kBefore4_14 : Layout::kFrom4_14;
}

// trace_sched_switch's state letters: TASK_STATE_TO_CHAR_STR and, from 4.14 on,
// __task_state_index(), include/linux/sched.h.
uint64_t BitsOf(char letter, Layout layout) {
  const bool is_new = layout == Layout::kFrom4_14;
  switch (letter) {
    case 'S':
      return 0x1;
    case 'D':
      return 0x2;
    case 'T':
      return 0x4;
    case 't':
      return 0x8;
    case 'X':
      return 0x10;
    case 'Z':
      return 0x20;
    case 'P':
      return is_new ? 0x40 : 0x200;
    case 'I':
      return is_new ? 0x80 : 0x402;
    case 'x':
      return is_new ? 0 : 0x40;
    case 'K':
      return is_new ? 0 : 0x80;
    case 'W':
      return is_new ? 0 : 0x100;
    case 'N':
      return is_new ? 0 : 0x400;
    case '+':
      return is_new ? 0x100 : layout == Layout::kBefore4_14 ? 0x1000 : 0x800;
  }
  return 0;
}

}  // namespace

uint64_t TaskStateBits(absl::string_view letters, absl::string_view release) {
  const Layout layout = LayoutOf(release);
  uint64_t bits = 0;
  for (const char letter : letters) bits |= BitsOf(letter, layout);
  return bits;
}

void PerfettoSched::OnCpuRun(int32_t cpu, TrackId track, uint64_t begin,
                             uint64_t end, absl::string_view letters) {
  const auto [it, inserted] = last_.try_emplace(cpu);
  Run& last = it->second;
  if (!inserted) {
    begin = std::max(begin, last.end);  // records may be out of order
    if (begin > last.end) ftrace_.Switch(cpu, last.end, last.state, kIdle);
  }
  const uint64_t before = inserted || begin > last.end ? 0 : last.state;
  ftrace_.Switch(cpu, begin, before,
                 {threads_.row(track).tid, threads_.name(track)});
  last.end = std::max(begin, end);
  last.state = TaskStateBits(letters, release_);
}

void PerfettoSched::Finish() {
  for (const auto& [cpu, last] : last_) {
    ftrace_.Switch(cpu, last.end, last.state, kIdle);
  }
}

}  // namespace perf2x
