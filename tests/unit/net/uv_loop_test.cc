// Aim: the promises of base/loop.h and net/uv_loop.h on timers, deferred tasks, signals and the clock.
//
// Method: callbacks write letters; time is compared with the real monotonic clock, only ever as "not
// before". A run that would wait for good is ended by the watchdog of run_until, and fails.
#include "net/uv_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGHUP is POSIX, not C++
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "net/listen.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Duration steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

struct UvLoopTest : testing::Test {
  UvLoop loop;
  std::string order;

  std::function<void()> letter(char c) {
    return [this, c] { order += c; };
  }
};

TEST_F(UvLoopTest, TimersAreNeverEarlyByAnyClock) {
  constexpr int kTimers = 400;
  int fired = 0;
  int early = 0;
  const auto start = [&](Duration after) {
    const Duration due = steady_now() + after;
    const Instant due_on_loop = loop.clock().now() + after;
    loop.start_timer(after, [&, due, due_on_loop] {
      ++fired;
      if (steady_now() < due || loop.clock().now() < due_on_loop) ++early;
    });
  };
  // Some from outside, some late in a turn that has used up time, in steps that are no whole milliseconds.
  for (int i = 0; i < kTimers / 2; ++i) start(microseconds{37} * i);
  for (int i = 0; i < kTimers / 2; ++i) {
    loop.start_timer(microseconds{53} * i, [&, i] {
      const Duration until = steady_now() + microseconds{i};
      while (steady_now() < until) {
      }
      start(microseconds{29} * i);
    });
  }
  EXPECT_TRUE(run_until(loop, [&] { return fired == kTimers; }));
  EXPECT_EQ(early, 0);
}

TEST_F(UvLoopTest, TimersFireByDueTimeAndThoseOfOneMomentByStart) {
  loop.start_timer(milliseconds{20}, letter('d'));
  loop.start_timer(milliseconds{5}, letter('a'));
  loop.start_timer(milliseconds{10}, letter('b'));
  loop.start_timer(milliseconds{10}, letter('c'));
  EXPECT_TRUE(run_until(loop, [&] { return order.size() == 4; }));
  EXPECT_EQ(order, "abcd");
}

TEST_F(UvLoopTest, AnEarlierTimerOvertakesTheAlarmOfALaterOne) {
  loop.start_timer(std::chrono::hours{24 * 365 * 200}, letter('x'));
  loop.start_timer(Duration::max(), letter('x'));
  loop.start_timer(milliseconds{2}, letter('a'));
  loop.start_timer(Duration{-5}, letter('0'));
  EXPECT_TRUE(run_until(loop, [&] { return order.size() == 2; }));
  EXPECT_EQ(order, "0a");
}

TEST_F(UvLoopTest, StoppedTimersDoNotFire) {
  const TimerId first = loop.start_timer(milliseconds{1}, letter('x'));
  loop.stop_timer(first);
  loop.stop_timer(first);
  loop.stop_timer(0);
  TimerId self = 0;
  TimerId neighbour = 0;
  self = loop.start_timer(milliseconds{2}, [&] {
    loop.stop_timer(self);
    loop.stop_timer(neighbour);
    order += 'a';
  });
  neighbour = loop.start_timer(milliseconds{2}, letter('x'));
  loop.start_timer(milliseconds{3}, letter('b'));
  EXPECT_TRUE(run_until(loop, [&] { return order.ends_with('b'); }));
  EXPECT_EQ(order, "ab");
}

TEST_F(UvLoopTest, ATimerStartedByATimerFiresInALaterTurn) {
  loop.start_timer(Duration{0}, [&] {
    loop.start_timer(Duration{0}, [&] {
      order += 'b';
      loop.stop();
    });
    loop.defer(letter('a'));  // runs at the end of this turn
  });
  loop.run();
  EXPECT_EQ(order, "ab");
}

TEST_F(UvLoopTest, TimersThatRestartThemselvesDoNotShutOutTheRest) {
  const std::function<void()> again = [&] { loop.start_timer(Duration{0}, again); };
  again();
  int turns = 0;
  EXPECT_TRUE(run_until(loop, [&] { return ++turns == 5; }));
}

TEST_F(UvLoopTest, TasksRunInOrderBeforeTheLoopWaits) {
  // With no timer and no I/O, a loop that waited before its tasks would wait for good.
  loop.defer([&] {
    order += 'a';
    loop.defer([&] {
      order += 'c';
      loop.defer([&] {
        order += 'd';
        loop.stop();
      });
    });
  });
  loop.defer(letter('b'));
  loop.run();
  EXPECT_EQ(order, "abcd");
}

TEST_F(UvLoopTest, TasksOfATimerRunInItsTurn) {
  loop.start_timer(milliseconds{1}, [&] {
    loop.defer([&] { loop.defer([&] { loop.stop(); }); });
    loop.defer(letter('b'));
    order += 'a';
  });
  loop.run();
  EXPECT_EQ(order, "ab");
}

TEST_F(UvLoopTest, TasksOfAnIoCallbackRunInItsTurn) {
  const TempDir directory;
  Collector accepted;
  const auto listener = listen_unix(loop, {.path = directory / "s"}, accepted);
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  accepted.hook = [&] {
    loop.defer([&] { loop.stop(); });
    order += 'a';
  };
  const Client client = connect_to((*listener)->address());
  loop.run();
  EXPECT_EQ(order, "a");
}

TEST_F(UvLoopTest, StopEndsTheRunAfterTheTasksAndTheLoopRunsAgain) {
  loop.start_timer(milliseconds{1}, [&] {
    loop.stop();
    loop.defer([&] {
      order += 'a';
      loop.defer(letter('b'));
    });
  });
  loop.run();
  EXPECT_EQ(order, "ab");

  loop.defer([&] {
    order += 'c';
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(order, "abc");

  loop.defer(letter('d'));
  loop.stop();
  loop.run();  // must not wait
  EXPECT_EQ(order, "abcd");
}

TEST_F(UvLoopTest, TheClockStandsStillWithinATurnAndMovesBetweenTurns) {
  Instant first;
  Instant second;
  loop.start_timer(milliseconds{1}, [&] {
    const Instant before = loop.clock().now();
    const Duration until = steady_now() + milliseconds{2};
    while (steady_now() < until) {
    }
    EXPECT_EQ(loop.clock().now(), before);
    first = before;
    loop.start_timer(milliseconds{1}, [&] {
      second = loop.clock().now();
      loop.stop();
    });
  });
  loop.run();
  EXPECT_GE(second - first, milliseconds{3});
  // Outside of run() it moves always.
  const Instant before = loop.clock().now();
  while (loop.clock().now() == before) {
  }
}

TEST_F(UvLoopTest, TheWallClockIsTheSystems) {
  const WallTime before = std::chrono::system_clock::now();
  const WallTime now = loop.clock().wall_now();
  EXPECT_LE(before - std::chrono::seconds{1}, now);
  EXPECT_LE(now, std::chrono::system_clock::now() + std::chrono::seconds{1});
}

TEST_F(UvLoopTest, SignalsArriveEachTime) {
  int hups = 0;
  int users = 0;
  loop.on_signal(SIGHUP, [&] { ++hups; });
  loop.on_signal(SIGUSR1, [&] { ++users; });
  ::raise(SIGHUP);
  EXPECT_TRUE(run_until(loop, [&] { return hups == 1; }));
  ::raise(SIGHUP);
  ::raise(SIGUSR1);
  EXPECT_TRUE(run_until(loop, [&] { return hups == 2 && users == 1; }));
}

TEST_F(UvLoopTest, SigpipeDoesNotKill) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  ::close(ends[1]);
}

TEST(UvLoopEndTest, ALoopMayEndWithTimersAndTasksWaiting) {
  const auto witness = std::make_shared<int>(0);
  bool called = false;
  {
    UvLoop loop;
    loop.on_signal(SIGUSR2, [witness] {});
    loop.start_timer(milliseconds{1}, [&, witness] { called = true; });
    // What a callback holds may still use the loop while it is dropped.
    std::shared_ptr<int> user(new int{0}, [&](const int* p) {
      delete p;
      loop.stop_timer(loop.start_timer(milliseconds{1}, [witness] {}));
      loop.defer([&, witness] { called = true; });
    });
    loop.defer([user] {});
    user.reset();
  }
  EXPECT_FALSE(called);
  EXPECT_EQ(witness.use_count(), 1);
}

}  // namespace
}  // namespace sluice::net
