// Aim: what the scripts keep at a key: exactly as long as it differs from full, in few bytes, and never in
// place of what is not theirs. Method: a redis-server of the test's own and its own clock; waits have a
// deadline.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "property/store/operations.h"
#include "property/store/shard.h"
#include "store/redis/attach_codec.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "support/redis_server.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis::testing {
namespace {

using limiter::testing::bucket;
using limiter::testing::make;

constexpr std::array kOperations{Script::lease, Script::give_back, Script::peek, Script::reset};

class Values : public ::testing::Test {
 protected:
  Values() { shard_.attach("values"); }

  Reply call(Script script, const std::string& key, const limiter::Limit& limit) {
    const Need need{.cost = 1, .count = 1};
    switch (script) {
      case Script::lease:
        return shard_.call(script, key,
                           encode_lease(shard_.context, {.key = key, .limit = &limit, .needs = {&need, 1}}));
      case Script::give_back:
        return shard_.call(
            script, key,
            encode_give_back(shard_.context, {.key = key, .limit = &limit, .tokens = 1, .granted_at = {}}));
      case Script::peek:
        return shard_.call(script, key, encode_peek(shard_.context, limit, 1));
      case Script::reset:
      case Script::attach:
      case Script::rebook:
      case Script::announce:
        break;
    }
    return shard_.call(Script::reset, key, encode_reset(shard_.context, limit));
  }

  std::string text_at(const std::string& key) { return shard_.client.ask({"GET", key}).text; }

  std::int64_t used_memory() {
    const std::string info = shard_.client.ask({"INFO", "memory"}).text;
    const auto begin = info.find("used_memory:") + 12;
    return parse_int(std::string_view(info).substr(begin, info.find('\r', begin) - begin)).value_or(0);
  }

  test::RedisServer server_;
  Shard shard_{server_};
};

TEST_F(Values, WhatIsForeignIsNamedAndLeftAlone) {
  const std::vector<std::string> foreign{"hello",
                                         "",
                                         "1",
                                         "b",
                                         "b 1 2",
                                         "b 0 1 10 1000",
                                         "b 1 2 10 0",
                                         "b 9007199254740993 1 10 1000",
                                         "b 1 99999999999999999999999 10 1000",
                                         "b 1 2 10 1000 x",
                                         "b 1 2 10 1000\n",
                                         "f 1 2",
                                         "f 0 0 1000",
                                         "f 0 1 1000 d12345678",
                                         "c 0 1 86400",
                                         "l 1 2 3",
                                         "l 0 10 1000 0 0 0 1",
                                         "w 1 2 3",
                                         "w 1 2 3 10 1000 2000",
                                         "x 1 2 3",
                                         "b 1 -2 10 1000",
                                         std::string("b 1 2 10 1000\0", 14)};
  for (const std::string& value : foreign) {
    for (const Script script : kOperations) {
      SCOPED_TRACE(::testing::Message()
                   << shard_.scripts[script].name << " of \"" << printable(value) << '"');
      for (const limiter::Algorithm algorithm : limiter::testing::kAlgorithms) {
        shard_.client.ask({"SET", "key", value});
        const Reply reply = call(script, "key", make(algorithm, 10, 1s));
        ASSERT_EQ(reply.kind, Reply::Kind::error);
        EXPECT_TRUE(reply.text.starts_with("SLUICEFOREIGN ")) << reply.text;
        EXPECT_EQ(text_at("key"), value);
      }
    }
  }
}

TEST_F(Values, AnotherTypeIsRedisOwnError) {
  for (const Script script : kOperations) {
    SCOPED_TRACE(shard_.scripts[script].name);
    shard_.client.ask({"RPUSH", "list", "x"});
    const Reply reply = call(script, "list", bucket(10, 1s));
    EXPECT_TRUE(reply.text.starts_with("WRONGTYPE ")) << reply.text;
    EXPECT_EQ(shard_.client.ask({"TYPE", "list"}).text, "list");
  }
  shard_.client.ask({"SET", Shard::kMeta, "x"});
  EXPECT_TRUE(call(Script::lease, "key", bucket(10, 1s)).text.starts_with("WRONGTYPE "));
  EXPECT_TRUE(shard_.call_on_meta(Script::attach, encode_attach({.self = "a1", .nonce = "n"}))
                  .text.starts_with("WRONGTYPE "));
  EXPECT_EQ(shard_.client.ask({"EXISTS", "key"}).integer, 0);
}

TEST_F(Values, TheLargestNumbersSurvive) {
  const std::int64_t most = limiter::kMaxInteger;
  for (const limiter::Algorithm algorithm : limiter::testing::kAlgorithms) {
    SCOPED_TRACE(name_of(algorithm));
    const std::string key(name_of(algorithm));
    const limiter::Limit limit = make(algorithm, most, 24h * 3660);
    EXPECT_EQ(shard_.take(key, limit, most - 1).grant.granted_needs, most - 1) << text_at(key);
    EXPECT_EQ(shard_.answer(Script::peek, key, encode_peek(shard_.context, limit, 2)).grant.remaining, 1);
    EXPECT_EQ(shard_.take(key, limit, 2).grant.granted_needs, 0);
    EXPECT_EQ(shard_.take(key, limit, 1).grant.remaining, 0) << text_at(key);
    EXPECT_EQ(text_at(key).find('e'), std::string::npos);
  }
}

TEST_F(Values, AKeyIsThereUntilItIsFull) {
  for (const limiter::Algorithm algorithm : limiter::testing::kAlgorithms) {
    SCOPED_TRACE(name_of(algorithm));
    const limiter::Limit limit = make(algorithm, 10, 200ms);
    const std::string key(name_of(algorithm));
    const Grant grant = shard_.take(key, limit, 10).grant;
    const WallTime full = grant.granted_at + grant.reset_after;
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (shard_.client.ask({"EXISTS", key}).integer == 1) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::sleep_for(1ms);
    }
    // Redis' clock is this machine's.
    EXPECT_GE(std::chrono::system_clock::now(), full);
  }
}

TEST_F(Values, AKeyThatIsFullAgainIsGone) {
  const limiter::Limit limit = bucket(10, 24h);
  shard_.take("key", limit, 3);
  const GiveBack back{.key = "key", .limit = &limit, .tokens = 3, .granted_at = {}};
  EXPECT_EQ(shard_.answer(Script::give_back, "key", encode_give_back(shard_.context, back)).grant.remaining,
            10);
  EXPECT_EQ(shard_.client.ask({"EXISTS", "key"}).integer, 0);
  shard_.take("key", limit, 3);
  shard_.answer(Script::reset, "key", encode_reset(shard_.context, limit));
  EXPECT_EQ(shard_.client.ask({"EXISTS", "key"}).integer, 0);
}

TEST_F(Values, OfALimitOfNothingLivesForEver) {
  shard_.take("key", bucket(10, 24h), 3);
  const limiter::Limit nothing = bucket(0, 24h);
  EXPECT_EQ(shard_.take("key", nothing, 1).grant.reset_after, Duration::max());
  EXPECT_EQ(shard_.client.ask({"PTTL", "key"}).integer, -1);
}

// On the server's clock, whose "now" the answer tells: what is computed and when the key expires, both
// exactly.
TEST_F(Values, OnTheServersClock) {
  std::uint64_t expiries = 0;
  for (std::uint64_t seed = 50'000'000; seed < 50'001'000; ++seed) {
    shard_.client.ask({"DEL", "key"});
    limiter::testing::Dice dice(seed);
    limiter::Limit limit = random_limit(dice, limiter::testing::kAlgorithms[seed % 4]);
    Reference reference;
    for (int step = 0; step < 5; ++step) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", step " << step);
      if (dice.one_in(4)) limit = changed_limit(dice, limit);
      // A key of a limit so short expires between two steps, or does not.
      if (limit.period() < 60s) break;
      shard_.context.expected_now = std::chrono::system_clock::now();
      const Need need{.cost = dice.magnitude(std::max<std::int64_t>(1, limit.capacity())), .count = 1};
      const LeaseRequest request{.key = "key", .limit = &limit, .needs = {&need, 1}, .extra = 9};
      const ScriptAnswer answer = shard_.answer(Script::lease, "key", encode_lease(shard_.context, request));
      ASSERT_EQ(answer.answered, Answered::done);
      const std::int64_t expires = shard_.client.ask({"PEXPIRETIME", "key"}).integer;
      const Grant expected = reference.lease(limit, request.needs, request.extra, answer.now);
      ASSERT_EQ(answer.grant.granted_needs, expected.granted_needs);
      ASSERT_EQ(answer.grant.granted_extra, expected.granted_extra);
      ASSERT_EQ(answer.grant.remaining, expected.remaining);
      ASSERT_EQ(answer.grant.retry_after, expected.retry_after);
      ASSERT_EQ(answer.grant.reset_after, expected.reset_after);
      if (reference.full() || expected.reset_after < 1s) break;  // gone, or about to be
      ASSERT_EQ(expires, full_ms(limit, reference.state(), answer.now).value_or(-1));
      ++expiries;
    }
  }
  EXPECT_GT(expiries, 1'000);
}

TEST_F(Values, AKeyOfABucketIsSmall) {
  constexpr int kKeys = 10'000;
  constexpr std::int64_t kBound = 200;  // the aim is 130
  const limiter::Limit limit = bucket(100, 24h);
  const std::int64_t before = used_memory();
  for (int i = 0; i < kKeys; ++i) shard_.take("sl:user:" + std::to_string(100'000 + i), limit, 1);
  const std::int64_t each = (used_memory() - before) / kKeys;
  RecordProperty("bytes_per_key", std::to_string(each));
  EXPECT_LE(text_at("sl:user:100000").size(), 44) << text_at("sl:user:100000");
  EXPECT_EQ(shard_.client.ask({"OBJECT", "ENCODING", "sl:user:100000"}).text, "embstr");
  EXPECT_LE(each, kBound);
  EXPECT_GT(each, 50) << "or it was not measured";
  std::printf("%lld bytes a key, value \"%s\"\n", static_cast<long long>(each),
              text_at("sl:user:100000").c_str());
}

}  // namespace
}  // namespace sluice::store::redis::testing
