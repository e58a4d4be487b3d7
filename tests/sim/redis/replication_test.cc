// Aim: replicas have what their masters had sent, no less and no more: a failover loses exactly the rest.
// Method: servers on the simulated network, writes, blocks, promotions and restarts in virtual time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/redis/node_for_test.h"

namespace sluice::sim::testing {
namespace {

std::string replid(SmallWorld& world, std::size_t server) {
  const auto caller = world.call(server);
  const std::string info = world.ask(*caller, {"INFO", "replication"});
  return info.substr(info.find("master_replid:"), 54);
}

TEST(Replication, AReplicaCopiesAndThenFollows) {
  SmallWorld world(2);
  const auto master = world.call(0);
  world.ask(*master, {"SET", "before", "1", "PX", "10000"});
  world.redis[1]->replicate(*world.redis[0]);
  world.run(2s);
  world.ask(*master, {"SET", "after", "2"});
  world.run(1s);
  const auto replica = world.call(1);
  EXPECT_EQ(world.ask(*replica, {"GET", "before"}), "$1\r\n1\r\n");
  EXPECT_EQ(world.ask(*replica, {"GET", "after"}), "$1\r\n2\r\n");
  EXPECT_EQ(world.redis[1]->offset(), world.redis[0]->offset());
  EXPECT_FALSE(world.redis[1]->is_master());
  EXPECT_EQ(world.redis[1]->master(), world.redis[0].get());
  EXPECT_EQ(world.ask(*replica, {"SET", "a", "b"}),
            "-READONLY You can't write against a read only replica.\r\n");
  EXPECT_TRUE(
      world.ask(*replica, {"ROLE"}).starts_with("*5\r\n$5\r\nslave\r\n$2\r\nr0\r\n:6379\r\n$9\r\nconnected"));
  EXPECT_TRUE(world.ask(*master, {"INFO", "replication"}).contains("connected_slaves:1\r\n"));
  EXPECT_EQ(replid(world, 0), replid(world, 1));
  // Expired: hidden on the replica, which waits for the master to remove it.
  world.run(10s);
  EXPECT_EQ(world.ask(*replica, {"GET", "before"}), "$-1\r\n");
  EXPECT_EQ(world.redis[1]->offset(), 2);
  EXPECT_EQ(world.ask(*master, {"GET", "before"}), "$-1\r\n");
  world.run(1s);
  EXPECT_EQ(world.redis[1]->offset(), 3);
}

TEST(Replication, APromotionLosesExactlyWhatWasNotReplicated) {
  SmallWorld world(2);
  world.redis[1]->replicate(*world.redis[0]);
  const auto master = world.call(0);
  world.run(2s);
  const std::string id = replid(world, 0);
  for (int i = 1; i <= 100; ++i) world.ask(*master, {"SET", "k" + std::to_string(i), "v"}, 10ms);
  world.run(1s);
  world.network.block(world.hosts[0], world.hosts[1]);
  for (int i = 101; i <= 150; ++i) world.ask(*master, {"SET", "k" + std::to_string(i), "v"}, 10ms);
  world.run(1s);
  world.redis[1]->promote();
  EXPECT_EQ(world.books.histories.back(), (Books::History{world.hosts[1], world.hosts[0], 100}));
  EXPECT_EQ(world.redis[1]->keys(), 100);
  EXPECT_NE(replid(world, 1), id);
  // The old master comes back as a replica and drops its fork.
  world.network.unblock_all();
  EXPECT_EQ(world.redis[0]->keys(), 150);
  world.redis[0]->replicate(*world.redis[1]);
  world.run(3s);
  EXPECT_EQ(world.redis[0]->keys(), 100);
  EXPECT_EQ(replid(world, 0), replid(world, 1));
}

TEST(Replication, LagLosesTheLastMoments) {
  SmallWorld world(2, {.replication_lag_least = 20ms, .replication_lag_most = 30ms});
  world.redis[1]->replicate(*world.redis[0]);
  const auto master = world.call(0);
  world.run(2s);
  for (int i = 1; i <= 100; ++i) world.ask(*master, {"SET", "k", std::to_string(i)}, 5ms);
  EXPECT_EQ(world.redis[0]->value("k"), std::to_string(world.redis[0]->offset()));
  world.redis[0]->crash();
  world.run(1s);
  world.redis[1]->promote();
  const std::uint64_t kept = world.books.histories.back().kept;
  EXPECT_GE(kept, 80);
  EXPECT_LT(kept, 100);
  EXPECT_EQ(world.redis[1]->value("k"), std::to_string(kept));
}

TEST(Replication, ABlockedLinkCatchesUp) {
  SmallWorld world(2);
  world.redis[1]->replicate(*world.redis[0]);
  const auto master = world.call(0);
  world.run(2s);
  world.network.block(world.hosts[0], world.hosts[1]);
  world.ask(*master, {"SET", "k", "1"});
  world.run(5s);
  EXPECT_EQ(world.redis[1]->value("k"), std::nullopt);
  world.network.unblock(world.hosts[0], world.hosts[1]);
  world.run(1s);
  EXPECT_EQ(world.redis[1]->value("k"), "1");
}

TEST(Replication, ARestartedMasterIsCopiedAnewAndWipesItsReplicas) {
  SmallWorld world(2);
  world.redis[1]->replicate(*world.redis[0]);
  const auto master = world.call(0);
  world.run(2s);
  world.ask(*master, {"SET", "k", "1"});
  world.run(1s);
  world.redis[0]->crash();
  world.run(1s);
  EXPECT_EQ(world.redis[1]->value("k"), "1");
  world.redis[0]->start();
  world.run(3s);
  EXPECT_EQ(world.redis[1]->value("k"), std::nullopt);
  EXPECT_EQ(world.redis[1]->offset(), 0);
}

TEST(Replication, FollowersOfAPromotedReplicaGoOnWhereTheyWere) {
  SmallWorld world(3);
  world.redis[1]->replicate(*world.redis[0]);
  world.redis[2]->replicate(*world.redis[1]);
  const auto master = world.call(0);
  world.run(3s);
  world.ask(*master, {"SET", "k", "1"});
  world.run(1s);
  EXPECT_EQ(world.redis[2]->value("k"), "1");
  world.redis[1]->promote();
  world.run(3s);
  const auto promoted = world.call(1);
  world.ask(*promoted, {"SET", "k", "2"});
  world.run(1s);
  EXPECT_EQ(world.redis[2]->value("k"), "2");
  EXPECT_EQ(replid(world, 2), replid(world, 1));
  world.redis[2]->promote();
  EXPECT_EQ(world.books.histories.back(), (Books::History{world.hosts[2], world.hosts[1], 2}));
}

TEST(Wait, CountsReplicasThatHaveAcknowledged) {
  SmallWorld world(3);
  world.redis[1]->replicate(*world.redis[0]);
  world.redis[2]->replicate(*world.redis[0]);
  const auto master = world.call(0);
  world.run(2s);
  master->send({"SET", "k", "1"});
  EXPECT_EQ(world.ask(*master, {"WAIT", "2", "1000"}, 500ms), "+OK\r\n:2\r\n");
  EXPECT_EQ(world.redis[2]->value("k"), "1");
  // What one does not acknowledge is waited for, and what is sent meanwhile waits, too.
  world.network.block(world.hosts[2], world.hosts[0]);
  master->send({"SET", "k", "2"});
  master->send({"WAIT", "2", "300"});
  EXPECT_EQ(world.ask(*master, {"PING"}, 200ms), "+OK\r\n");
  world.run(400ms);
  EXPECT_EQ(master->take(), ":1\r\n+PONG\r\n");
  EXPECT_EQ(world.redis[2]->value("k"), "2");
  // Endless, until the link is there again.
  master->send({"SET", "k", "3"});
  EXPECT_EQ(world.ask(*master, {"WAIT", "2", "0"}, 5s), "+OK\r\n");
  world.network.unblock_all();
  world.run(2s);
  EXPECT_EQ(master->take(), ":2\r\n");
}

TEST(Wait, EndsWithTheMaster) {
  SmallWorld world(2);
  const auto master = world.call(0);
  world.run(1s);
  EXPECT_EQ(world.ask(*master, {"WAIT", "1", "0"}, 1s), "");
  world.redis[0]->replicate(*world.redis[1]);
  world.run(1s);
  EXPECT_TRUE(master->take().starts_with("-UNBLOCKED "));
  EXPECT_TRUE(master->closed());
  const auto replica = world.call(0);
  EXPECT_TRUE(world.ask(*replica, {"WAIT", "1", "0"}).starts_with("-ERR WAIT cannot be used with replica"));
}

TEST(Wait, SurvivesClientsThatLeaveAndServersThatDie) {
  SmallWorld world(2);
  world.redis[1]->replicate(*world.redis[0]);
  world.run(2s);
  world.network.block(world.hosts[1], world.hosts[0]);
  auto leaves = world.call(0);
  leaves->send({"SET", "k", "1"});
  leaves->send({"WAIT", "1", "500"});
  world.run(200ms);
  leaves.reset();
  const auto stays = world.call(0);
  stays->send({"SET", "k", "1"});
  stays->send({"WAIT", "1", "0"});
  world.run(2s);
  world.redis[0]->crash();
  world.network.unblock_all();
  world.run(2s);
  EXPECT_EQ(stays->take(), "+OK\r\n");
  EXPECT_TRUE(stays->closed());
}

}  // namespace
}  // namespace sluice::sim::testing
