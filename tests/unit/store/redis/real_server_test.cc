// Aim: the store works with a real server over a real socket: attaching, a script that the server does not
// know yet, a wrong value at a key, a password, a flush and a restart in between.
//
// Method: a redis-server of this test's own, the real loop and connector. Everything else about the store is
// shown on a fake connection; that the scripts count right is for tests/property/store.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "net/connector.h"
#include "net/system.h"
#include "net/uv_loop.h"
#include "store/redis/redis_store.h"
#include "store/store.h"
#include "support/redis_server.h"
#include "unit/limiter/limits.h"
#include "unit/store/redis/real_loop.h"
#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {
namespace {

struct RealServerTest : testing::Test {
  test::RedisServer server;
  net::UvLoop loop;
  std::unique_ptr<Connector> connector = net::make_connector(loop);
  net::SystemRandom random;
  StoreLog log;
  Sink sink;
  std::unique_ptr<RedisStore> store;
  limiter::Limit limit = RedisStoreTest::fixed(10);
  std::uint64_t tag = 0;

  void start(const std::string& password = "") {
    RedisStoreOptions options;
    options.connection.endpoint = {.path = server.socket()};
    options.connection.password = password;
    options.connection.client_name = "sluiced";
    // For the machine that runs many tests at once.
    options.connection.connect_timeout = std::chrono::seconds{30};
    options.connection.command_timeout = std::chrono::seconds{30};
    store = std::make_unique<RedisStore>(loop, *connector, random, log, options);
    store->set_sink(sink);
    store->start();
  }
  bool serves() {
    return run_until(loop, [&] { return store->serving(); });
  }
  Outcome lease(std::int64_t cost) {
    const std::vector<Need> needs = {{.cost = cost, .count = 1}};
    ++tag;
    if (const auto at_once =
            store->lease({.key = "rule:x", .limit = &limit, .needs = needs, .extra = 0}, tag))
      return *at_once;
    EXPECT_TRUE(run_until(loop, [&] { return sink.outcomes.contains(tag); }));
    return sink.outcomes[tag];
  }
};

TEST_F(RealServerTest, CountsThroughFlushAndRestart) {
  limit = limiter::testing::bucket(10, std::chrono::hours{24});
  start();
  ASSERT_TRUE(serves());
  const Outcome first = lease(7);
  EXPECT_FALSE(first.error.has_value());
  EXPECT_EQ(first.grant.granted_needs, 7);
  EXPECT_EQ(first.grant.generation, store->generation_of(""));
  EXPECT_EQ(store->counters().errors[ErrorKind::noscript], 2U) << "attach and lease";

  test::RedisClient client(server);
  client.ask({"SCRIPT", "FLUSH"});
  EXPECT_EQ(lease(1).grant.granted_needs, 1);
  EXPECT_EQ(store->counters().errors[ErrorKind::noscript], 3U);

  const Generation before = store->generation_of("");
  client.ask({"FLUSHALL"});
  EXPECT_EQ(lease(3).grant.granted_needs, 0) << "what was taken is booked again";
  EXPECT_EQ(lease(2).grant.granted_needs, 2);
  EXPECT_NE(store->generation_of(""), before);
  EXPECT_EQ(log.take().back(), "serving, new history");
  EXPECT_EQ(store->counters().rebooked_tokens, 8U);

  server.restart();
  ASSERT_TRUE(
      run_until(loop, [&] { return !log.lines.empty() && log.lines.back() == "serving, new history"; }));
  EXPECT_EQ(lease(1).grant.granted_needs, 0);
  EXPECT_EQ(store->counters().rebooked_tokens, 18U);
}

TEST_F(RealServerTest, TellsWhatIsNotItsOwn) {
  start();
  ASSERT_TRUE(serves());
  test::RedisClient client(server);
  client.ask({"LPUSH", "sluice:rule:x", "1"});
  EXPECT_EQ(lease(1).error, StoreError::foreign);
  client.ask({"SET", "sluice:rule:x", "hello"});
  EXPECT_EQ(lease(1).error, StoreError::foreign);
  EXPECT_EQ(store->counters().errors[ErrorKind::wrong_type], 2U);
}

TEST_F(RealServerTest, UsesItsPasswordAndName) {
  test::RedisClient client(server);
  client.ask({"CONFIG", "SET", "requirepass", "hunter2"});
  start("hunter2");
  ASSERT_TRUE(serves());
  EXPECT_NE(client.ask({"CLIENT", "LIST"}).text.find("name=sluiced"), std::string::npos);

  start("wrong");
  ASSERT_TRUE(run_until(loop, [&] { return log.lines.size() > 1; }));
  EXPECT_EQ(log.lines[1],
            "failed: the server does not accept the configured user name and password (WRONGPASS)");
  start();
  ASSERT_TRUE(run_until(loop, [&] { return log.lines.size() > 2; }));
  EXPECT_TRUE(log.lines[2].ends_with("(NOAUTH)")) << log.lines[2];
}

TEST_F(RealServerTest, LeavesAReplica) {
  start();
  ASSERT_TRUE(serves());
  test::RedisClient client(server);
  client.ask({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(lease(1).error, StoreError::unavailable);
  EXPECT_EQ(store->counters().errors[ErrorKind::readonly], 1U);
  client.ask({"REPLICAOF", "NO", "ONE"});
  ASSERT_TRUE(run_until(loop, [&] { return store->serving() && store->counters().connection.connects > 1; }));
  EXPECT_EQ(lease(1).grant.granted_needs, 1);
}

}  // namespace
}  // namespace sluice::store::redis
