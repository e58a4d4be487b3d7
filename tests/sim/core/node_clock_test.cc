// Aim: clocks drift exactly, never run back unless stepped, and true_length() names the very first moment at
// which they show what was waited for. Method: exact arithmetic at chosen rates, then drawn rates and
// moments.
#include "sim/core/node_clock.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

TEST(NodeClock, DriftsFromTrueTime) {
  Timeline timeline;
  const NodeClock fast(timeline, {.drift_ppm = 200, .wall_offset = -3s, .uptime = 1h});
  const NodeClock slow(timeline, {.drift_ppm = -200});
  EXPECT_EQ(fast.now(), Instant{1h});
  EXPECT_EQ(fast.wall_now(), kEpoch - 3s);
  timeline.run_until(10'000s);
  EXPECT_EQ(fast.now(), Instant{1h + 10'002s});
  EXPECT_EQ(fast.wall_now(), kEpoch + 9'999s);
  EXPECT_EQ(slow.now(), Instant{9'998s});
}

TEST(NodeClock, StepsMoveTheWallClockOnly) {
  Timeline timeline;
  NodeClock clock(timeline, {});
  timeline.run_until(5s);
  clock.step_wall(-20s);
  EXPECT_EQ(clock.wall_now(), kEpoch - 15s);
  EXPECT_EQ(clock.now(), Instant{5s});
  EXPECT_EQ(clock.fault().wall_offset, -20s);
}

TEST(NodeClock, TrueLengthIsTheFirstMomentAtWhichTheClockGotThere) {
  Draw draw(1);
  for (int i = 0; i < 2000; ++i) {
    Timeline timeline;
    const NodeClock clock(timeline, {.drift_ppm = draw.between(-500'000, 500'000)});
    timeline.run_until(draw.log_between(1ns, 24h));
    const Instant until = clock.now() + draw.log_between(1ns, 1h);
    const Duration length = clock.true_length(until - clock.now());
    timeline.run_until(timeline.now() + length - 1ns);
    ASSERT_LT(clock.now(), until);
    timeline.run_until(timeline.now() + 1ns);
    ASSERT_GE(clock.now(), until);
  }
}

TEST(NodeClock, LengthsBeyondReasonAreBounded) {
  Timeline timeline;
  const NodeClock slow(timeline, {.drift_ppm = -500'000});
  EXPECT_EQ(slow.true_length(-1s), 0s);
  EXPECT_EQ(slow.true_length(0s), 0s);
  EXPECT_EQ(slow.true_length(Duration::max()), 200 * 365 * 24h);
}

TEST(NodeClock, NeverRunsBack) {
  Timeline timeline;
  const NodeClock clock(timeline, {.drift_ppm = -333'333});
  Instant last = clock.now();
  for (int i = 0; i < 1000; ++i) {
    timeline.run_until(timeline.now() + 1ns);
    ASSERT_GE(clock.now(), last);
    last = clock.now();
  }
}

}  // namespace
}  // namespace sluice::sim
