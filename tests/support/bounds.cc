// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bounds.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "converter/emit/registry.h"
#include "tests/support/write_bytes.h"

namespace perf2x {

std::vector<std::string> EveryWay() {
  std::vector<std::string> ways;
  for (const EmitterInfo& format : Emitters()) ways.push_back(format.name);
  ways.push_back("info");
  ways.push_back("dump");
  return ways;
}

double MaxSeconds() {
  constexpr double kSeconds = 5;
  const char* slowness = std::getenv("PERF2X_SLOWNESS");
  return slowness == nullptr ? kSeconds : kSeconds * std::atof(slowness);
}

Outcome TakeHostile(Input input, const std::string& way, int threads) {
  return way == "info" || way == "dump"
             ? InspectHostile(std::move(input), way == "dump")
             : ConvertHostile(std::move(input), way, threads);
}

void ExpectWithinBounds(const Outcome& outcome, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_LT(outcome.output_bytes, kMaxWritten);
  if (Sanitized()) return;
  EXPECT_LT(outcome.peak_memory, kMaxMemory);
  EXPECT_LT(outcome.seconds, MaxSeconds());
}

void KeepBomb(const std::string& name, const ByteVector& recording) {
  const char* folder = std::getenv("PERF2X_KEEP_BOMBS");
  if (folder == nullptr) return;
  std::filesystem::create_directories(folder);
  WriteBytes(std::filesystem::path(folder) / name, recording);
}

}  // namespace perf2x
