// Aim: a request is asked again when, and only when, the server said that it had not carried it out, and once
// for each reason: an unknown script, another history, a calendar that the time has left.
//
// Method: as in redis_store_test.cc.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {
namespace {

TEST_F(RedisStoreTest, SendsTheWholeScriptIfTheNameIsUnknown) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  const Command first = heard_one();
  say(kNoScript);
  Command again = heard_one();
  EXPECT_EQ(again[0], "EVAL");
  EXPECT_EQ(again[1], scripts[Script::lease].source);
  again[0] = "EVALSHA";
  again[1] = first[1];
  EXPECT_EQ(again, first);
  EXPECT_TRUE(sink.outcomes.empty());
  say(answer(kDone, 6));
  EXPECT_EQ(error_of(1), std::nullopt);
  EXPECT_EQ(store->counters().asked_again, 1U);
  EXPECT_EQ(log.take(), Lines{});
}

TEST_F(RedisStoreTest, SendsAScriptWholeOnceForManyRequests) {
  serve();
  for (std::uint64_t tag = 1; tag <= 3; ++tag) EXPECT_FALSE(lease(tag).has_value());
  static_cast<void>(heard());
  say(std::string(kNoScript) + std::string(kNoScript) + std::string(kNoScript));
  const auto commands = heard();
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0][0], "EVAL");
  EXPECT_EQ(commands[1][0], "EVALSHA");
  EXPECT_EQ(commands[2][0], "EVALSHA");
  say(answer(kDone) + answer(kDone) + answer(kDone));
  EXPECT_EQ(sink.outcomes.size(), 3U);
}

TEST_F(RedisStoreTest, AnUnknownScriptIsSentWholeOnlyOnce) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  say(kNoScript);
  static_cast<void>(heard());
  say(kNoScript);
  EXPECT_EQ(error_of(1), StoreError::unavailable);
  EXPECT_EQ(log.take().size(), 1U);
  EXPECT_TRUE(heard().empty());
  // The next one begins anew.
  EXPECT_FALSE(lease(2).has_value());
  static_cast<void>(heard());
  say(kNoScript);
  EXPECT_EQ(heard_one()[0], "EVAL");
}

TEST_F(RedisStoreTest, AttachesOnceForAllThatBelongToAnotherHistory) {
  serve();
  const Generation before = store->generation_of("");
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(lease(2).has_value());
  static_cast<void>(heard());
  say(answer(kOtherLineage) + answer(kOtherLineage));
  const Command attach = heard_one();
  EXPECT_EQ(attach[1], sha(Script::attach));
  EXPECT_EQ(store->in_flight(), 2U);
  EXPECT_FALSE(lease(3).has_value());  // in the old history still, and so behind the attach
  static_cast<void>(heard());

  say(attached(2, "run2"));
  EXPECT_NE(store->generation_of(""), before);
  EXPECT_EQ(log.take(), Lines{"serving, new history"});
  auto commands = heard();
  ASSERT_EQ(commands.size(), 2U);
  for (const Command& command : commands) {
    EXPECT_EQ(command[5], "2");
    EXPECT_EQ(command[6], "run2");
  }
  say(answer(kOtherLineage));  // to the third: no reason to attach once more
  commands = heard();
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0][1], sha(Script::lease));
  EXPECT_EQ(commands[0][6], "run2");
  say(answer(kDone) + answer(kDone) + answer(kDone));
  ASSERT_EQ(sink.outcomes.size(), 3U);
  for (const auto& [tag, outcome] : sink.outcomes) {
    EXPECT_FALSE(outcome.error.has_value());
    EXPECT_EQ(outcome.grant.generation, store->generation_of(""));
  }
  EXPECT_EQ(store->counters().attaches, 2U);
  EXPECT_EQ(store->counters().histories, 2U);
}

TEST_F(RedisStoreTest, IsAskedInAnotherHistoryOnlyOnce) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  say(answer(kOtherLineage));
  say(attached(2, "run"));
  say(answer(kOtherLineage));
  EXPECT_EQ(error_of(1), StoreError::unavailable);
  EXPECT_EQ(store->in_flight(), 0U);
}

TEST_F(RedisStoreTest, TokensDoNotCrossHistories) {
  serve();
  EXPECT_FALSE(give_back(1, store->generation_of("")).has_value());
  EXPECT_FALSE(give_back(2, 0).has_value());
  say(answer(kOtherLineage) + answer(kOtherLineage));
  static_cast<void>(heard());
  say(attached(2, "run"));
  EXPECT_EQ(error_of(1), StoreError::unavailable);
  EXPECT_EQ(store->counters().stale, 1U);
  EXPECT_EQ(heard().size(), 1U);  // the refund, which belongs to none
  say(answer(kDone));
  EXPECT_EQ(error_of(2), std::nullopt);
}

TEST_F(RedisStoreTest, WhatWaitsForAnAttachFailsWithTheConnection) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  say(answer(kOtherLineage));
  EXPECT_FALSE(lease(2).has_value());
  connector.wire().events->on_end();
  EXPECT_EQ(error_of(1), StoreError::unavailable) << "it is known that it was not carried out";
  EXPECT_EQ(error_of(2), StoreError::unknown);
  EXPECT_EQ(store->in_flight(), 0U);
  reconnect();
  say(attached(2, "run"));
  EXPECT_TRUE(store->serving());
}

TEST_F(RedisStoreTest, WhatWaitsForAnAttachFailsWithTheAttach) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  say(answer(kOtherLineage));
  say("-OOM no\r\n");
  EXPECT_EQ(error_of(1), StoreError::unavailable);
  EXPECT_EQ(log.take(), (Lines{"oom: OOM no", "lost: attaching failed: OOM no"}));
}

TEST_F(RedisStoreTest, SendsTheCivilWindowsOfTheServersTime) {
  const auto daily = limiter::Limit::make({.algorithm = limiter::Algorithm::fixed_window,
                                           .count = 10,
                                           .calendar = limiter::CalendarUnit::day,
                                           .zone = limiter::load_calendar("Europe/Berlin").value()});
  ASSERT_TRUE(daily.has_value());
  serve();
  EXPECT_FALSE(lease(1, &*daily).has_value());
  const std::string at_first = heard_one()[11];
  // The first one by what attaching said, which is years from this process's own clock.
  std::istringstream boundaries(at_first);
  std::int64_t previous = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  boundaries >> previous >> begin >> end;
  EXPECT_LE(begin * 1'000'000, kNowUs);
  EXPECT_GT(end * 1'000'000, kNowUs);
  constexpr std::int64_t kTwoDaysUs = 2 * 86'400'000'000;
  say(answer(kOutsideCalendar, 0, kNowUs + kTwoDaysUs));
  const std::string then = heard_one()[11];
  EXPECT_NE(then, at_first);
  say(answer(kDone, 6, kNowUs + kTwoDaysUs));
  EXPECT_EQ(error_of(1), std::nullopt);

  // What an answer said is remembered, and the time since added.
  EXPECT_FALSE(lease(2, &*daily).has_value());
  EXPECT_EQ(heard_one()[11], then);
  say(answer(kDone, 6, kNowUs + kTwoDaysUs));
  loop.advance(std::chrono::hours{24});
  EXPECT_FALSE(lease(3, &*daily).has_value());
  EXPECT_NE(heard_one()[11], then);
  say(answer(kOutsideCalendar, 0, kNowUs));
  say(answer(kOutsideCalendar, 0, kNowUs));
  EXPECT_EQ(error_of(3), StoreError::unavailable);
}

}  // namespace
}  // namespace sluice::store::redis
