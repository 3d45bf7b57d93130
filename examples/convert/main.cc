// SPDX-License-Identifier: Apache-2.0
// Converts two recordings at the same time, each on a thread of its own.
//
// By hand: g++ main.cc $(pkg-config --cflags --libs perf2x)

#include <perf2x/convert.h>

#include <cstdio>
#include <future>
#include <string>

namespace {

perf2x::ConversionResult Convert(const std::string& input,
                                 const std::string& output) {
  perf2x::ConversionRequest request;
  request.input = input;
  request.output = output;
  request.format = "folded";
  return perf2x::ConvertRecording(request);
}

// What to do about a failure depends on whose it is.
const char* NextStep(perf2x::ConversionResult::Code code) {
  using Code = perf2x::ConversionResult::Code;
  switch (code) {
    case Code::kOk:
      break;
    case Code::kBadRequest:
      return "mend this program";
    case Code::kNotARecording:
    case Code::kDamaged:
      return "record again";
    case Code::kCannotReadInput:
    case Code::kCannotWriteOutput:
      return "check the path";
    case Code::kFailed:
      return "try again later";
  }
  return "";
}

int Report(const char* input, const perf2x::ConversionResult& result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s: %s (%s)\n", input, result.error.c_str(),
                 NextStep(result.code));
    return 1;
  }
  for (const auto& event : result.events) {
    std::printf("%s: %lu samples of %s\n", input,
                static_cast<unsigned long>(event.samples), event.name.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s INPUT OUTPUT INPUT OUTPUT (perf2x %s)\n",
                 argv[0], perf2x::LibraryVersion());
    return 2;
  }
  auto other = std::async(std::launch::async, Convert, argv[3], argv[4]);
  const int failed = Report(argv[1], Convert(argv[1], argv[2]));
  return Report(argv[3], other.get()) | failed;
}
