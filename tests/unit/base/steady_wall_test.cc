// Aim: time never goes back and never runs ahead, whatever the wall clock does. Method: hand-made readings,
// and random walks.
#include "base/steady_wall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "support/virtual_loop.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{1h};
constexpr WallTime kNoon{1'800'000'000s};

TEST(SteadyWall, FollowsTheWallClockForward) {
  SteadyWall wall;
  EXPECT_EQ(wall.advance(kStart, kNoon), kNoon);
  EXPECT_EQ(wall.advance(kStart + 1s, kNoon + 1s), kNoon + 1s);
  EXPECT_EQ(wall.advance(kStart + 2s, kNoon + 1h), kNoon + 1h);
}

TEST(SteadyWall, RunsAtHalfSpeedAfterAStepBackUntilItHasCaughtUp) {
  SteadyWall wall;
  static_cast<void>(wall.advance(kStart, kNoon));
  EXPECT_EQ(wall.advance(kStart + 2s, kNoon + 2s - 1min), kNoon + 1s);
  EXPECT_EQ(wall.advance(kStart + 62s, kNoon + 2s), kNoon + 31s);
  EXPECT_EQ(wall.advance(kStart + 122s, kNoon + 62s), kNoon + 62s);
  EXPECT_EQ(wall.advance(kStart + 123s, kNoon + 63s), kNoon + 63s);
}

TEST(SteadyWall, NeverDecreasesAndNeverLeadsTheLatestReading) {
  test::SeededRandom random(7);
  SteadyWall wall;
  Instant monotonic = kStart;
  WallTime civil = kNoon;
  WallTime last{};
  WallTime latest = civil;
  for (int i = 0; i < 100'000; ++i) {
    const Duration passed = std::chrono::microseconds(random.below(10'000));
    monotonic += passed;
    civil += passed;
    if (random.below(50) == 0) civil += std::chrono::milliseconds(random.below(4000)) - 2s;
    latest = std::max(latest + passed, civil);
    const WallTime now = wall.advance(monotonic, civil);
    ASSERT_GE(now, last);
    ASSERT_GE(now, civil);
    ASSERT_LE(now, latest);
    last = now;
  }
}

}  // namespace
}  // namespace sluice
