// Threads that rename themselves, a child that lives in its parent's address
// space until it ends, and one that becomes another program.
//
// usage: tasks OTHER-PROGRAM ARGUMENT

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

namespace {

[[gnu::noinline]] uint64_t Burn(uint64_t times) {
  uint64_t sum = times;
  for (uint64_t i = 0; i < times; ++i) sum = sum * 6364136223846793005 + i;
  return sum;
}

volatile uint64_t sink;

void* First(void*) {
  sink = Burn(15'000'000);
  prctl(PR_SET_NAME, "renamed");
  sink = Burn(15'000'000);
  return nullptr;
}

void* Second(void*) {
  prctl(PR_SET_NAME, "second");
  for (int i = 0; i < 5; ++i) {
    sink = Burn(4'000'000);
    usleep(1000);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (pid_t child = fork(); child == 0) {
    sink = Burn(15'000'000);
    _exit(0);
  }
  if (pid_t child = fork(); child == 0) {
    sink = Burn(5'000'000);
    execl(argv[1], argv[1], argv[2], nullptr);
    _exit(127);
  }
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, First, nullptr);
  pthread_create(&threads[1], nullptr, Second, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  while (wait(nullptr) > 0) {
  }
  return 0;
}
