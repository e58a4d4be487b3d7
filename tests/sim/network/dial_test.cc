// Aim: attempts end as those of the real connector do, and connections reach who listens. Method: two
// processes on virtual time that dial, listen and die at chosen moments.
#include <gtest/gtest.h>

#include <memory>

#include "base/connector.h"
#include "sim/network/network.h"
#include "sim/network/world_for_test.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

TEST(SimDial, ReachesWhoListens) {
  World world;
  world.connect();
  EXPECT_EQ(world.server.listener->address(), "b:6379");
  EXPECT_EQ(world.network.counters().connections, 1U);
  EXPECT_EQ(world.client.failure, "");
}

TEST(SimDial, SaysNothingFromInsideOfConnect) {
  World world;
  world.client.dial("nobody", 1);
  EXPECT_EQ(world.client.failure, "");
  world.run(100ms);
  EXPECT_EQ(world.client.failure, "nobody:1: unknown name");
}

TEST(SimDial, APortWithoutAListenerRefuses) {
  World world;
  world.client.dial("b", 1);
  world.run(200ms);
  EXPECT_EQ(world.client.failure, "b:1: connection refused");
  EXPECT_EQ(world.network.counters().refused, 1U);
}

TEST(SimDial, APathIsNoPlaceInThisWorld) {
  World world;
  const auto connector = world.network.connector(world.a, *world.client.loop);
  const auto attempt = connector->connect({.path = "/run/redis.sock"}, world.client);
  world.run(1s);
  EXPECT_EQ(world.client.failure, "/run/redis.sock: no such file or directory");
}

TEST(SimDial, ADestroyedListenerFreesItsPort) {
  World world;
  world.connect();
  world.server.listener.reset();
  world.client.dial("b", World::kPort);
  world.run(200ms);
  EXPECT_EQ(world.client.failure, "b:6379: connection refused");
  world.there().stream->write("still here");
  world.run(1s);
  EXPECT_EQ(world.here().received, "still here");
  world.server.listen(World::kPort);
  world.client.dial("b", World::kPort);
  world.run(200ms);
  EXPECT_EQ(world.server.accepted.size(), 2U);
}

TEST(SimDial, HangsIntoABlockOfEitherDirectionAndGivesUpAfterASecond) {
  for (const bool there : {true, false}) {
    World world;
    world.network.block(there ? world.a : world.b, there ? world.b : world.a);
    world.client.dial("b", World::kPort);
    world.run(999ms);
    EXPECT_EQ(world.client.failure, "");
    world.run(1ms);
    EXPECT_EQ(world.client.failure, "b:6379: no answer within 1s");
    EXPECT_TRUE(world.server.accepted.empty());
    EXPECT_EQ(world.network.counters().hung, 1U);
  }
}

TEST(SimDial, AGivenUpAttemptIsSilent) {
  World world;
  world.client.dial("b", World::kPort);
  world.client.attempt.reset();
  world.run(5s);
  EXPECT_EQ(world.client.dialled, nullptr);
  EXPECT_EQ(world.client.failure, "");
  EXPECT_TRUE(world.server.accepted.empty());
}

TEST(SimDial, AnAttemptMayBeDestroyedInItsOwnEvent) {
  class Impatient final : public ConnectEvents {
   public:
    void on_connected(std::unique_ptr<ByteStream> /*stream*/) override { attempt.reset(); }
    void on_connect_failed(std::string_view /*reason*/) override { attempt.reset(); }
    std::unique_ptr<ConnectAttempt> attempt;
  };
  World world;
  const auto connector = world.network.connector(world.a, *world.client.loop);
  for (const char* host : {"b", "nobody"}) {
    Impatient events;
    events.attempt = connector->connect({.host = host, .port = World::kPort}, events);
    world.run(1s);
    EXPECT_EQ(events.attempt, nullptr);
  }
  ASSERT_EQ(world.server.accepted.size(), 1U);
  EXPECT_EQ(world.there().log, "end\n");
}

TEST(SimDial, AStoppedProcessIsConnectedToByItsKernel) {
  World world;
  world.server.loop->suspend(world.timeline.now() + 5s, true);
  world.client.dial("b", World::kPort);
  world.run(200ms);
  ASSERT_NE(world.client.dialled, nullptr);
  EXPECT_TRUE(world.server.accepted.empty());
  world.here().stream->write("early");
  world.run(5s);
  EXPECT_EQ(world.there().received, "early");
}

TEST(SimDial, ADyingProcessResetsWhatItHadNotAccepted) {
  World world;
  world.server.loop->suspend(world.timeline.now() + 5s, true);
  world.client.dial("b", World::kPort);
  world.run(200ms);
  world.server.die();
  world.run(1s);
  EXPECT_EQ(world.here().log, "closed: read: connection reset by peer\n");
}

TEST(SimDial, AProcessThatWakesTooLateForItsTimerDropsTheConnection) {
  World world;
  world.client.dial("b", World::kPort);
  world.client.loop->suspend(world.timeline.now() + 5s, false);
  world.run(6s);
  EXPECT_EQ(world.client.failure, "b:6379: no answer within 1s");
  ASSERT_EQ(world.server.accepted.size(), 1U);
  EXPECT_EQ(world.there().log, "end\n");
}

TEST(SimDial, ReachesItsOwnHostWhateverIsBlocked) {
  World world;
  world.network.block(world.b, world.b);
  EXPECT_FALSE(world.network.blocked(world.b, world.b));
  world.server.dial("b", World::kPort);
  world.run(10ms);
  EXPECT_NE(world.server.dialled, nullptr);
}

TEST(SimDialDeathTest, APortHasOneListener) {
  World world;
  EXPECT_DEATH(world.server.listen(World::kPort), "listeners");
}

}  // namespace
}  // namespace sluice::sim
