// SPDX-License-Identifier: Apache-2.0

// Records a program as `perf record -b` would on a processor that keeps its
// last branches: for machines that keep none. The program runs step by step,
// all the time or now and then.

#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/binaries.h"
#include "bench/perf_data_writer.h"
#include "bench/random.h"
#include "bench/record_buffer.h"
#include "bench/stepped_process.h"

namespace perf2x::bench {
namespace {

struct Options {
  std::string output, truth;
  std::vector<std::string> command;
  uint64_t interval = 0;  // us that the program runs freely; 0: none
  uint64_t entries = 32;  // of a branch stack
  uint64_t max_samples = ~uint64_t{0};
  uint64_t random = 0;  // samples with random branches
  bool callchains = false;
  uint64_t seed = 1;
};

constexpr uint16_t kUserMode = 2, kCommExecBit = 0x2000, kBuildIdBit = 0x4000;

std::vector<Feature> Features() {
  utsname host = {};
  uname(&host);
  const auto text = [](const std::string& s) {
    RecordBuffer out;
    out.FeatureString(s);
    return out.bytes();
  };
  return {{kHostname, text(host.nodename)},
          {kOsRelease, text(host.release)},
          {kVersion, text("6.1.187")},
          {kArch, text(host.machine)}};
}

Event BranchEvent(bool callchains) {
  Event event;
  event.name = "cycles:u";
  event.period = 1;
  event.sample_type = kIp | kTid | kTime | kPeriod | kBranchStack;
  if (callchains) event.sample_type |= kCallchain;
  event.flags = kDisabled | kInherit | kMmapFlag | kCommFlag | kTask |
                kSampleIdAll | kMmap2Flag | kCommExec;
  event.branch_type = kBranchUser | kBranchAny;
  event.ids = {1};
  return event;
}

class StepRecorder {
 public:
  explicit StepRecorder(const Options& options)
      : options_(options),
        writer_(options.output, PerfDataWriter::Mode::kFile, 0,
                {BranchEvent(options.callchains)}, Features()),
        process_(options.command),
        random_(Mix(options.seed, 3)) {}

  // Returns false if nothing was recorded: the program did not start.
  bool Run() {
    if (!process_.alive()) return false;
    Comm();
    Maps();
    while (process_.alive() && samples_ < options_.max_samples) {
      if (options_.interval != 0) {
        process_.Run(options_.interval);
        stack_.clear();
      }
      while (process_.alive() && stack_.size() < options_.entries) Step();
      if (stack_.empty()) continue;
      Maps();
      Sample({stack_.begin(), stack_.end()});
      // Without free runs, each branch is in one sample.
      stack_.clear();
    }
    for (uint64_t i = 0; i < options_.random; ++i) Sample(RandomStack());
    writer_.Finish();
    WriteTruth();
    std::fprintf(stderr, "%s: %llu samples, %llu branches\n",
                 options_.output.c_str(),
                 static_cast<unsigned long long>(samples_),
                 static_cast<unsigned long long>(branches_));
    return samples_ > 0;
  }

 private:
  void Step() {
    if (options_.random != 0) seen_.insert(process_.ip());
    const auto jump = process_.Step();
    if (!jump.has_value()) return;
    stack_.push_front(*jump);
    ++branches_;
    if (!options_.truth.empty()) ++counts_[{jump->from, jump->to}];
  }

  // Branches between any instructions that ran.
  std::vector<Jump> RandomStack() {
    if (places_.empty()) places_.assign(seen_.begin(), seen_.end());
    std::vector<Jump> stack(options_.entries);
    for (Jump& jump : stack) {
      jump.from = places_[random_.Below(places_.size())];
      jump.to = places_[random_.Below(places_.size())];
    }
    return stack;
  }

  void Trailer(RecordBuffer& out) const {
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U64(time_);
  }

  void Comm() {
    RecordBuffer out;
    out.Begin(kComm, kCommExecBit);
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U32(static_cast<uint32_t>(process_.pid()));
    const std::string& path = options_.command[0];
    out.PaddedString(path.substr(path.rfind('/') + 1).substr(0, 15));
    Trailer(out);
    out.End();
    writer_.WriteRingBuffer(out);
  }

  // Writes the executable mappings that are new since the last call.
  void Maps() {
    std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/maps");
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      std::string range, mode, offset, device, inode, path;
      fields >> range >> mode >> offset >> device >> inode >> path;
      if (mode.size() < 3 || mode[2] != 'x' || path.empty()) continue;
      if (maps_.insert(line).second) Map(range, offset, path);
    }
  }

  void Map(const std::string& range, const std::string& offset,
           const std::string& path) {
    const size_t dash = range.find('-');
    const uint64_t start = std::stoull(range.substr(0, dash), nullptr, 16);
    const uint64_t end = std::stoull(range.substr(dash + 1), nullptr, 16);
    const auto binary = ReadBinary(path);
    const std::vector<uint8_t> id =
        binary ? binary->build_id : std::vector<uint8_t>();
    RecordBuffer out;
    out.Begin(kMmap2, kUserMode | (id.empty() ? 0 : kBuildIdBit));
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U64(start);
    out.U64(end - start);
    out.U64(std::stoull(offset, nullptr, 16));
    constexpr size_t kIdSize = 24;  // size, padding, 20 bytes
    if (id.size() == kIdSize - 4) {
      out.U32(static_cast<uint32_t>(id.size()));
      out.Bytes(id.data(), id.size());
    } else {
      out.Zeros(kIdSize);
    }
    constexpr uint32_t kReadExec = 5, kPrivate = 2;
    out.U32(kReadExec);
    out.U32(kPrivate);
    out.PaddedString(path);
    Trailer(out);
    out.End();
    writer_.WriteRingBuffer(out);
  }

  void Sample(const std::vector<Jump>& stack) {
    constexpr uint64_t kMispredicted = 1, kPredicted = 2;
    time_ += 1000;
    RecordBuffer out;
    out.Begin(kSample, kUserMode);
    out.U64(stack.front().to);
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U32(static_cast<uint32_t>(process_.pid()));
    out.U64(time_);
    out.U64(1);
    if (options_.callchains) Callchain(stack, out);
    out.U64(stack.size());
    for (const Jump& jump : stack) {
      out.U64(jump.from);
      out.U64(jump.to);
      out.U64(random_.Below(16) == 0 ? kMispredicted : kPredicted);
    }
    out.End();
    writer_.WriteRingBuffer(out);
    ++samples_;
  }

  // That of a random stack is where it ends.
  void Callchain(const std::vector<Jump>& stack, RecordBuffer& out) const {
    constexpr auto kContextUser = static_cast<uint64_t>(-512);
    std::vector<uint64_t> chain = {stack.front().to};
    if (process_.alive()) chain = process_.Callchain();
    out.U64(1 + chain.size());
    out.U64(kContextUser);
    for (const uint64_t address : chain) out.U64(address);
  }

  void WriteTruth() const {
    if (options_.truth.empty()) return;
    std::ofstream file(options_.truth);
    for (const std::string& map : maps_) file << "map " << map << "\n";
    for (const auto& [jump, count] : counts_) {
      file << std::hex << jump.first << " " << jump.second << " " << std::dec
           << count << "\n";
    }
  }

  const Options& options_;
  PerfDataWriter writer_;
  SteppedProcess process_;
  Random random_;
  std::deque<Jump> stack_;  // the latest first
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> counts_;
  std::set<std::string> maps_;
  std::set<uint64_t> seen_;  // instructions
  std::vector<uint64_t> places_;
  uint64_t time_ = 1'000'000'000, samples_ = 0, branches_ = 0;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Records the branches of a program that runs step by step.");
  app.add_option("output", options.output, "recording to write")->required();
  app.add_option("command", options.command, "the program, after --")
      ->required();
  app.add_option("--interval", options.interval,
                 "us to run freely before each sample; 0: step all the time");
  app.add_option("--entries", options.entries, "branches in a sample")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--max-samples", options.max_samples, "then end the program");
  app.add_option("--random", options.random,
                 "add samples of branches that never happened");
  app.add_flag("--callchains", options.callchains,
               "with call graphs, by frame pointers");
  app.add_option("--truth", options.truth, "file for the branches' counts");
  CLI11_PARSE(app, argc, argv);
  return StepRecorder(options).Run() ? 0 : 1;
}

}  // namespace
}  // namespace perf2x::bench

int main(int argc, char** argv) { return perf2x::bench::Main(argc, argv); }
