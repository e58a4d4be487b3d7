// Aim: the promises of store/redis/connection.h about commands: pipelined in one write a turn, answered in
// order, timed out one by one, lost when the connection is; and that its owner may do anything in its events.
//
// Method: a virtual loop; the test is the server.
#include "store/redis/connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "unit/store/redis/connection_fixture.h"

namespace sluice::store::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(ConnectionTest, DoesNothingBeforeStart) {
  make();
  loop.advance(seconds{10});
  EXPECT_EQ(connector.attempts(), 0U);
  EXPECT_FALSE(send(1));
  connection->drop("no reason");
  loop.advance(seconds{10});
  EXPECT_EQ(events.lines, Lines{});
  EXPECT_EQ(connection->counters().refused, 1U);
}

TEST_F(ConnectionTest, SendsNothingBeforeItIsReady) {
  start();
  EXPECT_EQ(connector.endpoint().text(), "redis:6379");
  EXPECT_FALSE(send(1));
  connector.accept();
  EXPECT_FALSE(send(2));
  EXPECT_FALSE(connection->ready());
  say("*0\r\n");
  EXPECT_TRUE(connection->ready());
  EXPECT_TRUE(send(3));
}

TEST_F(ConnectionTest, WritesATurnsCommandsAtOnce) {
  start_ready();
  const auto before = connection->counters();
  EXPECT_TRUE(send(1));
  EXPECT_TRUE(send(2));
  EXPECT_EQ(heard(), "");
  loop.turn();
  EXPECT_EQ(heard(), command({"GET", "1"}) + command({"GET", "2"}));
  EXPECT_TRUE(send(3));
  loop.turn();
  EXPECT_EQ(connection->counters().writes - before.writes, 2U);
  EXPECT_EQ(connection->counters().commands - before.commands, 3U);
  EXPECT_EQ(connection->counters().bytes_sent - before.bytes_sent, 3 * command({"GET", "1"}).size());
  EXPECT_EQ(connection->in_flight(), 3U);
  say(":11\r\n$2\r\nhi\r\n");
  EXPECT_EQ(events.take(), (Lines{"1=11", "2=hi"}));
  say("-ERR no\r\n");
  EXPECT_EQ(events.take(), Lines{"3=ERR no"});
  EXPECT_EQ(connection->in_flight(), 0U);
}

TEST_F(ConnectionTest, RecordsHowLongEachAnswerTook) {
  start_ready();
  EXPECT_TRUE(send(1));
  loop.advance(milliseconds{3});
  EXPECT_TRUE(send(2));
  loop.advance(milliseconds{4});
  say(":1\r\n:2\r\n");
  EXPECT_EQ(connection->counters().latency.count(), 2U);
  EXPECT_EQ(connection->counters().latency.view().sum, 11'000'000);
  EXPECT_TRUE(send(3));
  loop.advance(milliseconds{400});  // beyond its deadline: late, but an answer
  say(":3\r\n");
  EXPECT_EQ(connection->counters().latency.count(), 3U);
  EXPECT_EQ(connection->counters().latency.view().sum, 411'000'000);
}

TEST_F(ConnectionTest, WhatIsSentInOnReadyGoesOutFirst) {
  bool sent = false;
  events.hook = [&](const std::string& line) {
    if (line == "ready") sent = send(1);
  };
  start();
  connector.accept();
  heard();
  say("*0\r\n");
  EXPECT_TRUE(sent);
  EXPECT_EQ(heard(), command({"GET", "1"}));
}

TEST_F(ConnectionTest, ReadsRepliesCutAnywhere) {
  const std::string replies = "*2\r\n:1\r\n$3\r\na\r\n\r\n$-1\r\n+OK\r\n:-7\r\n";
  for (std::size_t cut = 0; cut <= replies.size(); ++cut) {
    start_ready();
    for (std::uint64_t tag = 1; tag <= 4; ++tag) EXPECT_TRUE(send(tag));
    loop.turn();
    say(replies.substr(0, cut));
    say(replies.substr(cut));
    EXPECT_EQ(events.take(), (Lines{"1=", "2=", "3=OK", "4=-7"})) << cut;
  }
  start_ready();
  for (std::uint64_t tag = 1; tag <= 4; ++tag) EXPECT_TRUE(send(tag));
  for (const char byte : replies) say(std::string_view(&byte, 1));
  EXPECT_EQ(events.take(), (Lines{"1=", "2=", "3=OK", "4=-7"}));
}

TEST_F(ConnectionTest, RefusesMoreThanItsBoundInFlight) {
  start_ready({.max_in_flight = 2});
  EXPECT_TRUE(send(1));
  EXPECT_TRUE(send(2));
  EXPECT_FALSE(send(3));
  EXPECT_EQ(connection->counters().refused, 1U);
  say(":1\r\n");
  EXPECT_TRUE(send(4));
}

TEST_F(ConnectionTest, EachCommandHasItsDeadline) {
  start_ready();
  EXPECT_TRUE(send(1));
  loop.advance(milliseconds{100});
  EXPECT_TRUE(send(2));
  loop.advance(milliseconds{100});
  say(":1\r\n");  // the first in time
  EXPECT_EQ(events.take(), Lines{"1=1"});
  loop.advance(milliseconds{149});
  EXPECT_EQ(events.take(), Lines{});
  loop.advance(milliseconds{1});
  EXPECT_EQ(events.take(), Lines{"lost 2"});
  EXPECT_EQ(connection->counters().timeouts, 1U);
  EXPECT_TRUE(connection->ready());
}

TEST_F(ConnectionTest, DiscardsALateReplyAndKeepsTheOrder) {
  start_ready();
  EXPECT_TRUE(send(1));
  loop.advance(milliseconds{200});
  EXPECT_TRUE(send(2));
  loop.advance(milliseconds{50});
  EXPECT_EQ(events.take(), Lines{"lost 1"});
  say(":1\r\n:2\r\n");
  EXPECT_EQ(events.take(), Lines{"2=2"});
  EXPECT_TRUE(send(3));
  loop.turn();
  say(":3\r\n");
  EXPECT_EQ(events.take(), Lines{"3=3"});
}

TEST_F(ConnectionTest, RefusesWhileStalledAndRecovers) {
  start_ready();
  EXPECT_TRUE(send(1));
  loop.advance(kTimeout);
  EXPECT_FALSE(send(2));
  EXPECT_TRUE(connection->ready());
  say(":");  // not even a reply, but a sign of life
  EXPECT_TRUE(send(3));
  say("1\r\n:3\r\n");
  EXPECT_EQ(events.take(), (Lines{"lost 1", "3=3"}));
  loop.advance(seconds{10});
  EXPECT_EQ(events.take(), Lines{});
  EXPECT_TRUE(connection->ready());
}

TEST_F(ConnectionTest, GivesUpWhatStaysSilent) {
  start_ready();
  EXPECT_TRUE(send(1));
  loop.advance(milliseconds{240});
  EXPECT_TRUE(send(2));
  loop.advance(milliseconds{10});
  EXPECT_EQ(events.take(), Lines{"lost 1"});
  loop.advance(4 * kTimeout - milliseconds{1});
  EXPECT_EQ(events.take(), Lines{"lost 2"});
  EXPECT_TRUE(connection->ready());
  loop.advance(milliseconds{1});
  EXPECT_EQ(events.take(), Lines{"down: a command timed out, and then nothing came for 1s"});
  EXPECT_FALSE(connection->ready());
  EXPECT_TRUE(connector.wire().closed);
  EXPECT_GT(until_attempt(), Duration::zero());
}

TEST_F(ConnectionTest, ADropLosesAllInFlightInOrder) {
  start_ready();
  for (std::uint64_t tag = 1; tag <= 3; ++tag) EXPECT_TRUE(send(tag));
  loop.turn();
  say(":1\r\n");
  EXPECT_TRUE(send(4));  // not even written
  EXPECT_EQ(events.take(), Lines{"1=1"});
  heard();
  connection->drop("because");
  EXPECT_EQ(events.lines, Lines{}) << "called from inside a call";
  EXPECT_FALSE(connection->ready());
  EXPECT_FALSE(send(5));
  connection->drop("again");
  loop.turn();
  EXPECT_EQ(events.take(), (Lines{"lost 2", "lost 3", "lost 4", "down: because"}));
  EXPECT_EQ(connection->in_flight(), 0U);
  EXPECT_EQ(heard(), "");
  until_attempt();
  serve();
  EXPECT_EQ(events.take(), Lines{"ready"});
}

TEST_F(ConnectionTest, TheStreamsEndLosesAllInFlight) {
  start_ready();
  EXPECT_TRUE(send(1));
  connector.wire().events->on_end();
  EXPECT_EQ(events.take(), (Lines{"lost 1", "down: the server closed the connection"}));
  until_attempt();
  serve();
  EXPECT_TRUE(send(2));
  connector.wire().events->on_closed("read: connection reset by peer");
  EXPECT_EQ(events.take(), (Lines{"ready", "lost 2", "down: read: connection reset by peer"}));
  loop.advance(seconds{1});
  EXPECT_TRUE(connector.trying());
}

TEST_F(ConnectionTest, UnsolicitedRepliesAreAProtocolError) {
  start_ready();
  EXPECT_TRUE(send(1));
  loop.turn();
  say(":1\r\n:2\r\n");
  EXPECT_EQ(events.take(), (Lines{"1=1", "down: protocol error: a reply that nobody asked for"}));
}

TEST_F(ConnectionTest, ProtocolErrorsLoseWhatIsInFlight) {
  const std::vector<std::string> nonsense = {"!",
                                             "HTTP/1.1 400 Bad Request\r\n",
                                             "*4294967295\r\n",
                                             "*4097\r\n",
                                             "$-2\r\n",
                                             "%1\r\n",
                                             "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"};
  for (const std::string& bytes : nonsense) {
    start_ready();
    EXPECT_TRUE(send(1));
    loop.turn();
    say(bytes);
    const auto lines = events.take();
    ASSERT_EQ(lines.size(), 2U) << bytes;
    EXPECT_EQ(lines[0], "lost 1");
    EXPECT_TRUE(lines[1].starts_with("down: protocol error: ")) << lines[1];
  }
}

TEST_F(ConnectionTest, OwnersMayDropInAnyEvent) {
  for (const std::string at : {"ready", "1=1", "lost 2"}) {
    events.hook = [&](const std::string& line) {
      if (line == at) connection->drop("by the owner");
    };
    start();
    serve();
    if (connection->ready()) {
      EXPECT_TRUE(send(1));
      EXPECT_TRUE(send(2));
      EXPECT_TRUE(send(3));
      loop.turn();
      say(":1\r\n");
      loop.advance(kTimeout);
    }
    const auto lines = events.take();
    EXPECT_EQ(lines.back(), "down: by the owner") << at;
    events.hook = nullptr;
    if (!connector.trying()) until_attempt();
    serve();
    EXPECT_EQ(events.take(), Lines{"ready"}) << at;
  }
}

TEST_F(ConnectionTest, RepliesBehindADropAreNotReported) {
  events.hook = [&](const std::string& line) {
    if (line == "1=1") connection->drop("by the owner");
  };
  start_ready();
  EXPECT_TRUE(send(1));
  EXPECT_TRUE(send(2));
  loop.turn();
  say(":1\r\n:2\r\n");
  EXPECT_EQ(events.take(), (Lines{"1=1", "lost 2", "down: by the owner"}));
}

struct DestroyedInTest : ConnectionTest {
  /// Destroys the connection when it says `line`, which it then must have said last.
  void destroy_at(const std::string& line) {
    events.hook = [this, line](const std::string& said) {
      if (said == line) connection.reset();
    };
    expected = line;
  }
  void begin() {
    start();
    serve();
    for (std::uint64_t tag = 1; connection != nullptr && tag <= 3; ++tag) EXPECT_TRUE(send(tag));
    loop.turn();
  }
  ~DestroyedInTest() override {
    EXPECT_EQ(connection, nullptr);
    loop.advance(seconds{10});
    EXPECT_EQ(events.lines.empty() ? "" : events.lines.back(), expected);
    EXPECT_EQ(loop.timers(), 0U);
  }
  DestroyedInTest() = default;
  DestroyedInTest(const DestroyedInTest&) = delete;
  DestroyedInTest& operator=(const DestroyedInTest&) = delete;
  std::string expected;
};

TEST_F(DestroyedInTest, Ready) {
  destroy_at("ready");
  begin();
}
TEST_F(DestroyedInTest, AReply) {
  destroy_at("1=1");
  begin();
  say(":1\r\n:2\r\n");
}
TEST_F(DestroyedInTest, ATimeout) {
  destroy_at("lost 2");
  begin();
  loop.advance(kTimeout);
}
TEST_F(DestroyedInTest, ALossByTheStreamsEnd) {
  destroy_at("lost 2");
  begin();
  connector.wire().events->on_end();
}
TEST_F(DestroyedInTest, ALossByADrop) {
  destroy_at("lost 2");
  begin();
  connection->drop("x");
  loop.turn();
}
TEST_F(DestroyedInTest, Down) {
  destroy_at("down: x");
  begin();
  connection->drop("x");
  loop.turn();
}
TEST_F(DestroyedInTest, AProtocolError) {
  destroy_at("down: protocol error: an array of more than 4096 elements");
  begin();
  say(":1\r\n*5000\r\n:2\r\n");
}
TEST_F(DestroyedInTest, AFailedAttempt) {
  destroy_at("failed: refused");
  start();
  connector.refuse("refused");
}
TEST_F(DestroyedInTest, AFailedIntroduction) {
  destroy_at("failed: the server is still loading its data (LOADING)");
  start();
  connector.accept();
  say("-LOADING Redis is loading the dataset in memory\r\n+OK\r\n");
}

TEST_F(ConnectionTest, DestroyingItIsSilent) {
  start_ready();
  EXPECT_TRUE(send(1));
  connection->drop("reason");
  connection.reset();
  loop.advance(seconds{10});
  EXPECT_EQ(events.take(), Lines{});
  EXPECT_EQ(loop.timers(), 0U);
  EXPECT_TRUE(connector.wire().closed);
}

}  // namespace
}  // namespace sluice::store::redis
