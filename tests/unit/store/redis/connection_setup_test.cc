// Aim: the promises of store/redis/connection.h about getting ready: introduced before anything else, in
// time, in the words that the server knows; retried with a backoff that grows, jitters and resets; no secret
// in a reason.
//
// Method: a virtual loop; the test is the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "store/redis/connection.h"
#include "unit/store/redis/connection_fixture.h"

namespace sluice::store::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const ConnectionOptions kFull{.username = "sluice", .password = "hunter2", .client_name = "sluiced"};

TEST_F(ConnectionTest, IntroducesItselfWithAllThereIsToSay) {
  start(kFull);
  connector.accept();
  EXPECT_EQ(heard(), command({"HELLO", "2", "AUTH", "sluice", "hunter2", "SETNAME", "sluiced"}));
  say("*2\r\n$6\r\nserver\r\n$5\r\nredis\r\n");
  EXPECT_EQ(events.take(), Lines{"ready"});
  EXPECT_EQ(connection->counters().connects, 1U);
}

TEST_F(ConnectionTest, FallsBackToTheOldWords) {
  start(kFull);
  connector.accept();
  heard();
  say("-ERR unknown command `HELLO`, with args beginning with: `2`, `AUTH`, `sluice`, `hunter2`, \r\n");
  EXPECT_EQ(heard(), command({"AUTH", "sluice", "hunter2"}) + command({"CLIENT", "SETNAME", "sluiced"}));
  say("+OK\r\n");
  EXPECT_EQ(events.take(), Lines{});
  say("-ERR unknown command\r\n");  // a name is not worth failing for
  EXPECT_EQ(events.take(), Lines{"ready"});
}

TEST_F(ConnectionTest, FallsBackToNothingIfThereIsNothingToSay) {
  start();
  connector.accept();
  EXPECT_EQ(heard(), command({"HELLO", "2"}));
  say("-ERR unknown command 'HELLO'\r\n");
  EXPECT_EQ(heard(), "");
  EXPECT_EQ(events.take(), Lines{"ready"});
}

TEST_F(ConnectionTest, NeverTellsThePassword) {
  const std::string quoted = "-ERR unknown subcommand, with args beginning with: `hunter2`\r\n";
  start(kFull);
  connector.accept();
  say(quoted);
  EXPECT_EQ(events.take(), Lines{"failed: the server answered our introduction with ERR"});
  until_attempt();
  connector.accept();
  say("-ERR unknown command `HELLO`, with args beginning with: `2` `AUTH` `sluice` `hunter2`\r\n");
  say(quoted);
  EXPECT_EQ(events.take(), Lines{"failed: the server answered our introduction with ERR"});
  until_attempt();
  connector.accept();
  say("-hunter2\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: the server answered our introduction with an error"});
}

TEST_F(ConnectionTest, APasswordThatLooksLikeACodeIsNotToldEither) {
  ConnectionOptions options = kFull;
  options.password = "HUNTER";
  start(options);
  for (const std::string answer : {"-HUNTER is wrong\r\n", "-NOHUNTER\r\n", "-\r\n"}) {
    connector.accept();
    say(answer);
    EXPECT_EQ(events.take(), Lines{"failed: the server answered our introduction with an error"}) << answer;
    until_attempt();
  }
  connector.accept();
  say("-NOAUTHHUNTER\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: the server wants a password, and none is configured (an error)"});
}

TEST_F(ConnectionTest, WrongCredentialsAreTriedAgainSlowly) {
  const std::vector<std::string> errors = {
      "-NOAUTH HELLO must be called with the client already authenticated\r\n",
      "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
      "-NOPERM this user has no permissions to run the 'hello' command\r\n",
  };
  start(kFull);
  for (const std::string& error : errors) {
    connector.accept();
    say(error);
    const auto lines = events.take();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with("failed: the ")) << lines[0];
    EXPECT_GE(until_attempt(), seconds{5});
  }
  EXPECT_EQ(connection->counters().failures, errors.size());
}

TEST_F(ConnectionTest, ABusyServerIsTriedAgainSoon) {
  start();
  connector.accept();
  say("-LOADING Redis is loading the dataset in memory\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: the server is still loading its data (LOADING)"});
  EXPECT_LE(until_attempt(), milliseconds{51});
  connector.accept();
  say("-ERR max number of clients reached\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: the server has as many clients as it takes (ERR)"});
  EXPECT_LE(until_attempt(), milliseconds{101});
  connector.accept();
  say("-ERR something new\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: the server answered: ERR something new"});
}

TEST_F(ConnectionTest, ConnectingAndIntroducingShareOneDeadline) {
  start();
  loop.advance(milliseconds{1999});
  EXPECT_TRUE(connector.trying());
  loop.advance(milliseconds{1});
  EXPECT_EQ(events.take(), Lines{"failed: no connection within 2s"});
  EXPECT_FALSE(connector.trying());
  until_attempt();
  loop.advance(milliseconds{1500});
  connector.accept();
  loop.advance(milliseconds{499});
  EXPECT_EQ(events.take(), Lines{});
  loop.advance(milliseconds{1});
  EXPECT_EQ(events.take(), Lines{"failed: no answer to HELLO within 2s"});
  EXPECT_TRUE(connector.wire().closed);
}

TEST_F(ConnectionTest, BackoffDoublesWithJitterAndResets) {
  start();
  Duration step = milliseconds{50};
  std::vector<std::int64_t> shares;
  for (int i = 0; i < 12; ++i) {
    connector.refuse("Connection refused");
    const Duration waited = until_attempt();
    EXPECT_GE(waited, step / 2) << i;
    EXPECT_LE(waited, step + kStep) << i;
    shares.push_back(waited * 1000 / step);
    step = std::min<Duration>(step * 2, seconds{5});
  }
  std::ranges::sort(shares);
  EXPECT_GT(shares.back() - shares.front(), 100) << "no jitter";
  serve();
  connector.wire().events->on_end();
  EXPECT_LE(until_attempt(), milliseconds{51});
  EXPECT_EQ(connection->counters().failures, 12U);
}

TEST_F(ConnectionTest, DropsOfWhatHasJustBecomeReadyKeepTheBackoff) {
  start();
  Duration waited{};
  for (int i = 0; i < 12; ++i) {
    serve();
    connection->drop("a replica");
    loop.turn();
    waited = until_attempt();
  }
  EXPECT_GE(waited, milliseconds{2500});
  serve();
  loop.advance(seconds{5});
  connection->drop("after a good while");
  loop.turn();
  EXPECT_LE(until_attempt(), milliseconds{51});
}

TEST_F(ConnectionTest, AnAttemptCanBeDropped) {
  start();
  connection->drop("one");
  loop.turn();
  EXPECT_EQ(events.take(), Lines{"failed: one"});
  until_attempt();
  connector.accept();
  connection->drop("two");
  loop.turn();
  EXPECT_EQ(events.take(), Lines{"failed: two"});
  until_attempt();
  serve();
  EXPECT_EQ(events.take(), Lines{"ready"});
}

TEST_F(ConnectionTest, TheEndWhileIntroducingIsAFailedAttempt) {
  start();
  connector.accept();
  connector.wire().events->on_end();
  EXPECT_EQ(events.take(), Lines{"failed: the server closed the connection"});
  until_attempt();
  connector.accept();
  say("*0\r\n+what?\r\n");  // one answer more than there were questions
  EXPECT_EQ(events.take(), (Lines{"ready", "down: protocol error: a reply that nobody asked for"}));
}

}  // namespace
}  // namespace sluice::store::redis
