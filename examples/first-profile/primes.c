// SPDX-License-Identifier: Apache-2.0
// The program of docs/tutorial.md. With an argument, it takes the short way.
#include <stdio.h>

static int SHORT_WAY;

__attribute__((noinline)) int divides(long d, long n) { return n % d == 0; }

__attribute__((noinline)) int is_prime(long n) {
  for (long d = 2; SHORT_WAY ? d * d <= n : d < n; d++)
    if (divides(d, n)) return 0;
  return 1;
}

__attribute__((noinline)) int count_primes(long below) {
  int count = 0;
  for (long n = 2; n < below; n++) count += is_prime(n);
  return count;
}

int main(int argc, char** argv) {
  (void)argv;
  SHORT_WAY = argc > 1;
  printf("%d primes\n", count_primes(100000));
}
