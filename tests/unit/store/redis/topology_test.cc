// Aim: a topology is one store over its shards: every key has one of them, one that is gone takes only its
// own keys with it, and the events and counters say which it is. Options that make no sense are refused.
//
// Method: real redis-servers, the real loop and connector. Masters that move are for tests/integration.
#include "store/redis/topology.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "net/connector.h"
#include "net/system.h"
#include "net/uv_loop.h"
#include "store/store.h"
#include "support/redis_server.h"
#include "unit/store/redis/real_loop.h"
#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {
namespace {

using Kind = TopologyOptions::Kind;

struct TopologyLog final : TopologyEvents {
  Lines lines;

  void note(std::string_view shard, std::string_view what) {
    lines.push_back(std::string(shard) + " " + std::string(what));
  }
  void on_serving(std::string_view shard, Generation /*generation*/, bool /*new_history*/) override {
    note(shard, "serving");
  }
  void on_lost(std::string_view shard, std::string_view /*reason*/) override { note(shard, "lost"); }
  void on_attempt_failed(std::string_view /*shard*/, std::string_view /*reason*/) override {}
  void on_refused(std::string_view shard, ErrorKind kind, std::string_view /*text*/) override {
    note(shard, name_of(kind));
  }
  void on_rebooked(std::string_view shard, std::uint64_t keys, std::uint64_t tokens) override {
    note(shard, "rebooked " + std::to_string(tokens) + " of " + std::to_string(keys));
  }
  void on_master(std::string_view shard, const Endpoint& /*master*/) override { note(shard, "moved"); }
  void on_watch_failed(std::string_view watcher, std::string_view reason) override { note(watcher, reason); }
};

struct TopologyTest : testing::Test {
  net::UvLoop loop;
  std::unique_ptr<Connector> connector = net::make_connector(loop);
  net::SystemRandom random;
  TopologyLog log;
  Sink sink;
  std::unique_ptr<Topology> topology;
  limiter::Limit limit = RedisStoreTest::fixed(10);
  std::uint64_t tag = 0;

  Result<std::unique_ptr<Topology>> make(Kind kind, std::vector<std::string> shards,
                                         std::vector<Endpoint> sentinels = {}) {
    TopologyOptions options;
    options.kind = kind;
    options.shards = std::move(shards);
    options.sentinels = std::move(sentinels);
    // For the machine that runs many tests at once.
    options.store.connection.connect_timeout = std::chrono::seconds{30};
    options.store.connection.command_timeout = std::chrono::seconds{30};
    return make_topology(loop, {.data = *connector, .sentinels = *connector}, random, log,
                         std::move(options));
  }
  void start(Kind kind, std::vector<std::string> shards) {
    const std::size_t count = shards.size();
    topology = make(kind, std::move(shards)).value();
    topology->store().set_sink(sink);
    topology->start();
    ASSERT_TRUE(run_until(loop, [&] { return topology->serving() == count; }));
  }
  Outcome outcome(const std::optional<Outcome>& at_once) {
    if (at_once) return *at_once;
    EXPECT_TRUE(run_until(loop, [&] { return sink.outcomes.contains(tag); }));
    return sink.outcomes.at(tag);
  }
  Outcome lease(std::string_view key) {
    const std::vector<Need> needs = {{.cost = 1, .count = 1}};
    return outcome(topology->store().lease({.key = key, .limit = &limit, .needs = needs}, ++tag));
  }
};

std::string key(int i) {
  return "rule:" + std::to_string(i);
}

TEST_F(TopologyTest, EachKeyHasAShardAndOneThatIsGoneTakesOnlyItsOwn) {
  test::RedisServer one;
  auto other = std::make_unique<test::RedisServer>();
  start(Kind::shards, {"one=" + one.socket(), other->socket()});
  constexpr int kKeys = 40;
  for (int i = 0; i < kKeys; ++i) {
    const Outcome granted = lease(key(i));
    ASSERT_EQ(granted.error, std::nullopt);
    EXPECT_EQ(granted.grant.generation, topology->store().generation_of(key(i)));
    EXPECT_EQ(outcome(topology->store().peek(key(i), limit, 1, ++tag)).grant.remaining, 9);
  }
  auto shards = topology->shards();
  ASSERT_EQ(shards.size(), 2U);
  EXPECT_EQ(shards[0].name, "one");
  EXPECT_EQ(shards[1].name, other->socket());
  EXPECT_EQ(shards[1].master->path, other->socket());
  EXPECT_EQ(shards[0].counters.requests + shards[1].counters.requests, 2U * kKeys);
  for (const ShardStatus& shard : shards) EXPECT_GE(shard.counters.requests, 2U * kKeys / 4) << shard.name;

  const std::string gone = other->socket();
  other.reset();
  ASSERT_TRUE(run_until(loop, [&] { return topology->serving() == 1; }));
  EXPECT_EQ(log.lines.back(), gone + " lost");
  std::uint64_t unavailable = 0;
  for (int i = 0; i < kKeys; ++i) {
    const Outcome answer = lease(key(i));
    if (answer.error) {
      EXPECT_EQ(answer.error, StoreError::unavailable);
      EXPECT_EQ(topology->store().generation_of(key(i)), 0U);
      ++unavailable;
    } else {
      EXPECT_EQ(answer.grant.remaining, 8);
    }
  }
  EXPECT_EQ(unavailable, shards[1].counters.requests / 2) << "those that it had, and no others";
}

TEST_F(TopologyTest, SingleHasOne) {
  test::RedisServer server;
  start(Kind::single, {server.socket()});
  EXPECT_EQ(lease(key(1)).grant.remaining, 9);
  EXPECT_EQ(outcome(topology->store().reset(key(1), limit, ++tag)).error, std::nullopt);
  EXPECT_EQ(lease(key(1)).grant.remaining, 9);
  EXPECT_EQ(log.lines, Lines{server.socket() + " serving"});
}

TEST_F(TopologyTest, WhatAShardLostIsRebookedAndToldOf) {
  test::RedisServer server;
  start(Kind::shards, {"a=" + server.socket()});
  EXPECT_EQ(lease(key(1)).grant.remaining, 9);
  server.restart();  // with nothing
  ASSERT_TRUE(run_until(loop, [&] { return log.lines.size() >= 4; }));
  EXPECT_EQ(log.lines, (Lines{"a serving", "a lost", "a rebooked 1 of 1", "a serving"}));
  EXPECT_EQ(lease(key(1)).grant.remaining, 8);
}

TEST_F(TopologyTest, AServerThatIsNoClusterIsToldOf) {
  test::RedisServer server;
  topology = make(Kind::cluster, {server.socket()}).value();
  topology->start();
  EXPECT_EQ(topology->shards().size(), 32U);
  ASSERT_TRUE(run_until(loop, [&] { return !log.lines.empty(); }));
  EXPECT_EQ(log.lines[0], server.socket() + " ERR This instance has cluster support disabled");
  EXPECT_EQ(topology->serving(), 0U);
}

TEST_F(TopologyTest, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(make(Kind::single, {}).error().message, "there must be at least one shard");
  EXPECT_EQ(make(Kind::single, {"a:1", "b:1"}).error().message,
            "single takes exactly one server; shards takes several");
  EXPECT_EQ(make(Kind::shards, {"a=a:1", "a=b:1"}).error().message, "there are two shards of the name \"a\"");
  EXPECT_FALSE(make(Kind::shards, {"nonsense"}));
  EXPECT_FALSE(make(Kind::cluster, {"a:1", "nonsense"}));
  EXPECT_EQ(make(Kind::sentinel, {"a"}).error().message, "there must be at least one sentinel");
  const std::vector<Endpoint> sentinels = {{.host = "s", .port = 26379}};
  EXPECT_EQ(make(Kind::sentinel, {"a", "a"}, sentinels).error().message, "the master \"a\" is there twice");
  EXPECT_TRUE(make(Kind::sentinel, {"a", "b"}, sentinels));
}

}  // namespace
}  // namespace sluice::store::redis
