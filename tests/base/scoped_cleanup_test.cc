#include "converter/base/scoped_cleanup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "converter/base/output.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

// After RunAllCleanups a process can only end, so it has one of its own.
TEST(ScopedCleanupTest, UndoesTheLastFirstAndNotWhatIsDone) {
  EXPECT_EXIT(
      {
        const ScopedCleanup first([] { std::fputs("first\n", stderr); });
        {
          const ScopedCleanup done([] { std::fputs("done\n", stderr); });
        }
        const ScopedCleanup last([] { std::fputs("last\n", stderr); });
        RunAllCleanups();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "^last\nfirst\n$");
}

TEST(ScopedCleanupTest, AnOutputThatIsWrittenInPlaceIsEmptiedAgain) {
  const TempFolder folder;
  const std::string path = folder.File("in_place");
  EXPECT_EXIT(
      {
        close(open(path.c_str(), O_CREAT | O_WRONLY, 0666));
        auto output = OpenOutput(path, /*in_place=*/true);
        // More than is held back.
        if (!(*output)->Write(std::string(1 << 20, 'x')).ok()) std::_Exit(1);
        RunAllCleanups();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
  struct stat st;
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 0);
}

}  // namespace
}  // namespace perf2x
