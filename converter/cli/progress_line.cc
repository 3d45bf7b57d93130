// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/base/thread.h"

namespace perf2x {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kQuiet = std::chrono::seconds(1);
constexpr auto kStep = std::chrono::milliseconds(200);

}  // namespace

std::string ProgressText(const Progress& progress, double seconds) {
  const auto mega = [](double bytes) {
    return absl::StrFormat("%.0f MB", bytes / 1e6);
  };
  const uint64_t total = progress.total_bytes();
  uint64_t done = progress.done_bytes();
  if (total == 0) {
    return absl::StrFormat("perf2x: %d samples in %.0f s, %.1f MB",
                           progress.samples(), seconds,
                           static_cast<double>(done) / 1e6);
  }
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  done = std::min(done, total);
  // The progress of what remains after reading is not known.
  if (done >= total - total / 100) {
    return absl::StrCat("perf2x: read ", mega(static_cast<double>(total)),
                        ", symbolizing and writing");
  }
  std::string text = absl::StrFormat(
      "perf2x: %.0f %% of %s, %s/s",
      100 * static_cast<double>(done) / static_cast<double>(total),
      mega(static_cast<double>(total)), mega(rate));
  if (rate > 0) {
    absl::StrAppendFormat(&text, ", %.0f s left",
                          static_cast<double>(total - done) / rate);
  }
  return text;
}

bool ProgressLine::ShouldShow() {
  return isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr;
}

ProgressLine::ProgressLine(const Progress& progress) : progress_(progress) {
  thread_ = StartThread("perf2x-progress", [this] { Run(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  Clear();
}

void ProgressLine::Run() {
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  auto wait = Clock::duration(kQuiet);
  uint64_t done = 0;
  while (!wake_.wait_for(lock, wait, [this] { return stop_; })) {
    wait = kStep;
    // perf writes its data late. Until then the recorded program may use the
    // terminal, so that the line is shown only once.
    const uint64_t before = std::exchange(done, progress_.done_bytes());
    if (shown_ && progress_.samples() == 0 && before == done) continue;
    const std::chrono::duration<double> seconds = Clock::now() - start;
    // Goes to the start of the line, and erases the rest after the text.
    std::fputs(
        absl::StrCat("\r", ProgressText(progress_, seconds.count()), "\x1b[K")
            .c_str(),
        stderr);
    shown_ = true;
  }
}

void ProgressLine::Clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace perf2x
