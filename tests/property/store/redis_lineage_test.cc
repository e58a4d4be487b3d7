// Aim: each history of a shard's data has a name of its own, and no script works on another one than was
// attached to. Method: a redis-server of the test's own is flushed, restarted and promoted under its clients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/time.h"
#include "limiter/limit.h"
#include "property/store/shard.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "support/redis_server.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis::testing {
namespace {

using limiter::testing::bucket;
using namespace std::chrono_literals;

class Lineages : public ::testing::Test {
 protected:
  /// As after a failover: the data is the same, its replication id new.
  void become_master() {
    shard_.client.ask({"REPLICAOF", "127.0.0.1", "1"});
    shard_.client.ask({"REPLICAOF", "NO", "ONE"});
  }

  test::RedisServer server_;
  Shard shard_{server_};
  const limiter::Limit limit_ = bucket(10, 24h);
};

TEST_F(Lineages, AttachingAgainFindsTheSame) {
  const Attached first = shard_.attach("one");
  EXPECT_EQ(first.lineage.generation, 1);
  EXPECT_EQ(first.seq, 0);
  ASSERT_TRUE(first.server_time);
  EXPECT_LT(std::chrono::abs(*first.server_time - std::chrono::system_clock::now()), 1h);
  EXPECT_TRUE(first.lineage.run.ends_with(".one")) << first.lineage.run;
  EXPECT_EQ(first.lineage.run.size(), 40 + 4) << first.lineage.run;

  shard_.take("key", limit_, 1);
  const Attached second = shard_.attach("two");
  EXPECT_EQ(second.lineage, first.lineage);
  EXPECT_EQ(second.seq, 1);
}

TEST_F(Lineages, NothingIsDoneBeforeTheFirstAttach) {
  EXPECT_EQ(shard_.take("key", limit_, 1).answered, Answered::other_lineage);
  EXPECT_EQ(shard_.client.ask({"DBSIZE"}).integer, 0);
}

TEST_F(Lineages, AFlushShowsAndChangesTheName) {
  const Attached before = shard_.attach("one");
  shard_.take("key", limit_, 1);
  shard_.client.ask({"FLUSHALL"});

  EXPECT_EQ(shard_.take("key", limit_, 1).answered, Answered::other_lineage);
  EXPECT_EQ(shard_.answer(Script::peek, "key", encode_peek(shard_.context, limit_, 1)).answered,
            Answered::other_lineage);
  EXPECT_EQ(shard_.answer(Script::reset, "key", encode_reset(shard_.context, limit_)).answered,
            Answered::other_lineage);
  const GiveBack back{.key = "key", .limit = &limit_, .tokens = 1, .granted_at = {}};
  EXPECT_EQ(shard_.answer(Script::give_back, "key", encode_give_back(shard_.context, back)).answered,
            Answered::other_lineage);
  EXPECT_EQ(shard_.client.ask({"DBSIZE"}).integer, 0);

  const Attached after = shard_.attach("two");
  EXPECT_NE(after.lineage, before.lineage);
  EXPECT_EQ(after.seq, 0);
  EXPECT_EQ(shard_.take("key", limit_, 1).answered, Answered::done);
}

TEST_F(Lineages, ARestartChangesTheName) {
  const Attached before = shard_.attach("same");
  server_.restart();
  Shard again(server_);
  again.context = shard_.context;
  EXPECT_EQ(again.take("key", limit_, 1).answered, Answered::other_lineage);
  EXPECT_NE(again.attach("same").lineage, before.lineage);
}

TEST_F(Lineages, APromotionKeepsTheDataAndAddsALine) {
  const Attached before = shard_.attach("one");
  shard_.take("key", limit_, 4);
  become_master();
  EXPECT_EQ(shard_.take("key", limit_, 1).answered, Answered::done) << "only attaching looks at the id";
  const Attached after = shard_.attach("two");
  EXPECT_EQ(after.lineage.generation, before.lineage.generation + 1);
  EXPECT_NE(after.lineage.run, before.lineage.run);
  EXPECT_TRUE(after.lineage.run.ends_with(".one"));
  EXPECT_EQ(after.seq, 2);
  const std::string lines = shard_.client.ask({"HGET", Shard::kMeta, "lines"}).text;
  EXPECT_EQ(lines, "1 " + before.lineage.run + " 0\n2 " + after.lineage.run + " 2");
  EXPECT_EQ(shard_.take("key", limit_, 1).grant.remaining, 4);
}

TEST_F(Lineages, TheLastLinesAreKept) {
  for (int i = 0; i < 40; ++i) {
    shard_.attach("one");
    become_master();
  }
  const std::string lines = shard_.client.ask({"HGET", Shard::kMeta, "lines"}).text;
  EXPECT_EQ(std::ranges::count(lines, '\n'), 31);
  EXPECT_TRUE(lines.starts_with("9 ")) << lines;
  EXPECT_NE(lines.find("\n40 "), std::string::npos);
}

TEST_F(Lineages, WithoutInfoTheDataIsToldByItsBirth) {
  shard_.client.ask({"ACL", "SETUSER", "narrow", "on", "nopass", "~*", "+@all", "-info", "-time"});
  shard_.client.ask({"AUTH", "narrow", "any"});
  const Attached attached = shard_.attach("one");
  EXPECT_EQ(attached.lineage.run, "unknown.one");
  EXPECT_FALSE(attached.server_time) << "scripts may not ask for the time";
  shard_.context.client_time = limiter::testing::kDay;
  EXPECT_EQ(shard_.take("key", limit_, 1).grant.granted_at, limiter::testing::kDay);
}

TEST_F(Lineages, AScriptThatIsNotThereIsSaidToBe) {
  shard_.attach("one");
  shard_.client.ask({"SCRIPT", "FLUSH"});
  const Reply reply = shard_.call(Script::peek, "key", encode_peek(shard_.context, limit_, 1));
  EXPECT_EQ(reply.kind, Reply::Kind::error);
  EXPECT_TRUE(reply.text.starts_with("NOSCRIPT")) << reply.text;
}

TEST_F(Lineages, OnlyDebitsAreNumbered) {
  shard_.attach("one");
  EXPECT_EQ(shard_.take("key", limit_, 4).grant.seq, 1);
  EXPECT_EQ(shard_.take("key", limit_, 7).grant.seq, 1) << "denied";
  EXPECT_EQ(shard_.take("key", limit_, 0).grant.seq, 1);
  const GiveBack back{.key = "key", .limit = &limit_, .tokens = 1, .granted_at = {}};
  EXPECT_EQ(shard_.answer(Script::give_back, "key", encode_give_back(shard_.context, back)).grant.seq, 1);
  EXPECT_EQ(shard_.answer(Script::peek, "key", encode_peek(shard_.context, limit_, 1)).grant.seq, 1);
  EXPECT_EQ(shard_.answer(Script::reset, "key", encode_reset(shard_.context, limit_)).grant.seq, 1);
  EXPECT_EQ(shard_.take("other", limit_, 1).grant.seq, 2);
}

}  // namespace
}  // namespace sluice::store::redis::testing
