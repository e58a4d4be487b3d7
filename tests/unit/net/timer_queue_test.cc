// Aim: timers come out by due time, then by start; a pass never hands out what was started during it.
//
// Method: times are plain numbers; each callback appends its name.
#include "net/timer_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "base/time.h"

namespace sluice::net {
namespace {

Instant at(int nanoseconds) {
  return Instant{Duration{nanoseconds}};
}

struct TimerQueueTest : testing::Test {
  TimerQueue queue;
  std::string fired;

  std::function<void()> name(char letter) {
    return [this, letter] { fired += letter; };
  }
  void fire_due(Instant now) {
    const TimerId newest = queue.newest();
    while (const auto fire = queue.take_due(now, newest)) fire();
  }
};

TEST_F(TimerQueueTest, OrdersByTimeThenByStart) {
  queue.add(at(20), name('c'));
  queue.add(at(10), name('a'));
  queue.add(at(20), name('d'));
  queue.add(at(10), name('b'));
  queue.add(at(21), name('x'));
  EXPECT_EQ(queue.earliest(), at(10));
  fire_due(at(9));
  EXPECT_EQ(fired, "");
  fire_due(at(20));
  EXPECT_EQ(fired, "abcd");
  EXPECT_EQ(queue.earliest(), at(21));
}

TEST_F(TimerQueueTest, RemovesOnlyWhatWaits) {
  const TimerId a = queue.add(at(1), name('a'));
  const TimerId b = queue.add(at(1), name('b'));
  queue.remove(a);
  queue.remove(a);
  queue.remove(0);
  queue.remove(b + 1);
  fire_due(at(1));
  queue.remove(b);
  EXPECT_EQ(fired, "b");
  EXPECT_EQ(queue.earliest(), std::nullopt);
}

TEST_F(TimerQueueTest, WhatAPassStartsWaitsForTheNext) {
  queue.add(at(5), [&] {
    name('a')();
    queue.add(at(5), name('b'));
  });
  fire_due(at(5));
  EXPECT_EQ(fired, "a");
  fire_due(at(5));
  EXPECT_EQ(fired, "ab");
}

TEST_F(TimerQueueTest, ACallbackMayRemoveItsNeighboursAndItself) {
  TimerId self = 0;
  TimerId neighbour = 0;
  self = queue.add(at(1), [&] {
    queue.remove(self);
    queue.remove(neighbour);
  });
  neighbour = queue.add(at(1), name('x'));
  fire_due(at(1));
  EXPECT_EQ(fired, "");
}

TEST_F(TimerQueueTest, WhatARemovedCallbackHoldsMayRemoveTimersToo) {
  const TimerId other = queue.add(at(1), name('x'));
  std::shared_ptr<int> holder(new int{0}, [&](const int* p) {
    delete p;
    queue.remove(other);
  });
  const TimerId held = queue.add(at(1), [holder] {});
  holder.reset();
  queue.remove(held);
  EXPECT_EQ(queue.earliest(), std::nullopt);
}

}  // namespace
}  // namespace sluice::net
