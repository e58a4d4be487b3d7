// Aim: a simulated server over the network: it answers, persists, is killed and stopped like a process, and
// tells the books. Method: clients on the simulated network, in virtual time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/redis/node_for_test.h"
#include "sim/redis/observer.h"
#include "sim/redis/server.h"
#include "store/redis/scripts.h"

namespace sluice::sim::testing {
namespace {

TEST(Server, AnswersInOrderWhateverWayTheBytesCome) {
  SmallWorld world(1);
  const auto caller = world.call(0);
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    caller->send({"SET", "k", std::to_string(i)});
    caller->send({"GET", "k"});
    const std::string text = std::to_string(i);
    expected += "+OK\r\n$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
  }
  world.run(5s);
  EXPECT_EQ(caller->take(), expected);
  EXPECT_EQ(world.redis[0]->connected(), 1);
  EXPECT_EQ(world.redis[0]->commands(), 400);
  EXPECT_EQ(world.redis[0]->value("k"), "199");
}

TEST(Server, ClosesOnWhatIsNoRequest) {
  SmallWorld world(1);
  const auto caller = world.call(0);
  caller->send({"PING"});
  caller->send_raw("*1\r\n+PING\r\n*1\r\n$4\r\nPING\r\n");
  world.run(1s);
  EXPECT_EQ(caller->take(), "+PONG\r\n-ERR Protocol error: expected '$', got '+'\r\n");
  EXPECT_TRUE(caller->closed());
  EXPECT_EQ(world.redis[0]->connected(), 0);
}

TEST(Server, QuitAnswersAndCloses) {
  SmallWorld world(1);
  const auto caller = world.call(0);
  EXPECT_EQ(world.ask(*caller, {"QUIT"}, 1s), "+OK\r\n");
  EXPECT_TRUE(caller->closed());
}

TEST(Server, KillClientsClosesThemAll) {
  SmallWorld world(1);
  const auto first = world.call(0);
  const auto second = world.call(0);
  world.run(1s);
  world.redis[0]->kill_clients();
  world.run(1s);
  EXPECT_TRUE(first->closed() && second->closed());
  EXPECT_EQ(world.redis[0]->connected(), 0);
}

TEST(Server, WhileStoppedNothingIsAnsweredAndThenEverything) {
  SmallWorld world(1);
  const auto caller = world.call(0);
  world.run(1s);
  world.redis[0]->suspend(world.timeline.now() + 3s);
  EXPECT_EQ(world.ask(*caller, {"PING"}, 2s), "");
  world.run(2s);
  EXPECT_EQ(caller->take(), "+PONG\r\n");
}

TEST(Server, SlowAnswersComeLateAndInOrder) {
  SmallWorld world(1);
  const auto caller = world.call(0);
  world.run(1s);
  world.redis[0]->set_trouble(RedisTrouble::slow);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    caller->send({"PING", std::to_string(i)});
    expected += "$" + std::to_string(i < 10 ? 1 : 2) + "\r\n" + std::to_string(i) + "\r\n";
    world.run(10ms);
    if (i == 4) {
      EXPECT_EQ(caller->take(), "");
    }
  }
  world.run(2s);
  EXPECT_EQ(caller->take(), expected);
}

TEST(Server, ACrashEndsConnectionsAndForgetsAccordingToThePersistence) {
  for (const Persistence persistence : {Persistence::none, Persistence::always}) {
    SmallWorld world(1, {.persistence = persistence});
    const auto caller = world.call(0);
    const std::string sha1 = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
    EXPECT_EQ(world.ask(*caller, {"EVAL", "return 1", "0"}), ":1\r\n");
    EXPECT_EQ(world.ask(*caller, {"SET", "k", "v"}), "+OK\r\n");
    world.redis[0]->crash();
    world.run(1s);
    EXPECT_TRUE(caller->closed());
    EXPECT_FALSE(world.redis[0]->running());
    world.redis[0]->start();
    const bool kept = persistence == Persistence::always;
    EXPECT_EQ(world.books.histories.back(), (Books::History{world.hosts[0], world.hosts[0], kept ? 1U : 0U}));
    const auto again = world.call(0);
    EXPECT_EQ(world.ask(*again, {"GET", "k"}), kept ? "$1\r\nv\r\n" : "$-1\r\n");
    EXPECT_EQ(world.ask(*again, {"EVALSHA", sha1, "0"}),
              "-NOSCRIPT No matching script. Please use EVAL.\r\n");
  }
}

TEST(Server, WithASyncEachSecondTheLastOfItIsLost) {
  SmallWorld world(1, {.persistence = Persistence::every_second});
  const auto caller = world.call(0);
  for (int i = 1; i <= 400; ++i) {
    caller->send({"SET", "k", std::to_string(i)});
    world.run(10ms);
  }
  const std::uint64_t done = world.redis[0]->offset();
  world.redis[0]->crash();
  world.redis[0]->start();
  const std::uint64_t kept = world.books.histories.back().kept;
  EXPECT_GE(kept + 101, done);
  EXPECT_LT(kept, done);
  EXPECT_EQ(world.redis[0]->value("k"), std::to_string(kept));
  EXPECT_EQ(world.redis[0]->offset(), kept);
}

TEST(Server, ARestartHasANewReplicationId) {
  SmallWorld world(1);
  const auto id = [&] {
    const auto caller = world.call(0);
    const std::string info = world.ask(*caller, {"INFO", "replication"});
    return info.substr(info.find("master_replid:"), 54);
  };
  const std::string before = id();
  EXPECT_EQ(id(), before);
  world.redis[0]->crash();
  world.redis[0]->start();
  EXPECT_NE(id(), before);
}

TEST(Server, EvictsCountersAlone) {
  SmallWorld world(1);
  const auto caller = world.call(0);
  world.ask(*caller, {"HSET", "meta", "a", "b"});
  world.ask(*caller, {"SET", "one", "1"});
  world.ask(*caller, {"SET", "two", "2"});
  EXPECT_TRUE(world.redis[0]->evict_one());
  EXPECT_EQ(world.redis[0]->keys(), 2);
  EXPECT_TRUE(world.redis[0]->evict_one());
  EXPECT_FALSE(world.redis[0]->evict_one());
  EXPECT_EQ(world.redis[0]->keys(), 1);
}

TEST(Server, TellsTheBooksOfOurScripts) {
  SmallWorld world(1);
  const store::redis::Scripts scripts;
  const std::string attach(scripts[store::redis::Script::attach].source);
  const auto caller = world.call(0);
  world.ask(*caller, {"CLIENT", "SETNAME", "someone"});
  world.ask(*caller, {"EVAL", "return 1", "0"});
  world.ask(*caller, {"EVAL", attach, "1", "meta", "a1", "0", "nonce", "1", "1000", ""});
  ASSERT_EQ(world.books.runs.size(), 1);
  const ScriptRun& run = world.books.runs[0];
  EXPECT_EQ(world.books.scripts[0], "attach");
  EXPECT_EQ(world.books.clients[0], "someone");
  EXPECT_EQ(run.from, world.client_host);
  EXPECT_EQ(run.server, world.hosts[0]);
  EXPECT_EQ(run.offset, 1);
  EXPECT_EQ(run.answer.size(), 10);
  EXPECT_EQ(run.answer.at(0), 1) << "the generation";
}

}  // namespace
}  // namespace sluice::sim::testing
