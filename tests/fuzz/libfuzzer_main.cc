// The fuzzer: perf2x_fuzz --target=NAME [libFuzzer's options] FOLDERS

#include <cstdio>
#include <cstdlib>

#include "absl/strings/strip.h"
#include "tests/fuzz/targets.h"

namespace {
const perf2x::FuzzTarget* target = nullptr;
}  // namespace

// libFuzzer calls these by name, and passes over options that begin with "--".
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    absl::string_view name = (*argv)[i];
    if (absl::ConsumePrefix(&name, "--target=")) {
      target = perf2x::FindFuzzTarget(name);
    }
  }
  if (target == nullptr) {
    std::fprintf(stderr, "usage: perf2x_fuzz --target=NAME ..., one of\n");
    for (const perf2x::FuzzTarget& t : perf2x::FuzzTargets()) {
      std::fprintf(stderr, "  %s\n", t.name);
    }
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target->run({data, size});
  return 0;
}
