// SPDX-License-Identifier: Apache-2.0
#include "converter/base/gzip_output.h"

#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/mman.h>
#include <zlib.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "converter/base/output.h"
#include "tests/support/hostile.h"

namespace perf2x {
namespace {

using ::testing::HasSubstr;

std::string GzipOf(const std::string& text, size_t step, size_t helpers = 1) {
  std::string out;
  HelperPool pool("test", helpers);
  GzipOutput gzip(MakeStringOutput(&out), &pool);
  for (size_t i = 0; i < text.size(); i += step) {
    EXPECT_TRUE(gzip.Write(absl::string_view(text).substr(i, step)).ok());
  }
  EXPECT_TRUE(gzip.Close().ok());
  return out;
}

std::string TextOfGzip(const std::string& bytes) {
  std::string out(16 << 20, '\0');
  z_stream z{};
  inflateInit2(&z, 16 + MAX_WBITS);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(z.avail_in, 0);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

TEST(GzipOutputTest, RoundTripsAndDoesNotDependOnWritesOrThreads) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < (9 << 20)) {
    text += std::to_string(random() % 1000);
  }
  const std::string small = GzipOf(text, 1000);
  EXPECT_EQ(small, GzipOf(text, text.size()));
  for (const size_t helpers : {0, 3, 100}) {
    EXPECT_EQ(small, GzipOf(text, 1 << 20, helpers));
  }
  // Chunks that are compressed by themselves need few bytes more.
  EXPECT_LT(small.size(), text.size() / 2);
  EXPECT_EQ(TextOfGzip(small), text);
}

TEST(GzipOutputTest, NothingWrittenIsAnEmptyMember) {
  const std::string bytes = GzipOf("", 1);
  EXPECT_EQ(TextOfGzip(bytes), "");
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));  // no time
}

TEST(GzipOutputTest, ErrorsBelowComeUp) {
  std::mt19937 random(1);
  std::string noise(1 << 20, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (const size_t helpers : {0, 1}) {
    auto full = OpenOutput("/dev/full");
    ASSERT_TRUE(full.ok());
    HelperPool pool("test", helpers);
    GzipOutput gzip(*std::move(full), &pool);
    absl::Status status;
    for (int i = 0; i < 100 && status.ok(); ++i) {
      status = gzip.Write(noise);
    }
    EXPECT_THAT(std::string(status.message()), HasSubstr("No space left"));
    EXPECT_EQ(gzip.Write(noise), status);
    // Not even bytes that would only be buffered are accepted.
    EXPECT_EQ(gzip.Write("x"), status);
    EXPECT_FALSE(gzip.Close().ok());
  }
}

TEST(GzipOutputTest, MayBeAbandoned) {
  std::string out;
  HelperPool pool("test", 1);
  auto gzip = std::make_unique<GzipOutput>(MakeStringOutput(&out), &pool);
  EXPECT_TRUE(gzip->Write(std::string(5 << 20, 'x')).ok());
  gzip.reset();
}

// The library that compresses reads its own address (kStart in gzip_output.cc).
// One address in some 4,000 changes the bytes of this text, which repeats its
// first eight bytes, and the eight after the first.
TEST(GzipOutputTest, DoesNotDependOnAddresses) {
  std::mt19937 random(1);
  std::string text(1000, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 20);
  text.replace(100, 8, text, 0, 8);
  text.replace(200, 8, text, 1, 8);
  const std::string first = GzipOf(text, text.size());
  // Each stream then has pages of its own. Unused pages keep the next
  // stream from the same address.
  // Sanitizers' allocators need not have the option.
  ASSERT_TRUE(mallopt(M_MMAP_THRESHOLD, 32 << 10) == 1 || Sanitized());
  malloc_trim(0);
  constexpr size_t kUnused = 96 << 10;
  std::vector<void*> unused;
  const int streams = Sanitized() ? 100 : 15'000;
  for (int i = 0; i < streams; ++i) {
    ASSERT_EQ(GzipOf(text, text.size()), first) << i;
    unused.push_back(mmap(nullptr, kUnused, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ASSERT_NE(unused.back(), MAP_FAILED);
  }
  for (void* const pages : unused) munmap(pages, kUnused);
}

}  // namespace
}  // namespace perf2x
