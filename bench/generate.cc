// SPDX-License-Identifier: Apache-2.0

// Makes a large recording, as perf would write it, of processes that never ran:
// the binaries are this machine's, the stacks are composed of the binaries'
// functions.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/binaries.h"
#include "bench/perf_data_writer.h"
#include "bench/population.h"
#include "bench/recorder.h"

namespace perf2x::bench {
namespace {

struct Options {
  Shape shape;
  Kind kind = Kind::kCallGraph;
  bool pipe = false;
  int zstd_level = 0;
  std::string output;
  std::string kallsyms = "/proc/kallsyms";
  std::vector<std::string> folders = {"/usr/bin", "/usr/lib/x86_64-linux-gnu",
                                      "/usr/lib/aarch64-linux-gnu"};
};

void Generate(const Options& options) {
  const Shape& shape = options.shape;
  constexpr size_t kPrograms = 24, kLibraries = 48;
  size_t libraries =
      std::max<size_t>(kLibraries, shape.mappings / shape.processes);
  Population population(shape,
                        FindBinaries(options.folders, kPrograms, libraries),
                        ReadKernel(options.kallsyms));
  PerfDataWriter writer(
      options.output,
      options.pipe ? PerfDataWriter::Mode::kPipe : PerfDataWriter::Mode::kFile,
      options.zstd_level, EventsOf(options.kind, shape.cpus),
      FeaturesOf(options.kind, shape, population, options.zstd_level > 0));
  Recorder recorder(options.kind, shape, &population, &writer);
  recorder.Run();
  std::fprintf(
      stderr,
      "%s: %.1f MB, %llu samples, %llu stacks, %llu addresses, %llu processes, "
      "%llu threads\n",
      options.output.c_str(), static_cast<double>(writer.bytes()) / 1e6,
      static_cast<unsigned long long>(recorder.samples()),
      static_cast<unsigned long long>(recorder.stacks()),
      static_cast<unsigned long long>(population.AddressesUsed()),
      static_cast<unsigned long long>(population.processes().size()),
      static_cast<unsigned long long>(population.tasks().size()));
}

int Main(int argc, char** argv) {
  Options options;
  Shape& shape = options.shape;
  CLI::App app("Makes a large recording of processes that never ran.");
  app.add_option("output", options.output,
                 "file to write; - for standard output")
      ->required();
  std::map<std::string, Kind> kinds = {{"callgraph", Kind::kCallGraph},
                                       {"flat", Kind::kFlat},
                                       {"branches", Kind::kBranches},
                                       {"sched", Kind::kSched},
                                       {"spe", Kind::kSpe}};
  app.add_option("--kind", options.kind,
                 "callgraph, flat, branches, sched or spe")
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_flag("--pipe", options.pipe, "as perf record -o - gives it");
  app.add_option("--zstd", options.zstd_level,
                 "compress records at this level");
  app.add_option("--seed", shape.seed, "same seed, same bytes")
      ->capture_default_str();
  CLI::Range counts(1.0, 1e11);
  app.add_option("--samples", shape.samples)
      ->capture_default_str()
      ->check(counts);
  app.add_option("--stacks", shape.stacks, "distinct ones")
      ->capture_default_str()
      ->check(counts);
  app.add_option("--addresses", shape.addresses, "distinct ones")
      ->capture_default_str()
      ->check(counts);
  app.add_option("--processes", shape.processes)
      ->capture_default_str()
      ->check(counts);
  app.add_option("--mappings", shape.mappings, "of all processes")
      ->capture_default_str()
      ->check(counts);
  app.add_option("--cpus", shape.cpus)
      ->capture_default_str()
      ->check(CLI::Range(1, 500));
  app.add_option("--depth", shape.depth, "mean callchain length")
      ->capture_default_str()
      ->check(CLI::Range(4, 500));
  app.add_option("--kallsyms", options.kallsyms)->capture_default_str();
  app.add_option("--folder", options.folders, "where to look for binaries")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (options.output == "-" && !options.pipe) {
    std::fprintf(stderr, "generate: standard output takes --pipe only\n");
    return 2;
  }
  Generate(options);
  return 0;
}

}  // namespace
}  // namespace perf2x::bench

int main(int argc, char** argv) { return perf2x::bench::Main(argc, argv); }
