// Aim: a simulated sentinel tells what the world has it believe, as a real one would put it.
// Method: a client on the simulated network; and beliefs that change.
#include <gtest/gtest.h>

#include <string>

#include "sim/redis/node_for_test.h"
#include "sim/redis/sentinel.h"

namespace sluice::sim::testing {
namespace {

class Sentinel : public ::testing::Test {
 protected:
  Sentinel() { sentinel_.start(); }

  SmallWorld world_{0};
  HostId host_ = world_.network.add_host("s0");
  RedisSentinel sentinel_{world_.network, host_, world_.timeline, world_.clock, world_.trace};
};

TEST_F(Sentinel, TellsWhereAMasterIs) {
  sentinel_.believe("shard-a", "r0", 6379, 3);
  const auto caller = world_.call("s0", 26379);
  EXPECT_TRUE(world_.ask(*caller, {"HELLO", "2", "SETNAME", "me"}).starts_with("*12\r\n"));
  EXPECT_EQ(world_.ask(*caller, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shard-a"}),
            "*2\r\n$2\r\nr0\r\n$4\r\n6379\r\n");
  EXPECT_TRUE(
      world_.ask(*caller, {"SENTINEL", "MASTER", "shard-a"}).ends_with("$12\r\nconfig-epoch\r\n$1\r\n3\r\n"));
  EXPECT_EQ(world_.ask(*caller, {"sentinel", "get-master-addr-by-name", "other"}), "*-1\r\n");
  EXPECT_EQ(world_.ask(*caller, {"SENTINEL", "MASTER", "other"}), "-ERR No such master with that name\r\n");
  EXPECT_EQ(world_.ask(*caller, {"ROLE"}), "*2\r\n$8\r\nsentinel\r\n*1\r\n$7\r\nshard-a\r\n");
  EXPECT_EQ(world_.ask(*caller, {"GET", "a"}),
            "-ERR unknown command 'GET', with args beginning with: 'a' \r\n");
  sentinel_.forget("shard-a");
  EXPECT_EQ(world_.ask(*caller, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shard-a"}), "*-1\r\n");
}

TEST_F(Sentinel, TellsSubscribersOfASwitch) {
  sentinel_.believe("shard-a", "r0", 6379, 3);
  const auto caller = world_.call("s0", 26379);
  EXPECT_EQ(world_.ask(*caller, {"SUBSCRIBE", "+switch-master"}),
            "*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n");
  sentinel_.believe("shard-a", "r0", 6379, 4);
  world_.run(1s);
  EXPECT_EQ(caller->take(), "") << "the same address";
  sentinel_.believe("shard-a", "r1", 6380, 5);
  world_.run(1s);
  EXPECT_EQ(caller->take(),
            "*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$23\r\nshard-a r0 6379 r1 6380\r\n");
  EXPECT_EQ(world_.ask(*caller, {"PING"}), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
}

TEST_F(Sentinel, BeliefsOutliveACrash) {
  sentinel_.believe("shard-a", "r0", 6379, 3);
  auto caller = world_.call("s0", 26379);
  world_.run(1s);
  sentinel_.crash();
  world_.run(1s);
  EXPECT_TRUE(caller->closed());
  sentinel_.start();
  caller = world_.call("s0", 26379);
  EXPECT_EQ(world_.ask(*caller, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shard-a"}),
            "*2\r\n$2\r\nr0\r\n$4\r\n6379\r\n");
}

}  // namespace
}  // namespace sluice::sim::testing
