// Aim: each fault shows a process what TCP would: silence, a reset, or nothing at all; and a seed is one run.
// Method: two processes on virtual time, faults at chosen moments, and a drawn mixture for the trace.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/core/draw.h"
#include "sim/network/network.h"
#include "sim/network/world_for_test.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto kReset = "closed: read: connection reset by peer\n";
constexpr auto kTimedOut = "closed: read: connection timed out\n";

TEST(SimFaults, ABlockDelaysOneDirectionAndLosesNothing) {
  World world;
  world.connect();
  world.network.block(world.a, world.b);
  EXPECT_TRUE(world.network.blocked(world.a, world.b));
  EXPECT_FALSE(world.network.blocked(world.b, world.a));
  for (const char* part : {"one ", "two ", "three"}) world.here().stream->write(part);
  world.there().stream->write("answer");
  world.run(10s);
  EXPECT_EQ(world.there().received, "");
  EXPECT_EQ(world.here().received, "answer");
  EXPECT_GE(world.network.counters().delayed, 3U);
  world.network.unblock(world.a, world.b);
  EXPECT_EQ(world.there().received, "");
  world.run(1s + 100ms);
  EXPECT_EQ(world.there().received, "one two three");
  EXPECT_EQ(world.here().log + world.there().log, "");
}

TEST(SimFaults, AShortBlockDelaysForNotMuchLonger) {
  World world(1, {.latency = {.slow_share = 0}});
  world.connect();
  world.network.block(world.a, world.b);
  world.here().stream->write("x");
  world.run(10ms);
  world.network.unblock_all();
  EXPECT_FALSE(world.network.blocked(world.a, world.b));
  world.run(10ms + 300us);
  EXPECT_EQ(world.there().received, "x");
}

TEST(SimFaults, ABlockCatchesWhatIsUnderWay) {
  World world;
  world.connect();
  world.here().stream->write("x");
  world.network.block(world.a, world.b);
  world.run(10s);
  EXPECT_EQ(world.there().received, "");
}

TEST(SimFaults, SilenceEndsAConnectionOnTheSideThatWaits) {
  for (const bool there : {true, false}) {  // bytes do not arrive, or word of their arrival does not
    World world;
    world.connect();
    world.network.block(there ? world.a : world.b, there ? world.b : world.a);
    world.here().stream->write("x");
    world.run(119s);
    EXPECT_EQ(world.here().log, "");
    world.run(2s);
    EXPECT_EQ(world.here().log, kTimedOut);
    EXPECT_EQ(world.there().received, there ? "" : "x");
    EXPECT_EQ(world.there().log, "");
    // The other end is half-open, and learns by writing.
    world.network.unblock_all();
    world.run(5s);
    EXPECT_EQ(world.there().log, "");
    world.there().stream->write("x");
    world.run(5s);
    EXPECT_EQ(world.there().log, kReset);
  }
}

TEST(SimFaults, ABlockThatEndsInTimeEndsNothing) {
  World world;
  world.connect();
  for (int i = 0; i < 4; ++i) {
    world.network.block(world.a, world.b);
    world.here().stream->write("x");
    world.run(60s);
    world.network.unblock(world.a, world.b);
    world.run(2s);
  }
  EXPECT_EQ(world.there().received, "xxxx");
  EXPECT_EQ(world.here().log, "");
}

TEST(SimFaults, AFullBufferDrainsAfterABlockOfTheWayBack) {
  World world(1, {.send_buffer = 100});
  world.connect();
  world.network.block(world.b, world.a);
  world.here().stream->write(std::string(1000, 'x'));
  world.run(10s);
  EXPECT_EQ(world.there().received.size(), 100U);
  world.network.unblock(world.b, world.a);
  world.run(10s);
  EXPECT_EQ(world.there().received.size(), 1000U);
  EXPECT_EQ(world.here().log, "drained\n");
}

TEST(SimFaults, AResetIsHeardByBothEndsThroughBlocks) {
  World world;
  world.connect();
  world.network.block(world.a, world.b);
  world.network.block(world.b, world.a);
  world.network.reset(world.b, world.a);
  world.run(1s);
  EXPECT_EQ(world.here().log, kReset);
  EXPECT_EQ(world.there().log, kReset);
  EXPECT_EQ(world.network.counters().resets, 1U);
}

TEST(SimFaults, AResetThatMeetsAWaitingWriteIsAnErrorOfTheWrite) {
  World world(1, {.send_buffer = 100});
  world.connect();
  world.here().stream->pause();
  world.there().stream->pause();
  world.here().stream->write(std::string(1000, 'x'));
  world.network.reset(world.a, world.b);
  world.run(1s);
  EXPECT_EQ(world.here().log, "closed: write: connection reset by peer\n");
  EXPECT_EQ(world.there().log, "");  // reads nothing, writes nothing
  world.there().stream->resume();
  world.run(1s);
  EXPECT_EQ(world.there().received.substr(0, 100), std::string(world.there().received.size(), 'x'));
  EXPECT_EQ(world.there().log, kReset);
}

TEST(SimFaults, ResetOneTakesOneOfTheHostsConnections) {
  World world;
  world.network.reset_one(world.a);  // has none
  EXPECT_EQ(world.network.counters().resets, 0U);
  world.connect();
  world.server.dial("b", World::kPort);  // a connection that a has no part in
  world.run(1s);
  world.network.reset_one(world.a);
  world.run(1s);
  EXPECT_EQ(world.here().log, kReset);
  EXPECT_EQ(world.server.dialled->log, "");
  EXPECT_EQ(world.network.counters().resets, 1U);
}

TEST(SimFaults, AResetIntoABlockIsLost) {
  World world;
  world.connect();
  world.there().stream->pause();
  world.here().stream->write("unread");
  world.run(1s);
  world.network.block(world.b, world.a);
  world.there().stream->close();
  world.run(1s);
  world.network.unblock(world.b, world.a);
  world.run(10s);
  EXPECT_EQ(world.here().log, "");
  world.here().stream->write("anybody there?");
  world.run(1s);
  EXPECT_EQ(world.here().log, kReset);
}

TEST(SimFaults, BytesToADeadEndGetTheirAnswerWhenTheWayBackIsFree) {
  World world(1, {.send_buffer = 100});
  world.connect();
  world.there().stream->pause();
  world.here().stream->write(std::string(1000, 'x'));  // more than there is room for
  world.run(1s);
  world.network.block(world.b, world.a);
  world.server.die();
  world.run(10s);
  EXPECT_EQ(world.here().log, "");
  world.network.unblock(world.b, world.a);
  world.run(5s);
  EXPECT_EQ(world.here().log, kReset);
}

TEST(SimFaults, AMachineWithoutPowerIsHalfOpenUntilItsPeerWritesToTheNextBoot) {
  World world;
  world.connect();
  world.network.power_off(world.b);
  world.server.die();
  world.run(1h);
  EXPECT_EQ(world.here().log, "");
  EXPECT_EQ(world.network.counters().half_open, 1U);
  world.network.power_on(world.b);
  world.run(1h);
  EXPECT_EQ(world.here().log, "");
  world.here().stream->write("x");
  world.run(1s);
  EXPECT_EQ(world.here().log, kReset);
}

TEST(SimFaults, WhatWasWrittenMeanwhileIsSentAgain) {
  World world;
  world.connect();
  world.network.power_off(world.b);
  world.server.die();
  world.here().stream->write("x");
  world.run(60s);
  EXPECT_EQ(world.here().log, "");
  world.network.power_on(world.b);
  world.run(2s);
  EXPECT_EQ(world.here().log, kReset);
}

TEST(SimFaults, UnansweredBytesToAMachineWithoutPowerTimeOut) {
  for (const bool waits_for_room : {false, true}) {
    World world(1, {.send_buffer = 100});
    world.connect();
    if (waits_for_room) {
      world.there().stream->pause();
      world.here().stream->write(std::string(1000, 'x'));
      world.run(1s);
    }
    world.network.power_off(world.b);
    world.server.die();
    world.here().stream->write("x");
    world.run(119s);
    EXPECT_FALSE(world.here().log.contains("closed"));
    world.run(3s);
    EXPECT_TRUE(world.here().log.ends_with("connection timed out\n")) << world.here().log;
  }
}

TEST(SimFaults, AMachineWithoutPowerHearsNothingAndSaysNothing) {
  World world;
  world.connect();
  world.there().stream->write("lost on the way");
  world.here().stream->write("never read");
  world.network.power_off(world.b);
  world.there().stream->write("x");
  world.run(1s);
  EXPECT_EQ(world.there().received + world.there().log, "");
  world.there().stream.reset();
  world.server.die();
  world.run(1s);
  EXPECT_EQ(world.here().received + world.here().log, "");
}

TEST(SimFaults, AttemptsToAMachineWithoutPowerHangAndThenItListensAgain) {
  World world;
  world.network.power_off(world.b);
  world.server.die();
  world.client.dial("b", World::kPort);
  world.run(2s);
  EXPECT_EQ(world.client.failure, "b:6379: no answer within 1s");
  world.network.power_on(world.b);
  world.client.dial("b", World::kPort);
  world.run(200ms);
  EXPECT_EQ(world.client.failure, "b:6379: connection refused");
  Process next(world.network, world.b, world.timeline);
  next.listen(World::kPort);
  world.client.dial("b", World::kPort);
  world.run(200ms);
  EXPECT_EQ(next.accepted.size(), 1U);
}

TEST(SimFaults, TheAttemptsOfAMachineVanishWithIt) {
  World world;
  world.client.dial("b", World::kPort);
  world.network.power_off(world.a);
  world.client.die();
  world.network.power_on(world.a);
  world.run(5s);
  EXPECT_TRUE(world.server.accepted.empty());
}

/// A minute of two processes that talk, under faults.
std::uint64_t hash_of_run(std::uint64_t seed) {
  World world(seed, {.send_buffer = 300});
  Draw draw = Draw(seed).fork(1);
  for (int i = 0; i < 2000; ++i) {
    Process& process = draw.one_in(2) ? world.client : world.server;
    const bool connected = world.client.dialled && world.client.dialled->log.empty();
    if (!connected && draw.one_in(5)) world.client.dial("b", World::kPort);
    if (process.dialled) process.dialled->stream->write(std::string(draw.below(200), 'c'));
    for (const auto& peer : process.accepted) peer->stream->write(std::string(draw.below(200), 's'));
    if (draw.one_in(100)) world.network.block(world.a, world.b);
    if (draw.one_in(100)) world.network.block(world.b, world.a);
    if (draw.one_in(30)) world.network.unblock_all();
    if (draw.one_in(100)) world.network.reset_one(world.a);
    if (draw.one_in(100)) process.loop->suspend(world.timeline.now() + 100ms, draw.one_in(2));
    if (draw.one_in(100)) world.network.power_off(world.b);
    if (draw.one_in(20)) {
      world.network.power_on(world.b);
      world.server.listener.reset();
      world.server.listen(World::kPort);
    }
    if (draw.one_in(100)) world.server.accepted.clear();
    world.run(draw.log_between(10us, 200ms));
  }
  EXPECT_GT(world.network.counters().connections, 3U);
  EXPECT_GT(world.network.counters().bytes, 10'000U);
  return world.trace.hash();
}

TEST(SimFaults, ASeedIsOneRun) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint64_t hash = hash_of_run(seed);
    EXPECT_EQ(hash_of_run(seed), hash);
    EXPECT_NE(hash_of_run(seed + 1), hash);
  }
}

}  // namespace
}  // namespace sluice::sim
