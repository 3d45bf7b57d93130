// SPDX-License-Identifier: Apache-2.0
#include "converter/base/early_exit_cleanup.h"

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

// After RunEarlyExitCleanups a process can only end, so it has one of its own.
TEST(EarlyExitCleanupTest, UndoesTheLastFirstAndNotWhatIsDone) {
  EXPECT_EXIT(
      {
        const EarlyExitCleanup first([] { std::fputs("first\n", stderr); });
        {
          const EarlyExitCleanup done([] { std::fputs("done\n", stderr); });
        }
        const EarlyExitCleanup last([] { std::fputs("last\n", stderr); });
        RunEarlyExitCleanups();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "^last\nfirst\n$");
}

TEST(EarlyExitCleanupTest, AnOutputThatIsWrittenInPlaceIsEmptiedAgain) {
  const TempFolder folder;
  const std::string path = folder.File("in_place");
  EXPECT_EXIT(
      {
        close(open(path.c_str(), O_CREAT | O_WRONLY, 0666));
        auto output = OpenOutput(path, /*in_place=*/true);
        // More than is held back.
        if (!(*output)->Write(std::string(1 << 20, 'x')).ok()) std::_Exit(1);
        RunEarlyExitCleanups();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
  struct stat st;
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 0);
}

}  // namespace
}  // namespace perf2x
