// Aim: the promises of base/connector.h over real sockets: names, literals and Unix sockets are reached;
// every address of a name is tried; what fails says where and why; what is given up says nothing.
//
// Method: a loop with listeners of its own. `localhost` is only asked of the resolver, whose answer differs
// from machine to machine, so the order of addresses is shown on the loopback addresses that it really gave.
#include "net/connector.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/result.h"
#include "base/stream.h"
#include "base/time.h"
#include "net/attempt.h"
#include "net/dial.h"
#include "net/listen.h"
#include "net/posix.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"
#include "unit/net/dial_outcome.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

struct ConnectorTest : testing::Test {
  TempDir directory;
  UvLoop loop;
  Collector accepted;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Connector> connector = make_connector(loop);
  std::unique_ptr<ConnectAttempt> attempt;
  DialOutcome outcome;

  bool listen(const std::string& address) {
    auto made = listen_tcp(loop, address, 16, accepted);
    if (made) listener = *std::move(made);
    return listener != nullptr;
  }
  [[nodiscard]] std::uint16_t port() const { return Endpoint::parse(listener->address()).value().port; }
  /// A port where nobody listens.
  std::uint16_t dead_port() {
    EXPECT_TRUE(listen("127.0.0.1:0"));
    const std::uint16_t free = port();
    listener.reset();
    return free;
  }
  static std::vector<SocketAddress> addresses(const std::vector<std::string>& texts) {
    std::vector<SocketAddress> parsed;
    for (const std::string& text : texts) parsed.push_back(SocketAddress::parse(text).value());
    return parsed;
  }
  void connect(const Endpoint& endpoint) {
    attempt = connector->connect(endpoint, outcome);
    EXPECT_EQ(outcome.events, 0) << "called from inside connect()";
  }
  [[nodiscard]] bool settled() {
    return run_until(loop, [&] { return outcome.events > 0; });
  }
  void expect_works() {
    ASSERT_TRUE(settled());
    ASSERT_NE(outcome.stream, nullptr) << outcome.reason;
    ASSERT_TRUE(run_until(loop, [&] { return !accepted.streams.empty(); }));
    Recorder ours;
    Recorder theirs;
    outcome.stream->start(ours);
    accepted.streams.back()->start(theirs);
    outcome.stream->write("ping");
    accepted.streams.back()->write("pong");
    EXPECT_TRUE(run_until(loop, [&] { return theirs.bytes == "ping" && ours.bytes == "pong"; }));
    EXPECT_EQ(outcome.events, 1);
    outcome.stream.reset();
    accepted.streams.clear();
  }
};

TEST_F(ConnectorTest, ReachesAnAddress) {
  ASSERT_TRUE(listen("127.0.0.1:0"));
  connect({.host = "127.0.0.1", .port = port()});
  ASSERT_TRUE(settled());
  ASSERT_NE(outcome.stream, nullptr) << outcome.reason;
  EXPECT_EQ(outcome.stream->peer(), listener->address());
  expect_works();
}

TEST_F(ConnectorTest, ReachesAnIpv6Address) {
  if (!listen("[::1]:0")) GTEST_SKIP() << "no IPv6 here";
  connect({.host = "::1", .port = port()});
  expect_works();
}

TEST_F(ConnectorTest, ReachesAUnixSocket) {
  auto made = listen_unix(loop, {.path = directory / "s"}, accepted);
  ASSERT_TRUE(made.has_value());
  listener = *std::move(made);
  connect({.path = directory / "s"});
  expect_works();
}

TEST_F(ConnectorTest, ReachesAName) {
  ASSERT_TRUE(listen("127.0.0.1:0"));
  connect({.host = "localhost", .port = port()});
  expect_works();
}

TEST_F(ConnectorTest, SaysWhereAndWhyItFailed) {
  const std::uint16_t dead = dead_port();
  connect({.host = "127.0.0.1", .port = dead});
  ASSERT_TRUE(settled());
  EXPECT_EQ(outcome.reason, "127.0.0.1:" + std::to_string(dead) + ": Connection refused");

  outcome = {};
  connect({.path = directory / "nobody"});
  ASSERT_TRUE(settled());
  EXPECT_EQ(outcome.reason, directory / "nobody" + ": No such file or directory");

  outcome = {};
  connect({.host = "localhost", .port = dead});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(outcome.reason.starts_with("localhost:" + std::to_string(dead) + " at ")) << outcome.reason;
  EXPECT_TRUE(outcome.reason.ends_with("Connection refused")) << outcome.reason;

  outcome = {};
  connect({.path = "/" + std::string(107, 'a')});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(outcome.reason.ends_with("too long for a Unix socket")) << outcome.reason;
}

TEST_F(ConnectorTest, SaysThatANameDoesNotExist) {
  connect({.host = "does-not-exist.invalid", .port = 6379});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(outcome.reason.starts_with("cannot look up \"does-not-exist.invalid\": ")) << outcome.reason;
}

TEST_F(ConnectorTest, SaysThatANameIsNone) {
  // Too long for libuv, so that not even the lookup begins.
  connect({.host = std::string(300, 'a'), .port = 6379});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(outcome.reason.starts_with("cannot look up \"aaa")) << outcome.reason;
}

TEST_F(ConnectorTest, TriesOneAddressAfterTheOther) {
  const std::string dead = "127.0.0.1:" + std::to_string(dead_port());
  ASSERT_TRUE(listen("127.0.0.1:0"));
  Attempt several(loop, {.host = "name", .port = 1}, outcome);
  loop.defer([&] { several.try_these(addresses({dead, dead, listener->address()})); });
  expect_works();
}

TEST_F(ConnectorTest, NamesTheLastAddressThatFailed) {
  const std::string dead = "127.0.0.1:" + std::to_string(dead_port());
  Attempt several(loop, {.host = "name", .port = 1}, outcome);
  loop.defer([&] { several.try_these(addresses({"127.0.0.1:1", dead})); });
  ASSERT_TRUE(settled());
  EXPECT_EQ(outcome.reason, "name:1 at " + dead + ": Connection refused");
}

TEST_F(ConnectorTest, AnAddressThatDoesNotAnswerHasASecond) {
  // A full backlog drops what comes next, and so is a host that does not answer.
  const Fd silent{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  auto address = SocketAddress::parse("127.0.0.1:0").value();
  ASSERT_EQ(::bind(silent.get(), address.raw(), address.size()), 0);
  ASSERT_EQ(::getsockname(silent.get(), address.raw(), address.room()), 0);
  ASSERT_EQ(::listen(silent.get(), 0), 0);
  std::vector<std::unique_ptr<Dial>> fill;
  int taken = 0;
  for (int i = 0; i < 8; ++i) {
    fill.push_back(std::make_unique<Dial>(loop, [&](const Result<Fd>&) { ++taken; }));
    ASSERT_TRUE(fill.back()->start(address).has_value());
  }
  run_turns(loop, 20);
  if (taken == 8) GTEST_SKIP() << "this kernel's backlog has no end";

  ASSERT_TRUE(listen("127.0.0.1:0"));
  Attempt several(loop, {.host = "name", .port = 1}, outcome);
  const Instant before = loop.clock().now();
  loop.defer([&] { several.try_these(addresses({address.text(), listener->address()})); });
  expect_works();
  EXPECT_GE(loop.clock().now() - before, std::chrono::seconds{1});
}

TEST_F(ConnectorTest, GivesUpSilently) {
  ASSERT_TRUE(listen("127.0.0.1:0"));
  const std::vector<Endpoint> endpoints = {{.host = "127.0.0.1", .port = port()},
                                           {.host = "localhost", .port = port()},
                                           {.host = "does-not-exist.invalid", .port = 1}};
  for (const Endpoint& endpoint : endpoints) {
    connect(endpoint);
    attempt.reset();  // before it began
    connect(endpoint);
    loop.defer([&] { attempt.reset(); });  // under way
    run_turns(loop, 5);
  }
  run_turns(loop, 20);
  EXPECT_EQ(outcome.events, 0);
}

TEST_F(ConnectorTest, MoreLookupsThanThreadsMayBeGivenUp) {
  std::vector<std::unique_ptr<ConnectAttempt>> attempts;
  for (int i = 0; i < 40; ++i)
    attempts.push_back(connector->connect({.host = "does-not-exist.invalid", .port = 1}, outcome));
  loop.defer([&] { attempts.clear(); });
  run_turns(loop, 20);
  EXPECT_EQ(outcome.events, 0);
}

TEST_F(ConnectorTest, MayBeDestroyedInItsEvent) {
  outcome.hook = [&] { attempt.reset(); };
  const std::uint16_t dead = dead_port();
  ASSERT_TRUE(listen("127.0.0.1:0"));
  const std::vector<Endpoint> endpoints = {{.host = "127.0.0.1", .port = port()},
                                           {.host = "127.0.0.1", .port = dead},
                                           {.host = "localhost", .port = dead},
                                           {.host = "does-not-exist.invalid", .port = 1},
                                           {.path = directory / "nobody"}};
  for (const Endpoint& endpoint : endpoints) {
    outcome.events = 0;
    connect(endpoint);
    EXPECT_TRUE(settled());
    run_turns(loop, 3);
    EXPECT_EQ(outcome.events, 1);
  }
  outcome.stream.reset();
}

TEST_F(ConnectorTest, WatchesForDeadPeers) {
  ASSERT_TRUE(listen("127.0.0.1:0"));
  auto address = SocketAddress::parse(listener->address()).value();
  Fd connected;
  Dial dial(loop, [&](Result<Fd> socket) { connected = std::move(socket).value(); });
  ASSERT_TRUE(dial.start(address).has_value());
  ASSERT_TRUE(run_until(loop, [&] { return static_cast<bool>(connected); }));
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof(value);
    EXPECT_EQ(::getsockopt(connected.get(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 10'000);
}

}  // namespace
}  // namespace sluice::net
