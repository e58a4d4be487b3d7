// Aim: events run in the order of their time, equal ones in the order in which they were added, cancelled
// ones never, and time stands where it was told to. Method: events write letters into a string.
#include "sim/core/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/draw.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

TEST(Timeline, RunsByTimeThenByOrderOfBeingAdded) {
  Timeline timeline;
  std::string ran;
  timeline.at(2s, [&] { ran += 'c'; });
  timeline.at(1s, [&] { ran += 'a'; });
  timeline.at(2s, [&] { ran += 'd'; });
  timeline.at(1s, [&] { ran += 'b'; });
  timeline.at(2s + 1ns, [&] { ran += 'e'; });
  timeline.run_until(2s);
  EXPECT_EQ(ran, "abcd");
  EXPECT_EQ(timeline.now(), 2s);
  EXPECT_EQ(timeline.events_run(), 4U);
  timeline.run_until(5s);
  EXPECT_EQ(ran, "abcde");
  EXPECT_EQ(timeline.now(), 5s);
}

TEST(Timeline, EventsAddEventsAndThePastIsNow) {
  Timeline timeline;
  std::vector<SimTime> at;
  timeline.at(3s, [&] {
    timeline.at(1s, [&] { at.push_back(timeline.now()); });
    timeline.after(1s, [&] { at.push_back(timeline.now()); });
  });
  timeline.run_until(3s);
  timeline.run_until(1s);  // does not go back
  EXPECT_EQ(timeline.now(), 3s);
  timeline.run_until(10s);
  EXPECT_EQ(at, (std::vector<SimTime>{3s, 4s}));
}

TEST(Timeline, CancelledNeverRunsAndOldIdsNameNobodyElse) {
  Timeline timeline;
  std::string ran;
  const auto first = timeline.at(1s, [&] { ran += 'a'; });
  const auto second = timeline.at(1s, [&] { ran += 'b'; });
  timeline.cancel(first);
  timeline.at(1s, [&] { ran += 'c'; });  // may live where the first one did
  timeline.cancel(first);
  timeline.cancel(0);
  timeline.run_until(1s);
  EXPECT_EQ(ran, "bc");
  timeline.at(2s, [&] { ran += 'd'; });
  timeline.cancel(second);  // has run
  timeline.run_until(2s);
  EXPECT_EQ(ran, "bcd");
}

TEST(Timeline, AnActMayCancelItselfAndLaterOnes) {
  Timeline timeline;
  int ran = 0;
  Timeline::EventId own = 0;
  const auto later = timeline.at(2s, [&] { ++ran; });
  own = timeline.at(1s, [&] {
    ++ran;
    timeline.cancel(own);
    timeline.cancel(later);
  });
  timeline.run_until(9s);
  EXPECT_EQ(ran, 1);
}

TEST(Timeline, WhatACancelledActHoldsMayCancelOthers) {
  Timeline timeline;
  bool ran = false;
  const auto other = timeline.at(1s, [&] { ran = true; });
  const auto on_drop = [&](void*) { timeline.cancel(other); };
  const auto event = timeline.at(1s, [held = std::shared_ptr<void>(nullptr, on_drop)] {});
  timeline.cancel(event);
  timeline.run_until(1s);
  EXPECT_FALSE(ran);
}

TEST(Timeline, ManyCancelledOnesChangeNoOrder) {
  // Far more cancelled than live ones, so that the queue is swept; what is left must run as if it were not.
  Timeline timeline;
  Draw draw(7);
  std::vector<std::pair<SimTime, int>> expected;
  std::vector<std::pair<SimTime, int>> ran;
  for (int i = 0; i < 50'000; ++i) {
    const SimTime when = draw.between(0ms, 20ms);
    const auto event = timeline.at(when, [&, i] { ran.emplace_back(timeline.now(), i); });
    if (draw.one_in(10)) {
      expected.emplace_back(when, i);
    } else {
      timeline.cancel(event);
    }
  }
  std::ranges::sort(expected);
  timeline.run_until(1s);
  EXPECT_EQ(ran, expected);
}

TEST(TimelineDeathTest, AssertsOnALoopThatNeverEnds) {
  Timeline timeline;
  const std::function<void()> again = [&] { timeline.after(0s, again); };
  again();
  EXPECT_DEATH(timeline.run_until(1s), "in_this_moment");
}

TEST(Timeline, IsThereWhileItsLastActsAreDropped) {
  int dropped = 0;
  {
    Timeline timeline;
    const auto other = timeline.at(1s, [] {});
    const auto on_drop = [&, other](void*) {
      timeline.cancel(other);
      ++dropped;
    };
    timeline.at(2s, [held = std::shared_ptr<void>(nullptr, on_drop)] {});
  }
  EXPECT_EQ(dropped, 1);
}

}  // namespace
}  // namespace sluice::sim
