// Aim: the promises of store/redis/connection.h about where it connects to, as whom, and to what kind of
// server: asked anew at each attempt; only a master if that is wanted; redirected at once; and about messages
// that nobody asked for.
//
// Method: a virtual loop; the test is the source, and the server.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/connection.h"
#include "store/redis/reply.h"
#include "unit/store/redis/connection_fixture.h"

namespace sluice::store::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct ConnectionSourceTest : ConnectionTest {
  std::optional<Endpoint> master;

  ConnectionOptions where() {
    ConnectionOptions options;
    options.where = [this] { return master; };
    return options;
  }
  ConnectionOptions verified() {
    ConnectionOptions options;
    options.verify_master = true;
    return options;
  }
  /// Accepts, answers HELLO, and expects to be asked for the role.
  void await_role() {
    connector.accept();
    loop.turn();
    heard();
    say("*0\r\n");
    EXPECT_EQ(heard(), command({"ROLE"}));
    EXPECT_EQ(events.take(), Lines{});
  }
};

TEST_F(ConnectionSourceTest, IsAskedAtEachAttempt) {
  start(where());
  EXPECT_EQ(connector.attempts(), 0U);
  EXPECT_EQ(events.take(), Lines{"failed: no master is known yet"});
  master = {.host = "10.0.0.1", .port = 6379};
  until_attempt();
  EXPECT_EQ(connector.endpoint().text(), "10.0.0.1:6379");
  master = {.host = "::1", .port = 6380};
  connector.refuse("Connection refused");
  until_attempt();
  EXPECT_EQ(connector.endpoint().text(), "[::1]:6380");
  serve();
}

TEST_F(ConnectionSourceTest, NotKnowingWhereBacksOff) {
  start(where());
  loop.advance(seconds{60});
  EXPECT_GE(connection->counters().failures, 12U);
  EXPECT_LE(connection->counters().failures, 35U);
  EXPECT_EQ(connector.attempts(), 0U);
}

TEST_F(ConnectionSourceTest, UsesTheCredentialsOfTheMoment) {
  std::string password = "old";
  ConnectionOptions options;
  options.client_name = "sluiced";
  options.credentials = [&password] { return Credentials{.username = "sluice", .password = password}; };
  start(options);
  connector.accept();
  EXPECT_EQ(heard(), command({"HELLO", "2", "AUTH", "sluice", "old", "SETNAME", "sluiced"}));
  say("-WRONGPASS invalid\r\n");
  password = "new";
  until_attempt();
  connector.accept();
  EXPECT_EQ(heard(), command({"HELLO", "2", "AUTH", "sluice", "new", "SETNAME", "sluiced"}));
}

TEST_F(ConnectionSourceTest, TakesAMaster) {
  start(verified());
  await_role();
  say("*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
  EXPECT_EQ(events.take(), Lines{"ready"});
}

TEST_F(ConnectionSourceTest, RefusesAReplicaAndTriesAgain) {
  start(verified());
  await_role();
  say("*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:6379\r\n$9\r\nconnected\r\n:1\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: is a replica"});
  EXPECT_TRUE(connector.wire().closed);
  EXPECT_LE(until_attempt(), milliseconds{51});
  await_role();
  say("*2\r\n$8\r\nsentinel\r\n*0\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: is no master but a \"sentinel\""});
}

TEST_F(ConnectionSourceTest, TakesAServerThatDoesNotTellItsRole) {
  for (const std::string_view error : {"-NOPERM this user has no permissions to run the 'role' command\r\n",
                                       "-ERR unknown command 'ROLE'\r\n"}) {
    start(verified());
    await_role();
    say(error);
    EXPECT_EQ(events.take(), Lines{"ready"}) << error;
  }
}

TEST_F(ConnectionSourceTest, OtherErrorsOfRoleAreFailures) {
  start(verified());
  await_role();
  say("-LOADING Redis is loading the dataset in memory\r\n");
  EXPECT_EQ(events.take(), Lines{"failed: the server is still loading its data (LOADING)"});
}

TEST_F(ConnectionSourceTest, AsksForTheRoleAfterTheOldWordsToo) {
  ConnectionOptions options = verified();
  options.password = "hunter2";
  start(options);
  connector.accept();
  heard();
  say("-ERR unknown command 'HELLO'\r\n");
  EXPECT_EQ(heard(), command({"AUTH", "hunter2"}));
  say("+OK\r\n");
  EXPECT_EQ(heard(), command({"ROLE"}));
}

TEST_F(ConnectionSourceTest, ARedirectLosesWhatIsInFlightAndReconnectsSoon) {
  master = {.host = "a", .port = 1};
  start(where());
  serve();
  EXPECT_TRUE(send(7));
  loop.turn();
  EXPECT_EQ(events.take(), Lines{"ready"});
  master = {.host = "b", .port = 2};
  connection->redirect("moved");
  EXPECT_TRUE(connector.wire().closed) << "at once";
  EXPECT_FALSE(send(8));
  EXPECT_EQ(events.take(), Lines{}) << "never from inside the call";
  loop.turn();
  EXPECT_EQ(events.take(), (Lines{"lost 7", "down: moved"}));
  EXPECT_LE(until_attempt(), milliseconds{51});
  EXPECT_EQ(connector.endpoint().text(), "b:2");
}

TEST_F(ConnectionSourceTest, ARedirectCutsTheWaitShort) {
  start(where());
  loop.advance(seconds{30});  // the backoff is at its longest
  events.lines.clear();
  master = {.host = "b", .port = 2};
  connection->redirect("now it is known");
  EXPECT_LE(until_attempt(), milliseconds{51});
  EXPECT_EQ(connector.endpoint().text(), "b:2");
  EXPECT_EQ(events.take(), Lines{});
  connection->redirect("elsewhere");
  loop.turn();
  EXPECT_EQ(events.take(), Lines{"failed: elsewhere"});
  until_attempt();
  serve();
  EXPECT_EQ(events.take(), Lines{"ready"});
}

TEST_F(ConnectionSourceTest, ARedirectBeforeStartDoesNothing) {
  make(where());
  connection->redirect("early");
  loop.advance(seconds{10});
  EXPECT_EQ(connector.attempts(), 0U);
  EXPECT_EQ(events.take(), Lines{});
}

TEST_F(ConnectionSourceTest, MessagesAreNoReplies) {
  struct PushLog final : ConnectionEvents {
    Lines lines;
    void on_ready() override {}
    void on_down(std::string_view reason) override { lines.emplace_back(reason); }
    void on_attempt_failed(std::string_view /*reason*/) override {}
    void on_reply(std::uint64_t tag, const Reply& reply) override {
      lines.push_back(std::to_string(tag) + "=" + reply.items.at(0).text);
    }
    void on_lost_reply(std::uint64_t /*tag*/) override {}
    void on_push(const Reply& push) override { lines.push_back("push " + push.items.at(2).text); }
  } log;
  connection = std::make_unique<Connection>(
      loop, connector, random, log, ConnectionOptions{.endpoint = {.host = "s", .port = 1}, .pushes = true});
  connection->start();
  serve();
  EXPECT_TRUE(send(1));
  loop.turn();
  const std::string message = "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n";
  say(message + "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n" + message);
  EXPECT_EQ(log.lines, (Lines{"push hi", "1=subscribe", "push hi"}));
  log.lines.clear();
  say("+what?\r\n");
  EXPECT_EQ(log.lines, Lines{"protocol error: a reply that nobody asked for"});
}

}  // namespace
}  // namespace sluice::store::redis
