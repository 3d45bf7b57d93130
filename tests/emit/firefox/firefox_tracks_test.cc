// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_tracks.h"

#include <gtest/gtest.h>

#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class FirefoxTracksTest : public SmallTrace {};

TEST_F(FirefoxTracksTest, ThreadsOfALaterProcessAreItsOwn) {
  const ThreadId main = AddThread(7, 7, "app", "app");
  const ThreadId other = AddThread(7, 8, "app", "app");
  FirefoxTimes times;
  FirefoxTracks tracks(tables_, times);
  const TrackId first = tracks.TrackOf(main, 1);
  const TrackId first_other = tracks.TrackOf(other, 2);
  EXPECT_EQ(tracks[first_other].PidText(), "7");
  tracks.OnExit({.time = 3, .thread = other});
  tracks.OnExit({.time = 4, .thread = main});

  const TrackId second = tracks.OnFork({.time = 5, .parent = 0, .child = main});
  const TrackId second_other =
      tracks.OnFork({.time = 6, .parent = main, .child = other});
  EXPECT_NE(second, first);
  EXPECT_NE(second_other, first_other);
  EXPECT_EQ(tracks[second].PidText(), "7.1");
  EXPECT_EQ(tracks[second_other].PidText(), "7.1");
  EXPECT_EQ(tracks[second_other].TidText(), "8.1");
}

}  // namespace
}  // namespace perf2x
