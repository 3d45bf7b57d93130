// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/trial_loop.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/record_trial.h"
#include "tests/support/hostile.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

// Limits far above the cost of any good trial: a trial that exceeds them is
// killed. RunTrial() checks the actual bounds.
constexpr double kTrialSeconds = 40, kSanitizedTrialSeconds = 240;
constexpr double kMaxWait = 1800;  // wall-clock time, on a busy machine
constexpr uint64_t kTrialMemory = uint64_t{3} << 30;
// After so many trials a new process replaces the old one.
constexpr int kTrialsOfProcess = 400;
constexpr int kFound = 3;  // exit status after a broken promise

// Set by SIGINT and SIGTERM: the loop ends with its table.
volatile sig_atomic_t interrupted = 0;

double Now(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// Memory that a process that runs trials shares with the process that watches
// it.
struct Shared {
  struct Row {
    std::array<char, 48> kind;
    uint64_t count;
    double seconds, most_seconds;
    uint64_t most_memory, most_written;
  };
  uint64_t seed;      // of the current trial
  double start;       // the process's CPU time at the trial's start
  double wall_start;  // the same on the monotonic clock
  uint64_t done;
  std::array<char, 512> complaint;
  std::array<Row, 64> rows;

  Row* RowOf(const std::string& kind) {
    for (Row& row : rows) {
      if (kind == row.kind.data()) return &row;
      if (row.kind[0] != '\0') continue;
      std::snprintf(row.kind.data(), row.kind.size(), "%s", kind.c_str());
      return &row;
    }
    return &rows.back();
  }
};

class Worker {
 public:
  Worker(const std::vector<RecordSequence>& seeds, uint64_t first,
         uint64_t step, uint64_t end)
      : seeds_(seeds), next_(first), step_(step), end_(end) {
    void* const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (page) Shared{};
    std::snprintf(log_.data(), log_.size(), "%s",
                  (fs::temp_directory_path() / "perf2x_XXXXXX").c_str());
    const int log = mkstemp(log_.data());
    if (log >= 0) close(log);
  }
  ~Worker() {
    munmap(shared_, sizeof(Shared));
    unlink(log_.data());
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const Shared& shared() const { return *shared_; }
  const char* log() const { return log_.data(); }
  bool running() const { return child_ > 0; }
  bool finished() const { return child_ <= 0 && next_ >= end_; }

  void Start() {
    shared_->complaint[0] = '\0';
    shared_->start = 0;
    shared_->wall_start = Now(CLOCK_MONOTONIC);
    std::fflush(nullptr);
    child_ = fork();
    if (child_ == 0) Work();
  }

  // Checks on the process. Returns true if its trial broke a promise, and sets
  // `*finding`.
  bool Watch(TrialFinding* finding) {
    if (!killed_) killed_ = CheckLimits();
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) return false;
    child_ = 0;
    next_ = shared_->seed + step_;
    *finding = {shared_->seed, shared_->complaint.data()};
    if (const char* why = std::exchange(killed_, nullptr)) {
      finding->what = why;
      return true;
    }
    if (WIFSIGNALED(status)) {
      finding->what = absl::StrCat("signal ", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0 && finding->what.empty()) {
      finding->what = absl::StrCat("exit status ", WEXITSTATUS(status));
    }
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  void Kill() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  [[noreturn]] void Work() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);  // the watching process ends this one
    std::signal(SIGTERM, SIG_DFL);
    const int log = open(log_.data(), O_WRONLY | O_TRUNC | O_APPEND);
    dup2(log, STDERR_FILENO);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (int left = kTrialsOfProcess; left > 0 && next_ < end_; --left) {
      shared_->seed = next_;
      shared_->start = Now(CLOCK_PROCESS_CPUTIME_ID);
      shared_->wall_start = Now(CLOCK_MONOTONIC);
      Try(next_);
      next_ += step_;
    }
    _exit(0);
  }

  void Try(uint64_t seed) {
    const RecordTrial trial = MakeTrial(seed, seeds_);
    TrialCost cost;
    const std::string bad = RunTrial(trial, &cost);
    Shared::Row& row = *shared_->RowOf(trial.Kind());
    ++row.count;
    row.seconds += cost.seconds;
    row.most_seconds = std::max(row.most_seconds, cost.seconds);
    row.most_memory = std::max(row.most_memory, cost.memory);
    row.most_written = std::max(row.most_written, cost.written);
    ++shared_->done;
    if (bad.empty()) return;
    std::snprintf(shared_->complaint.data(), shared_->complaint.size(), "%s",
                  bad.c_str());
    _exit(kFound);
  }

  // Kills a process that exceeds the limits. Returns the reason, or null.
  const char* CheckLimits() {
    clockid_t clock;
    const double most = Sanitized() ? kSanitizedTrialSeconds : kTrialSeconds;
    const char* why = nullptr;
    if (clock_getcpuclockid(child_, &clock) == 0 &&
        Now(clock) - shared_->start > most) {
      why = "takes far too long";
    } else if (Now(CLOCK_MONOTONIC) - shared_->wall_start > kMaxWait) {
      why = "hangs";
    }
    std::ifstream statm(absl::StrCat("/proc/", child_, "/statm"));
    uint64_t all = 0, resident = 0;
    if (statm >> all >> resident && resident * 4096 > kTrialMemory) {
      why = "takes far too much memory";
    }
    if (why != nullptr) kill(child_, SIGKILL);
    return why;
  }

  const std::vector<RecordSequence>& seeds_;
  uint64_t next_;
  const uint64_t step_, end_;
  Shared* shared_ = nullptr;
  std::array<char, 256> log_{};
  pid_t child_ = 0;
  const char* killed_ = nullptr;
};

void SaveFiles(const fs::path& path, const std::vector<ByteVector>& files) {
  if (files.size() == 1) return WriteBytes(path, files[0]);
  fs::create_directories(path);
  WriteBytes(path / "data", files[0]);
  for (size_t i = 1; i < files.size(); ++i) {
    WriteBytes(path / absl::StrCat("data.", i - 1), files[i]);
  }
}

void Save(const std::string& folder, const TrialFinding& finding,
          const RecordTrial& trial, const char* log) {
  const fs::path to = fs::path(folder) / absl::StrCat(finding.seed);
  fs::create_directories(to);
  SaveFiles(to / "recording", trial.files);
  if (!trial.second.empty()) SaveFiles(to / "second", trial.second);
  std::ofstream(to / "what.txt")
      << finding.what << "\nseed " << finding.seed << "\n"
      << trial.Description() << "\n";
  std::error_code ignored;
  fs::copy_file(log, to / "stderr.txt", fs::copy_options::overwrite_existing,
                ignored);
}

void PrintTable(const std::vector<std::unique_ptr<Worker>>& workers,
                double seconds, size_t findings) {
  std::map<std::string, Shared::Row> rows;
  for (const auto& worker : workers) {
    for (const Shared::Row& from : worker->shared().rows) {
      if (from.count == 0) continue;
      Shared::Row& to = rows[from.kind.data()];
      to.count += from.count;
      to.seconds += from.seconds;
      to.most_seconds = std::max(to.most_seconds, from.most_seconds);
      to.most_memory = std::max(to.most_memory, from.most_memory);
      to.most_written = std::max(to.most_written, from.most_written);
    }
  }
  uint64_t count = 0;
  double cpu = 0;
  std::printf("%-28s %9s %9s %8s %8s %11s\n", "", "runs", "CPU s", "longest",
              "most MB", "written MB");
  for (const auto& [kind, row] : rows) {
    std::printf("%-28s %9llu %9.1f %8.2f %8llu %11.1f\n", kind.c_str(),
                static_cast<unsigned long long>(row.count), row.seconds,
                row.most_seconds,
                static_cast<unsigned long long>(row.most_memory >> 20),
                static_cast<double>(row.most_written) / 1e6);
    count += row.count;
    cpu += row.seconds;
  }
  std::printf("%-28s %9llu %9.1f in %.0f s, %zu findings\n", "all",
              static_cast<unsigned long long>(count), cpu, seconds, findings);
  std::fflush(stdout);
}

}  // namespace

std::vector<TrialFinding> RunTrialLoop(const TrialLoopOptions& options) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int) { interrupted = 1; });
  }
  const std::vector<RecordSequence> seeds = RecordingSeeds();
  const uint64_t end =
      options.count == 0 ? ~uint64_t{0} : options.first_seed + options.count;
  const double start = Now(CLOCK_MONOTONIC);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < options.processes; ++i) {
    workers.push_back(std::make_unique<Worker>(
        seeds, options.first_seed + static_cast<uint64_t>(i),
        static_cast<uint64_t>(options.processes), end));
  }
  std::vector<TrialFinding> findings;
  const auto note = [&](const Worker& worker, const TrialFinding& finding) {
    findings.push_back(finding);
    const RecordTrial trial = MakeTrial(finding.seed, seeds);
    if (!options.save_to.empty()) {
      Save(options.save_to, finding, trial, worker.log());
    }
    if (!options.print) return;
    uint64_t done = 0;
    for (const auto& w : workers) done += w->shared().done;
    std::printf("seed %llu after %llu runs, %.0f s: %s: %s\n",
                static_cast<unsigned long long>(finding.seed),
                static_cast<unsigned long long>(done),
                Now(CLOCK_MONOTONIC) - start, finding.what.c_str(),
                trial.Description().c_str());
    std::fflush(stdout);
  };
  const auto in_time = [&] {
    return interrupted == 0 && (options.seconds <= 0 ||
                                Now(CLOCK_MONOTONIC) - start < options.seconds);
  };
  for (size_t finished = 0; finished < workers.size() && in_time();) {
    finished = 0;
    for (const auto& worker : workers) {
      if (!worker->running() && !worker->finished()) worker->Start();
      TrialFinding finding;
      if (worker->running() && worker->Watch(&finding)) note(*worker, finding);
      finished += worker->finished();
    }
    usleep(20'000);
  }
  for (const auto& worker : workers) {
    if (worker->running()) worker->Kill();
  }
  if (options.print) {
    PrintTable(workers, Now(CLOCK_MONOTONIC) - start, findings.size());
  }
  return findings;
}

}  // namespace perf2x
