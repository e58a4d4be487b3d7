// Aim: a simulated cluster sends clients where real nodes would: by what each believes, late, and while a
// slot is on its way. Method: three groups with a replica each on the simulated network.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/redis/cluster.h"
#include "sim/redis/node_for_test.h"
#include "sim/redis/slots.h"

namespace sluice::sim::testing {
namespace {

class Cluster : public ::testing::Test {
 protected:
  Cluster() {
    for (std::size_t i = 0; i < 6; ++i) callers_.push_back(world_.call(i));
    for (std::size_t group = 0; group < 3; ++group) server(group + 3).replicate(server(group));
    world_.run(3s);
  }
  RedisServer& server(std::size_t i) { return *world_.redis[i]; }
  std::string ask(std::size_t node, const std::vector<std::string>& words) {
    return world_.ask(*callers_[node], words);
  }
  /// {x}… has a slot of the first group.
  static std::string tag() {
    std::string tag = "a";
    while (slot_of(tag) >= kSlotCount / 3) tag += 'a';
    return tag;
  }

  SmallWorld world_{6};
  RedisCluster cluster_{world_.timeline,
                        Draw(7),
                        {world_.redis[0].get(), world_.redis[1].get(), world_.redis[2].get()},
                        {{world_.redis[3].get()}, {world_.redis[4].get()}, {world_.redis[5].get()}}};
  std::vector<std::unique_ptr<Caller>> callers_;
  std::string counter_ = "c:{" + tag() + "}";
  std::string meta_ = "m:{" + tag() + "}";
  std::uint16_t slot_ = slot_of(tag());
};

TEST_F(Cluster, SlotsOfKeys) {
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("x{foo}y"), 12182);
  EXPECT_EQ(slot_of("x{}foo"), slot_of("x{}foo"));
  EXPECT_NE(slot_of("{}foo"), slot_of("foo"));
}

TEST_F(Cluster, EachSlotHasOneMasterAndOthersSayWho) {
  EXPECT_EQ(ask(0, {"SET", counter_, "1"}), "+OK\r\n");
  const std::string moved = "-MOVED " + std::to_string(slot_) + " r0:6379\r\n";
  EXPECT_EQ(ask(1, {"GET", counter_}), moved);
  EXPECT_EQ(ask(3, {"GET", counter_}), moved) << "its own replica, too";
  EXPECT_EQ(ask(1, {"EVAL", "return 1", "2", counter_, meta_}), moved);
  EXPECT_EQ(ask(0, {"EVAL", "return 1", "2", counter_, "elsewhere"}),
            "-CROSSSLOT Keys in request don't hash to the same slot\r\n");
  EXPECT_EQ(ask(1, {"PING"}), "+PONG\r\n");
  EXPECT_EQ(ask(1, {"READONLY"}), "+OK\r\n");
  EXPECT_TRUE(ask(2, {"CLUSTER", "SLOTS"})
                  .starts_with("*3\r\n*4\r\n:0\r\n:5461\r\n*4\r\n$2\r\nr0\r\n:6379\r\n$40\r\n"));
}

TEST_F(Cluster, ASlotMovesWithItsKeys) {
  for (int i = 0; i < 40; ++i) ask(0, {"SET", "{" + tag() + "}" + std::to_string(i), "v"});
  ask(0, {"HSET", meta_, "f", "v"});
  ASSERT_TRUE(cluster_.move_slot(slot_, 1, 4s, 2s));
  EXPECT_FALSE(cluster_.move_slot(slot_, 1, 4s, 2s));
  const std::string ask_there = "-ASK " + std::to_string(slot_) + " r1:6379\r\n";
  EXPECT_EQ(ask(0, {"GET", counter_}), ask_there) << "it is not here, so it may be there";
  EXPECT_EQ(ask(0, {"EVAL", "return 1", "2", counter_, meta_}),
            "-TRYAGAIN Multiple keys request during rehashing of slot\r\n");
  EXPECT_EQ(ask(1, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r0:6379\r\n");
  EXPECT_EQ(ask(1, {"ASKING"}), "+OK\r\n");
  EXPECT_EQ(ask(1, {"SET", counter_, "new"}), "+OK\r\n");
  EXPECT_EQ(ask(1, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r0:6379\r\n")
      << "ASKING is for one";
  world_.run(5s);
  EXPECT_EQ(cluster_.group_of(slot_), 1);
  EXPECT_EQ(ask(0, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r1:6379\r\n");
  EXPECT_EQ(ask(1, {"GET", counter_}), "$3\r\nnew\r\n");
  EXPECT_EQ(ask(1, {"HGET", meta_, "f"}), "$1\r\nv\r\n");
  EXPECT_EQ(server(0).keys(), 0);
  EXPECT_EQ(server(1).keys(), 42);
  world_.run(2s);
  EXPECT_EQ(server(4).keys(), 42) << "replicated";
  EXPECT_EQ(ask(2, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r1:6379\r\n");
}

TEST_F(Cluster, AFailoverIsHeardOfOneAfterAnother) {
  ask(0, {"SET", counter_, "1"});
  world_.run(1s);
  server(0).crash();
  world_.run(1s);
  cluster_.fail_over(0, server(3), 10s);
  EXPECT_EQ(&cluster_.master(0), &server(3));
  EXPECT_EQ(ask(3, {"GET", counter_}), "$1\r\n1\r\n") << "itself at once";
  EXPECT_EQ(ask(1, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r0:6379\r\n") << "not yet";
  world_.run(10s);
  EXPECT_EQ(ask(1, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r3:6379\r\n");
  server(0).start();
  world_.run(3s);
  EXPECT_EQ(server(0).master(), &server(3));
  EXPECT_EQ(server(0).value(counter_), "1");
  callers_[0] = world_.call(0);
  EXPECT_EQ(ask(0, {"GET", counter_}), "-MOVED " + std::to_string(slot_) + " r3:6379\r\n");
}

}  // namespace
}  // namespace sluice::sim::testing
