// Burns CPU below a few nested functions, some of them recursive, and asks the
// kernel for things in between.
//
// usage: spin ROUNDS

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace demo {

class Mixer {
 public:
  explicit Mixer(uint64_t seed) : state_(seed) {}
  [[gnu::noinline]] uint64_t Step() {
    for (int i = 0; i < 1000; ++i) {
      state_ ^= state_ << 13;
      state_ ^= state_ >> 7;
      state_ ^= state_ << 17;
    }
    return state_;
  }

 private:
  uint64_t state_;
};

[[gnu::noinline]] uint64_t Leaf(Mixer& mixer, int times) {
  uint64_t sum = 0;
  for (int i = 0; i < times; ++i) sum += mixer.Step();
  return sum + 1;
}

[[gnu::noinline]] uint64_t Recurse(Mixer& mixer, int depth) {
  if (depth == 0) return Leaf(mixer, 3);
  return Recurse(mixer, depth - 1) + 1;
}

template <class T>
[[gnu::noinline]] T Sort(std::vector<T>& values) {
  for (size_t i = 1; i < values.size(); ++i) {
    for (size_t j = i; j > 0 && values[j] < values[j - 1]; --j) {
      T swapped = values[j];
      values[j] = values[j - 1];
      values[j - 1] = swapped;
    }
  }
  return values[0];
}

[[gnu::noinline]] uint64_t AskKernel() {
  constexpr size_t kBytes = 1 << 18;
  static char buffer[kBytes];
  int zero = open("/dev/zero", O_RDONLY);
  ssize_t got = read(zero, buffer, kBytes);
  close(zero);
  void* map = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < kBytes; i += 4096) static_cast<char*>(map)[i] = 1;
  munmap(map, kBytes);
  return static_cast<uint64_t>(got) + 1;
}

}  // namespace demo

int main(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  demo::Mixer mixer(42);
  uint64_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint64_t> values(300);
    for (uint64_t& v : values) v = mixer.Step();
    sum += demo::Sort(values);
    sum += demo::Recurse(mixer, 2 + round % 4);
    sum += demo::Leaf(mixer, 200);
    sum += demo::AskKernel();
  }
  return sum == 0;
}
