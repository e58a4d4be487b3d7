// Aim: a simulated process sees turns, timers, tasks, a stop and its own death as a real one would. Method:
// callbacks write letters into a string, which must read as the contract says.
#include "sim/core/node_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/time.h"
#include "sim/core/node_clock.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

class NodeLoopTest : public testing::Test {
 protected:
  std::function<void()> add(char letter) {
    return [this, letter] { ran_ += letter; };
  }

  Timeline timeline_;
  NodeClock clock_{timeline_, {}};
  std::unique_ptr<NodeLoop> loop_ = std::make_unique<NodeLoop>(timeline_, clock_);
  std::string ran_;
};

TEST_F(NodeLoopTest, TasksRunInOrderAtTheEndOfTheirTurn) {
  loop_->post(1s, [&] {
    loop_->defer([&] {
      ran_ += 'b';
      loop_->defer(add('d'));
    });
    loop_->defer(add('c'));
    ran_ += 'a';
  });
  loop_->post(1s, add('e'));
  timeline_.run_until(1s);
  EXPECT_EQ(ran_, "abcde");
}

TEST_F(NodeLoopTest, TasksFromOutsideOfATurnGetOne) {
  loop_->defer(add('a'));
  loop_->defer(add('b'));
  EXPECT_EQ(ran_, "");
  timeline_.run_until(0s);
  EXPECT_EQ(ran_, "ab");
}

TEST_F(NodeLoopTest, TimersOfOneMomentFireInTheOrderOfTheirStart) {
  loop_->start_timer(2s, add('c'));
  loop_->start_timer(1s, add('a'));
  const TimerId stopped = loop_->start_timer(1s, add('x'));
  loop_->start_timer(1s, add('b'));
  loop_->stop_timer(stopped);
  loop_->stop_timer(stopped);
  loop_->stop_timer(0);
  timeline_.run_until(10s);
  EXPECT_EQ(ran_, "abc");
}

TEST_F(NodeLoopTest, ATimerStartedByATimerWaitsForTheNextTurn) {
  loop_->start_timer(1s, [&] {
    loop_->start_timer(0s, add('d'));
    loop_->defer(add('b'));
    ran_ += 'a';
  });
  loop_->start_timer(1s, add('c'));
  timeline_.run_until(2s);
  EXPECT_EQ(ran_, "abcd");
}

TEST_F(NodeLoopTest, ATimerWithoutAWaitDoesNotStopTheWorld) {
  int fired = 0;
  const std::function<void()> again = [&] {
    ++fired;
    loop_->start_timer(0s, again);
  };
  loop_->start_timer(-1s, again);
  timeline_.run_until(1ms);
  EXPECT_GT(fired, 100);
}

TEST_F(NodeLoopTest, TimersGoByTheClockOfTheirMachine) {
  const NodeClock slow(timeline_, {.drift_ppm = -500'000});
  NodeLoop loop(timeline_, slow);
  SimTime fired{};
  loop.start_timer(10s, [&] { fired = timeline_.now(); });
  timeline_.run_until(1min);
  EXPECT_EQ(fired, 20s);
}

TEST_F(NodeLoopTest, AStoppedProcessDoesIoFirstWhenItWakesInItsWait) {
  loop_->start_timer(2s, add('c'));
  loop_->post(3s, add('a'));
  loop_->post(4s, add('b'));
  loop_->post(5s, add('d'));  // of the very moment, but after what came before it
  timeline_.run_until(1s);
  loop_->suspend(5s, true);
  EXPECT_TRUE(loop_->suspended());
  timeline_.run_until(4s);
  EXPECT_EQ(ran_, "");
  EXPECT_EQ(clock_.now(), Instant{4s});
  timeline_.run_until(5s);
  EXPECT_FALSE(loop_->suspended());
  EXPECT_EQ(ran_, "abdc");
}

TEST_F(NodeLoopTest, AStoppedProcessFiresTimersFirstWhenItWasComputing) {
  loop_->start_timer(3s, add('b'));
  loop_->start_timer(2s, add('a'));
  loop_->post(1s, add('c'));
  loop_->suspend(5s, false);
  timeline_.run_until(5s);
  EXPECT_EQ(ran_, "abc");
}

TEST_F(NodeLoopTest, AHeldTimerCanStillBeStopped) {
  const TimerId timer = loop_->start_timer(1s, add('x'));
  loop_->post(2s, [&] { loop_->stop_timer(timer); });
  loop_->suspend(5s, true);
  timeline_.run_until(9s);
  EXPECT_EQ(ran_, "");
}

TEST_F(NodeLoopTest, TasksOfAStoppedProcessWait) {
  loop_->suspend(5s, true);
  loop_->defer(add('a'));
  timeline_.run_until(4s);
  EXPECT_EQ(ran_, "");
  timeline_.run_until(5s);
  EXPECT_EQ(ran_, "a");
}

TEST_F(NodeLoopTest, OfTwoSuspensionsTheLaterEndCounts) {
  loop_->post(1s, add('a'));
  loop_->suspend(5s, true);
  loop_->suspend(3s, true);
  timeline_.run_until(4s);
  EXPECT_EQ(ran_, "");
  loop_->suspend(8s, true);
  timeline_.run_until(7s);
  EXPECT_EQ(ran_, "");
  timeline_.run_until(8s);
  EXPECT_EQ(ran_, "a");
}

TEST_F(NodeLoopTest, ASuspensionOutOfWhatWasHeldHoldsTheRest) {
  loop_->post(1s, [&] {
    ran_ += 'a';
    loop_->suspend(9s, true);
  });
  loop_->post(2s, add('b'));
  loop_->suspend(5s, true);
  timeline_.run_until(8s);
  EXPECT_EQ(ran_, "a");
  timeline_.run_until(9s);
  EXPECT_EQ(ran_, "ab");
}

TEST_F(NodeLoopTest, NothingRunsAfterDeath) {
  loop_->post(1s, add('x'));
  loop_->start_timer(1s, add('x'));
  loop_->defer(add('x'));
  loop_->suspend(2s, true);
  loop_.reset();
  timeline_.run_until(9s);
  EXPECT_EQ(ran_, "");
}

TEST_F(NodeLoopTest, AProcessMayDieInItsOwnTurnTaskOrTimer) {
  for (const int way : {0, 1, 2, 3}) {
    loop_ = std::make_unique<NodeLoop>(timeline_, clock_);
    const auto die = [&] {
      loop_->defer(add('x'));
      loop_.reset();
    };
    if (way == 0) loop_->post(timeline_.now(), die);
    if (way == 1) loop_->defer(die);
    if (way == 2) loop_->start_timer(1s, die);
    if (way == 3) {
      loop_->suspend(timeline_.now() + 1s, true);
      loop_->post(timeline_.now(), die);
    }
    loop_->post(timeline_.now() + 1s, add('x'));
    timeline_.run_until(timeline_.now() + 5s);
    EXPECT_EQ(ran_, "") << way;
  }
}

TEST_F(NodeLoopTest, WhatCallbacksHoldGoesWhileTheLoopStillWorks) {
  bool dropped = false;
  {
    NodeLoop loop(timeline_, clock_);
    const TimerId other = loop.start_timer(1s, add('x'));
    const auto on_drop = [&, other](void*) {
      loop.stop_timer(other);
      loop.defer(add('x'));
      loop.start_timer(1s, add('x'));
      dropped = true;
    };
    loop.start_timer(1s, [held = std::shared_ptr<void>(nullptr, on_drop)] {});
  }
  timeline_.run_until(5s);
  EXPECT_TRUE(dropped);
  EXPECT_EQ(ran_, "");
}

}  // namespace
}  // namespace sluice::sim
