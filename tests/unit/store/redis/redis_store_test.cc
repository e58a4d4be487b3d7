// Aim: the RedisStore serves from attaching until its connection is down, sends what the scripts take, passes
// their answers on, and says of each way to fail whether something may have been debited.
//
// Method: a fake connection. What is asked again, and when, is in redis_store_again_test.cc.
#include "store/redis/redis_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST_F(RedisStoreTest, IsUnavailableUntilItHasAttached) {
  start();
  EXPECT_EQ(lease(1).value().error, StoreError::unavailable);
  connect();
  EXPECT_EQ(lease(2).value().error, StoreError::unavailable);
  EXPECT_FALSE(store->serving());
  EXPECT_EQ(store->generation_of("rule:x"), 0U);
  const Command attach = heard_one();
  ASSERT_EQ(attach.size(), 10U);
  EXPECT_EQ(Command(attach.begin(), attach.begin() + 4),
            (Command{"EVALSHA", sha(Script::attach), "1", "sluice:@meta"}));
  EXPECT_EQ(attach[4], store->self());
  EXPECT_EQ(attach[6].size(), 16U);
  EXPECT_EQ(attach[6].find_first_not_of("0123456789abcdef"), std::string::npos);
  say(attached(1, "run"));
  EXPECT_TRUE(store->serving());
  EXPECT_NE(store->generation_of("rule:x"), 0U);
  EXPECT_EQ(log.generation, store->generation_of("rule:x"));
  EXPECT_FALSE(lease(3).has_value());
  EXPECT_EQ(store->counters().refused, 2U);
  EXPECT_EQ(store->counters().attaches, 1U);
  EXPECT_EQ(store->counters().histories, 1U);
}

TEST_F(RedisStoreTest, GenerationsAreEqualForEqualLineages) {
  serve();
  const Generation first = store->generation_of("");
  store->drop("test");
  loop.turn();
  EXPECT_EQ(store->generation_of(""), 0U);
  EXPECT_EQ(log.take(), Lines{"lost: test"});
  reconnect();
  say(attached(1, "run"));
  EXPECT_EQ(store->generation_of(""), first);
  EXPECT_EQ(log.take(), Lines{"serving"});
  for (const auto& [generation, run] : std::vector<std::pair<int, std::string>>{{2, "run"}, {1, "run2"}}) {
    store->drop("test");
    reconnect();
    say(attached(generation, run));
    EXPECT_NE(store->generation_of(""), first);
    EXPECT_EQ(log.take().back(), "serving, new history");
  }
}

TEST_F(RedisStoreTest, AttachesWithTheWholeScriptIfTheNameIsUnknown) {
  start();
  connect();
  static_cast<void>(heard());
  say(kNoScript);
  const Command again = heard_one();
  EXPECT_EQ(again[0], "EVAL");
  EXPECT_EQ(again[1], scripts[Script::attach].source);
  EXPECT_EQ(again[3], "sluice:@meta");
  say(attached(1, "run"));
  EXPECT_TRUE(store->serving());
  EXPECT_EQ(log.take(), Lines{"serving"});
  EXPECT_EQ(store->counters().errors[ErrorKind::noscript], 1U);
}

TEST_F(RedisStoreTest, AFailedAttachIsAFailedAttempt) {
  for (const auto& [error, line] : std::vector<std::pair<std::string, std::string>>{
           {"-NOPERM no permissions\r\n", "auth: NOPERM no permissions"},
           {"-READONLY a replica\r\n", "readonly: READONLY a replica"},
           {"-NOSCRIPT x\r\n-NOSCRIPT x\r\n", "noscript: NOSCRIPT x"}}) {
    start();
    connect();
    for (std::size_t at = 0; at < error.size(); at = error.find("\r\n", at) + 2)
      say(error.substr(at, error.find("\r\n", at) + 2 - at));
    const auto lines = log.take();
    ASSERT_EQ(lines.size(), 2U) << error;
    EXPECT_EQ(lines[0], line);
    EXPECT_TRUE(lines[1].starts_with("failed: attaching failed: ")) << lines[1];
    reconnect();
    say(attached(1, "run"));
    EXPECT_EQ(log.take(), Lines{"serving"});
  }
  start();
  connect();
  say(":1\r\n");
  EXPECT_EQ(log.take().size(), 2U);
  EXPECT_FALSE(store->serving());
}

TEST_F(RedisStoreTest, AnAttachWithoutAnswerIsAFailedAttempt) {
  start();
  connect();
  loop.advance(kTimeout);
  EXPECT_EQ(log.take(), Lines{"failed: no answer to attaching"});
  reconnect();
  say(attached(1, "run"));
  EXPECT_EQ(log.take(), Lines{"serving"});
}

TEST_F(RedisStoreTest, SendsEachRequestAsItsScript) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(store->peek("rule:y", limit, 2, 2).has_value());
  EXPECT_FALSE(give_back(3, store->generation_of("")).has_value());
  EXPECT_FALSE(give_back(4, 0).has_value());
  EXPECT_FALSE(store->reset("rule:x", limit, 5).has_value());
  EXPECT_EQ(store->in_flight(), 5U);
  const auto commands = heard();
  ASSERT_EQ(commands.size(), 5U);
  const std::vector<Script> order = {Script::lease, Script::peek, Script::give_back, Script::give_back,
                                     Script::reset};
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(commands[i][0], "EVALSHA");
    EXPECT_EQ(commands[i][1], sha(order[i]));
    EXPECT_EQ(commands[i][2], "2");
    EXPECT_EQ(commands[i][3], i == 1 ? "sluice:rule:y" : "sluice:rule:x");
    EXPECT_EQ(commands[i][4], "sluice:@meta");
    EXPECT_EQ(commands[i][5], "1");
    EXPECT_EQ(commands[i][6], "run");
    EXPECT_EQ(commands[i][7], "") << "the server has a clock";
  }
  for (int i = 1; i <= 5; ++i) say(answer(kDone, i));
  EXPECT_EQ(store->in_flight(), 0U);
  ASSERT_EQ(sink.outcomes.size(), 5U);
  for (const auto& [tag, outcome] : sink.outcomes) {
    EXPECT_FALSE(outcome.error.has_value());
    EXPECT_EQ(outcome.grant.granted_needs, static_cast<std::int64_t>(tag));
    EXPECT_EQ(outcome.grant.granted_extra, 2);
    EXPECT_EQ(outcome.grant.generation, store->generation_of(""));
    EXPECT_EQ(outcome.grant.seq, 41U);
    EXPECT_EQ(outcome.grant.granted_at, WallTime{microseconds{kNowUs}});
  }
  EXPECT_EQ(store->counters().requests, 5U);
  EXPECT_EQ(store->counters().connection.commands, 6U);
}

TEST_F(RedisStoreTest, SendsItsOwnTimeToAServerWithoutAClock) {
  start();
  connect();
  say(attached(1, "run", 0));
  static_cast<void>(heard());
  EXPECT_FALSE(lease(1).has_value());
  const auto us = std::chrono::floor<microseconds>(loop.clock().wall_now()).time_since_epoch().count();
  EXPECT_EQ(heard_one()[7], std::to_string(us));
  loop.manual_clock().step_wall(-std::chrono::hours{1});
  EXPECT_FALSE(lease(2).has_value());
  EXPECT_EQ(heard_one()[7], std::to_string(us)) << "went back";
}

TEST_F(RedisStoreTest, ErrorsMeanThatNothingWasDone) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(lease(2).has_value());
  EXPECT_FALSE(lease(3).has_value());
  say("-OOM command not allowed\r\n-SLUICEFOREIGN not ours\r\n-BUSY x\r\n");
  EXPECT_EQ(error_of(1), StoreError::unavailable);
  EXPECT_EQ(error_of(2), StoreError::foreign);
  EXPECT_EQ(error_of(3), StoreError::unavailable);
  EXPECT_EQ(log.take(),
            (Lines{"oom: OOM command not allowed", "wrong_type: SLUICEFOREIGN not ours", "busy: BUSY x"}));
  EXPECT_EQ(store->counters().errors[ErrorKind::oom], 1U);
  EXPECT_EQ(store->counters().errors[ErrorKind::wrong_type], 1U);
  EXPECT_EQ(store->counters().lost, 0U);
  EXPECT_TRUE(store->serving());
}

TEST_F(RedisStoreTest, AServerInTroubleIsAskedSeldomAndAgainWhenItIsWell) {
  serve();
  std::uint64_t tag = 1;
  std::size_t sent = 0;
  for (int second = 0; second < 10; ++second) {
    for (int i = 0; i < 1000; ++i) {
      if (const auto outcome = lease(tag++)) {
        EXPECT_EQ(outcome->error, StoreError::unavailable);
      } else {
        ++sent;
        say("-OOM command not allowed\r\n");
      }
      loop.advance(std::chrono::milliseconds{1});
    }
  }
  EXPECT_LE(sent, 30U) << "10,000 were asked for";
  EXPECT_GE(sent, 10U);
  EXPECT_TRUE(store->serving());
  loop.advance(std::chrono::seconds{2});
  static_cast<void>(heard());
  EXPECT_FALSE(lease(tag).has_value());
  say(answer(kDone, 6));
  EXPECT_FALSE(error_of(tag).has_value());
  EXPECT_FALSE(lease(tag + 1).has_value());
  EXPECT_FALSE(lease(tag + 2).has_value());
}

TEST_F(RedisStoreTest, LeavesAReplica) {
  for (const std::string error : {"READONLY You can't write", "ERR Error running script: -READONLY x",
                                  "MASTERDOWN Link with MASTER is down"}) {
    serve();
    sink.outcomes.clear();
    EXPECT_FALSE(lease(1).has_value());
    EXPECT_FALSE(lease(2).has_value());
    static_cast<void>(heard());
    say("-" + error + "\r\n");
    EXPECT_EQ(error_of(1), StoreError::unavailable);
    EXPECT_EQ(error_of(2), StoreError::unknown);
    EXPECT_EQ(log.take().back(), "lost: " + error);
    EXPECT_FALSE(store->serving());
    EXPECT_TRUE(connector.wire().closed);
    reconnect();
    say(attached(1, "run"));
    EXPECT_EQ(log.take(), Lines{"serving"});
  }
}

TEST_F(RedisStoreTest, LostRepliesAreUnknownAndNotRepeated) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(give_back(2, 0).has_value());
  EXPECT_FALSE(store->reset("rule:x", limit, 3).has_value());
  EXPECT_FALSE(store->peek("rule:x", limit, 1, 4).has_value());
  static_cast<void>(heard());
  connector.wire().events->on_end();
  for (std::uint64_t tag = 1; tag <= 4; ++tag) EXPECT_EQ(error_of(tag), StoreError::unknown);
  EXPECT_EQ(store->counters().lost, 4U);
  EXPECT_EQ(lease(5).value().error, StoreError::unavailable);
  reconnect();
  EXPECT_EQ(heard().size(), 1U);  // the attach
  say(attached(1, "run"));
  EXPECT_EQ(heard().size(), 0U);
}

TEST_F(RedisStoreTest, TimedOutRequestsAreUnknownAndThenItIsUnavailable) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  loop.advance(kTimeout);
  EXPECT_EQ(error_of(1), StoreError::unknown);
  EXPECT_EQ(lease(2).value().error, StoreError::unavailable);
  say(answer(kDone, 6));
  EXPECT_FALSE(lease(3).has_value());
  say(answer(kDone, 6));
  EXPECT_EQ(error_of(3), std::nullopt);
  EXPECT_EQ(sink.outcomes.size(), 2U);
}

TEST_F(RedisStoreTest, NonsenseIsUnknown) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  say("$2\r\nhm\r\n");
  EXPECT_EQ(error_of(1), StoreError::unknown);
  EXPECT_EQ(log.take().size(), 1U);
  EXPECT_EQ(store->counters().errors[ErrorKind::other], 1U);
}

TEST_F(RedisStoreTest, GiveBacksOfAnotherGenerationAreNotSent) {
  serve();
  static_cast<void>(heard());
  EXPECT_EQ(give_back(1, store->generation_of("") + 1).value().error, StoreError::unavailable);
  EXPECT_TRUE(heard().empty());
  EXPECT_EQ(store->counters().stale, 1U);
  EXPECT_FALSE(give_back(2, store->generation_of("")).has_value());
}

TEST_F(RedisStoreTest, BoundsItsRequests) {
  serve(2);
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(lease(2).has_value());
  EXPECT_EQ(lease(3).value().error, StoreError::unavailable);
  say(answer(kDone));
  EXPECT_FALSE(lease(4).has_value());
}

TEST_F(RedisStoreTest, TheSinkMayAskAgainAndDestroyTheStore) {
  serve();
  sink.hook = [&] {
    if (sink.outcomes.size() == 1) static_cast<void>(lease(10));
    if (sink.outcomes.size() == 2) store.reset();
  };
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(lease(2).has_value());
  say(answer(kDone) + answer(kDone));
  EXPECT_EQ(store, nullptr);
  EXPECT_EQ(sink.outcomes.size(), 2U);
  EXPECT_EQ(loop.timers(), 0U);
}

TEST_F(RedisStoreTest, TheSinkMayDestroyTheStoreWhenTheConnectionIsLost) {
  serve();
  sink.hook = [&] { store.reset(); };
  EXPECT_FALSE(lease(1).has_value());
  EXPECT_FALSE(lease(2).has_value());
  store->drop("test");
  loop.turn();
  EXPECT_EQ(store, nullptr);
  EXPECT_EQ(sink.outcomes.size(), 1U);
}

}  // namespace
}  // namespace sluice::store::redis
