// Aim: what is rebooked counts as if it had been leased, in its own window, past the limit if need be; and a
// history grants nothing before its members have rebooked, or have had the time. Method: the scripts on a
// redis-server of the test's own, on virtual time (sent as the client's), numbers by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "property/store/shard.h"
#include "store/redis/attach_codec.h"
#include "store/redis/ledger.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "support/redis_server.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis::testing {
namespace {

using limiter::Algorithm;
using limiter::CalendarUnit;
using limiter::Limit;
using limiter::testing::bucket;
using limiter::testing::calendar_window;
using limiter::testing::kDay;
using limiter::testing::make;
using namespace std::chrono_literals;
using Ids = std::vector<std::string>;

class Rebooking : public ::testing::Test {
 protected:
  Rebooking() {
    shard_.attach("rebooking");
    at(kDay);
  }

  void at(WallTime now) {
    shard_.context.client_time = now;
    shard_.context.expected_now = now;
  }
  Grant rebook(const std::string& key, const Limit& limit, const std::vector<Lost>& lost) {
    const ScriptAnswer answer =
        shard_.answer(Script::rebook, key, encode_rebook(shard_.context, limit, lost));
    EXPECT_EQ(answer.answered, Answered::done);
    return answer.grant;
  }
  Grant peek(const std::string& key, const Limit& limit, std::int64_t cost = 1) {
    return shard_.answer(Script::peek, key, encode_peek(shard_.context, limit, cost)).grant;
  }

  test::RedisServer server_;
  Shard shard_{server_};
};

TEST_F(Rebooking, CountsAsALeaseDoes) {
  for (const Algorithm algorithm : limiter::testing::kAlgorithms) {
    SCOPED_TRACE(name_of(algorithm));
    const Limit limit = make(algorithm, 10, 60s);
    const Grant leased = shard_.take("leased", limit, 7).grant;
    const Grant rebooked = rebook("rebooked", limit, {{.tokens = 3}, {.tokens = 4}});
    EXPECT_EQ(rebooked.granted_needs, 7);
    EXPECT_EQ(rebooked.granted_extra, 0);
    EXPECT_EQ(rebooked.remaining, leased.remaining);
    EXPECT_EQ(rebooked.reset_after, leased.reset_after);
    EXPECT_EQ(rebooked.seq, leased.seq + 1) << "one debit";
    EXPECT_EQ(shard_.client.ask({"GET", "rebooked"}).text, shard_.client.ask({"GET", "leased"}).text);
    shard_.client.ask({"DEL", "leased", "rebooked"});
  }
}

TEST_F(Rebooking, GoesPastTheLimit) {
  for (const Algorithm algorithm : limiter::testing::kAlgorithms) {
    if (algorithm == Algorithm::token_bucket) continue;
    SCOPED_TRACE(name_of(algorithm));
    const std::string key(name_of(algorithm));
    const Limit limit = make(algorithm, 10, 60s);
    shard_.take(key, limit, 8);
    EXPECT_EQ(rebook(key, limit, {{.tokens = 5}}).remaining, 0);
    const GiveBack back{.key = key, .limit = &limit, .tokens = 3, .granted_at = {}};
    EXPECT_EQ(shard_.answer(Script::give_back, key, encode_give_back(shard_.context, back)).grant.remaining,
              0)
        << "it was three beyond";
    EXPECT_EQ(peek(key, limit, 10).retry_after, algorithm == Algorithm::sliding_window_counter ? 120s : 60s);
    const std::int64_t most = limiter::kMaxInteger;
    EXPECT_EQ(rebook(key, limit, {{.tokens = most}, {.tokens = most}}).remaining, 0);
    const Grant never = peek(key, limit);
    EXPECT_TRUE(never.retry_after >= 60s) << never.retry_after.count();
    EXPECT_EQ(shard_.client.ask({"GET", key}).text.find('e'), std::string::npos);
    EXPECT_EQ(shard_.take(key, limit, 1).answered, Answered::done) << "it is a counter still";
  }
}

TEST_F(Rebooking, EmptiesABucketAndNoMore) {
  const Limit limit = make(Algorithm::token_bucket, 10, 60s);
  shard_.take("key", limit, 8);
  EXPECT_EQ(rebook("key", limit, {{.tokens = 5}}).granted_needs, 5) << "all of it is accounted for";
  EXPECT_EQ(peek("key", limit, 10).retry_after, 60s);
  const std::int64_t most = limiter::kMaxInteger;
  EXPECT_EQ(rebook("key", limit, {{.tokens = most}, {.tokens = most}}).remaining, 0);
  EXPECT_EQ(peek("key", limit, 10).retry_after, 60s) << "many in doubt do not add up";
  at(kDay + 60s);
  EXPECT_EQ(peek("key", limit).remaining, 10);
}

TEST_F(Rebooking, ClosedWindowsCountNoMore) {
  const Limit limit = make(Algorithm::fixed_window, 10, 60s);
  at(kDay + 70s);
  const Grant nothing = rebook("key", limit, {{.tokens = 5, .moment = kDay + 60s - 1us}});
  EXPECT_EQ(nothing.granted_needs, 0);
  EXPECT_EQ(shard_.client.ask({"EXISTS", "key"}).integer, 0);
  EXPECT_EQ(nothing.seq, 0U);
  EXPECT_EQ(rebook("key", limit, {{.tokens = 5, .moment = kDay + 10s}, {.tokens = 3, .moment = kDay + 60s}})
                .granted_needs,
            3);
  EXPECT_EQ(peek("key", limit).remaining, 7);
}

TEST_F(Rebooking, TheClockOfTheMasterBeforeMayHaveBeenAhead) {
  const Limit limit = make(Algorithm::fixed_window, 10, 60s);
  at(kDay + 59s);
  shard_.take("key", limit, 4);
  EXPECT_EQ(rebook("key", limit, {{.tokens = 5, .moment = kDay + 61s}}).remaining, 5)
      << "its window begins now";
  at(kDay + 62s);
  EXPECT_EQ(peek("key", limit).remaining, 5);

  const Limit counter = make(Algorithm::sliding_window_counter, 10, 60s);
  at(kDay + 59s);
  shard_.take("counter", counter, 4);
  EXPECT_EQ(rebook("counter", counter, {{.tokens = 5, .moment = kDay + 61s}}).remaining, 1);
  at(kDay + 60s);
  EXPECT_EQ(peek("counter", counter).remaining, 1);
}

TEST_F(Rebooking, ThePreviousWindowOfACounterCounts) {
  const Limit limit = make(Algorithm::sliding_window_counter, 10, 60s);
  at(kDay + 90s);
  const std::vector<Lost> lost = {{.tokens = 1, .moment = kDay - 1us},
                                  {.tokens = 6, .moment = kDay + 60s - 1us},
                                  {.tokens = 2, .moment = kDay + 61s}};
  const Grant grant = rebook("key", limit, lost);
  EXPECT_EQ(grant.granted_needs, 8);
  EXPECT_EQ(grant.remaining, 10 - 2 - 3);
  at(kDay + 120s);
  EXPECT_EQ(peek("key", limit).remaining, 8);
}

TEST_F(Rebooking, CivilWindowsAreAmongThoseSent) {
  const Limit limit = calendar_window(10, CalendarUnit::day, "Europe/Berlin");
  const WallTime noon = kDay + 12h;
  at(noon);
  EXPECT_EQ(rebook("key", limit,
                   {{.tokens = 1, .moment = noon - 24h},
                    {.tokens = 2, .moment = noon + 1h},
                    {.tokens = 3, .moment = noon + 24h * 9}})
                .granted_needs,
            5)
      << "a day that is not among them: now";
  EXPECT_EQ(peek("key", limit).remaining, 5);
  EXPECT_EQ(rebook("key", limit, {{.tokens = 4, .moment = noon + 24h}}).remaining, 6);
}

TEST_F(Rebooking, ALimitThatChangedIsCarriedOver) {
  shard_.take("key", bucket(100, 60s), 30);
  EXPECT_EQ(rebook("key", make(Algorithm::fixed_window, 100, 60s), {{.tokens = 5}}).remaining, 65);
}

/// Members by name, each of which attaches, announces and leases as it likes.
class Members : public Rebooking {
 protected:
  enum class Debits : std::uint8_t { none, some };
  Attached attach(const std::string& id, Debits debits, const Ids& known = {}) {
    return shard_.attach(AttachRequest{.self = id,
                                       .nonce = "n" + id,
                                       .nothing_to_lose = debits == Debits::none,
                                       .repair_timeout = timeout_,
                                       .members = known});
  }
  Announced announce(const std::string& id, Announcement announcement = Announcement::alive) {
    const auto answer = decode_announce(shard_.call_on_meta(
        Script::announce, encode_announce(shard_.context.lineage, id, WallTime{}, announcement)));
    if (!answer) throw std::runtime_error(answer.error().message);
    return *answer;
  }
  [[nodiscard]] Answered lease() {
    shard_.context.client_time.reset();
    return shard_.take("key", bucket(100, 60s), 1).answered;
  }
  void become_master() {
    shard_.client.ask({"REPLICAOF", "127.0.0.1", "1"});
    shard_.client.ask({"REPLICAOF", "NO", "ONE"});
  }
  std::string meta(const std::string& field) { return shard_.client.ask({"HGET", Shard::kMeta, field}).text; }
  /// It was last heard that long before now.
  void age(const std::string& id, std::chrono::seconds by) {
    const std::string field = "m:" + id;
    const std::string text = meta(field);
    const auto space = text.find(' ');
    shard_.client.ask(
        {"HSET", Shard::kMeta, field,
         text.substr(0, space + 1) + std::to_string(std::stoll(text.substr(space)) - by.count())});
  }

  Duration timeout_ = 1h;
};

TEST_F(Members, ANewHistoryWaitsForThoseWhoHaveDebits) {
  EXPECT_FALSE(attach("a1", Debits::none).is_new) << "attached at the beginning";
  EXPECT_TRUE(attach("b2", Debits::none).is_new);
  EXPECT_EQ(attach("c3", Debits::none).members, (Ids{"a1", "b2", "c3"}));
  EXPECT_EQ(lease(), Answered::done) << "the first history has nothing to repair";

  become_master();
  const Attached a = attach("a1", Debits::some);
  EXPECT_FALSE(a.acknowledged);
  EXPECT_FALSE(a.is_new);
  EXPECT_EQ(a.lines.size(), 2U);
  EXPECT_EQ(a.lines.back().start, 1U);
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_EQ(rebook("key", bucket(100, 60s), {{.tokens = 2}}).granted_needs, 2);
  announce("a1");
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_TRUE(attach("b2", Debits::none).acknowledged);
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_TRUE(attach("d4", Debits::none).is_new) << "it is not waited for";
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_FALSE(attach("c3", Debits::some).acknowledged);
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_EQ(announce("c3").members, (Ids{"a1", "b2", "c3", "d4"}));
  EXPECT_EQ(lease(), Answered::done);
  EXPECT_EQ(meta("repaired"), "2");
  EXPECT_TRUE(attach("c3", Debits::some).acknowledged) << "it has said so";
  EXPECT_EQ(meta("overdue"), "");
}

TEST_F(Members, AreToldTheAgeOfTheHistory) {
  attach("a1", Debits::none);
  become_master();
  EXPECT_EQ(attach("a1", Debits::some).age, 0s);
  shard_.client.ask({"HINCRBY", Shard::kMeta, "began", "-1500000"});
  const Duration age = attach("a1", Debits::some).age;
  EXPECT_TRUE(age >= 1500ms && age < 1500ms + 60s) << age.count();
  shard_.client.ask({"HINCRBY", Shard::kMeta, "began", "3600000000"});
  EXPECT_EQ(attach("a1", Debits::some).age, 0s) << "the server's clock was set back";
  shard_.client.ask({"HDEL", Shard::kMeta, "began"});
  EXPECT_EQ(attach("a1", Debits::some).age, 0s) << "of a daemon that did not say so yet";
}

TEST_F(Members, AreNotWaitedForForever) {
  attach("b2", Debits::none);
  become_master();
  timeout_ = 0s;
  attach("a1", Debits::some);
  EXPECT_EQ(lease(), Answered::done);
  EXPECT_EQ(lease(), Answered::done);
  EXPECT_EQ(meta("overdue"), "1") << "counted once";
}

TEST_F(Members, EmptiedDataAsksWhoComesFirst) {
  attach("b2", Debits::none);
  shard_.client.ask({"FLUSHALL"});
  const Attached a = attach("a1", Debits::some, {"a1", "b2"});
  EXPECT_EQ(a.lineage.generation, 1);
  EXPECT_TRUE(a.is_new);
  EXPECT_EQ(a.members, (Ids{"a1", "b2"}));
  announce("a1");
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_FALSE(attach("b2", Debits::some).is_new);
  announce("b2");
  EXPECT_EQ(lease(), Answered::done);

  shard_.client.ask({"FLUSHALL"});
  EXPECT_FALSE(attach("a1", Debits::some).acknowledged);
  EXPECT_EQ(lease(), Answered::repairing) << "whoever comes first is waited for as well";
  announce("a1");
  EXPECT_EQ(lease(), Answered::done);
}

TEST_F(Members, WhoIsSilentOrLeavesIsNotWaitedFor) {
  for (const char* id : {"b2", "c3", "d4"}) attach(id, Debits::none);
  age("b2", 20s);
  age("c3", 700s);
  EXPECT_EQ(announce("a1").members, (Ids{"a1", "d4"}));
  EXPECT_EQ(meta("m:c3"), "") << "forgotten";
  EXPECT_NE(meta("m:b2"), "");
  EXPECT_EQ(announce("d4", Announcement::leaving).members, Ids{"a1"});
  EXPECT_EQ(meta("m:d4"), "");

  attach("c3", Debits::none);
  age("c3", 700s);
  // Everybody was silent for a day: by the data's own record a1 and b2 were alive.
  for (const char* id : {"a1", "b2", "c3"}) age(id, 24h);
  become_master();
  EXPECT_EQ(attach("e5", Debits::none).members, (Ids{"a1", "b2", "e5"}));
  EXPECT_EQ(lease(), Answered::repairing);
  EXPECT_EQ(meta("m:c3"), "");
  announce("a1");
  EXPECT_EQ(lease(), Answered::repairing);
  announce("b2", Announcement::leaving);
  EXPECT_EQ(lease(), Answered::done);
}

TEST_F(Members, AreBounded) {
  std::vector<std::string> many{"HSET", Shard::kMeta};
  const std::string now = meta("m:a1").substr(2);
  for (int i = 1000; i < 2999; ++i) many.insert(many.end(), {"m:" + std::to_string(i), "1 " + now});
  shard_.client.ask(many);
  age("1500", 9s);
  EXPECT_EQ(attach("b2", Debits::none).members.size(), 2000U);
  EXPECT_EQ(meta("m:1500"), "") << "was silent for longest";
}

TEST_F(Members, AnnouncingIsForThePresentHistory) {
  become_master();
  EXPECT_FALSE(announce("a1").other_lineage) << "nobody has attached";
  const CallContext before = shard_.context;
  attach("a1", Debits::none);
  shard_.context = before;
  EXPECT_TRUE(announce("b2").other_lineage);
  EXPECT_EQ(meta("m:b2"), "");
}

}  // namespace
}  // namespace sluice::store::redis::testing
