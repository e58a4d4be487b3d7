// Aim: the watcher knows where the masters are as soon as the sentinels do, whichever of them hang, are gone,
// lag, know nothing or may not be asked; hears of switches; asks again when it must; and tells an unknown
// name from sentinels that cannot be reached.
//
// Method: a network of fake sentinels on a virtual loop.
#include "store/redis/sentinel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/store/redis/fake_servers.h"

namespace sluice::store::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Mode = FakeServers::Mode;

struct WatchLog final : SentinelEvents {
  Lines lines;
  std::size_t failures = 0;
  std::string last_failure;

  void on_master(std::size_t master, const Endpoint& where) override {
    lines.push_back(std::to_string(master) + " at " + where.text());
  }
  void on_unknown_master(std::size_t master) override {
    lines.push_back(std::to_string(master) + " is unknown");
  }
  void on_unreachable() override { lines.emplace_back("unreachable"); }
  void on_sentinel_failed(std::string_view sentinel, std::string_view reason) override {
    ++failures;
    last_failure = std::string(sentinel) + ": " + std::string(reason);
  }
  Lines take() { return std::exchange(lines, {}); }
};

/// What one sentinel believes of one master.
struct Belief {
  std::string host;
  int port = 6379;
  int epoch = 0;
};

struct SentinelTest : testing::Test {
  test::VirtualLoop loop;
  test::SeededRandom random;
  FakeServers servers{loop};
  WatchLog log;
  std::vector<std::string> names = {"s0:26379", "s1:26379", "s2:26379"};
  std::map<std::string, std::map<std::string, Belief>> beliefs;  ///< by sentinel and master
  bool epochs_allowed = true;
  std::unique_ptr<SentinelWatcher> watcher;

  SentinelTest() {
    for (const std::string& name : names)
      servers[name].answer = [this, name](const Command& command) { return answer(name, command); };
  }

  std::string answer(const std::string& sentinel, const Command& command) {
    if (command[0] == "SUBSCRIBE") return array({bulk("subscribe"), bulk(command[1]), ":1\r\n"});
    if (command[0] == "PING") return bulks({"pong", ""});
    const auto& known = beliefs[sentinel];
    const auto found = known.find(command.at(2));
    if (command[1] == "MASTER") {
      if (!epochs_allowed) return "-NOPERM this user has no permissions\r\n";
      if (found == known.end()) return "-ERR No such master with that name\r\n";
      return bulks({"name", command[2], "config-epoch", std::to_string(found->second.epoch), "quorum", "2"});
    }
    if (found == known.end()) return "*-1\r\n";
    return bulks({found->second.host, std::to_string(found->second.port)});
  }

  void all_believe(const std::string& master, const Belief& belief) {
    for (const std::string& name : names) beliefs[name][master] = belief;
  }
  void start(std::vector<std::string> masters = {"a"}) {
    SentinelOptions options;
    for (const std::string& name : names) options.sentinels.push_back(Endpoint::parse(name).value());
    options.masters = std::move(masters);
    options.connection.username = "watcher";
    options.connection.password = "word";
    options.connection.connect_timeout = milliseconds{500};
    options.connection.command_timeout = milliseconds{300};
    watcher = std::make_unique<SentinelWatcher>(loop, servers, random, log, options);
    watcher->start();
    loop.advance(milliseconds{5});
  }
  [[nodiscard]] std::string where(std::size_t master = 0) const {
    const auto endpoint = watcher->where(master);
    return endpoint ? endpoint->text() : "nowhere";
  }
  void announce(const std::string& sentinel, const std::string& text) {
    servers.publish(sentinel, bulks({"message", "+switch-master", text}));
    loop.turn();
  }
  [[nodiscard]] std::size_t questions(const std::string& sentinel) {
    return static_cast<std::size_t>(
        std::ranges::count_if(servers[sentinel].heard, [](const Command& command) {
          return command.size() > 1 && command[1] == "GET-MASTER-ADDR-BY-NAME";
        }));
  }
};

TEST_F(SentinelTest, FindsEachMasterWithItsOwnCredentials) {
  all_believe("a", {.host = "10.0.0.1", .epoch = 1});
  all_believe("b", {.host = "::1", .port = 6380, .epoch = 1});
  start({"a", "b"});
  EXPECT_EQ(log.take(), (Lines{"0 at 10.0.0.1:6379", "1 at [::1]:6380"}));
  EXPECT_EQ(where(1), "[::1]:6380");
  EXPECT_EQ(servers["s0:26379"].hello, "HELLO 2 AUTH watcher word ");
  EXPECT_EQ(log.failures, 0U);
}

TEST_F(SentinelTest, TheHighestEpochWins) {
  all_believe("a", {.host = "old", .epoch = 1});
  beliefs["s2:26379"]["a"] = {.host = "new", .epoch = 2};
  start();
  EXPECT_EQ(where(), "new:6379");
  EXPECT_EQ(log.take().back(), "0 at new:6379");
}

TEST_F(SentinelTest, OneThatHangsAndOneThatIsGoneDelayNothing) {
  all_believe("a", {.host = "10.0.0.1", .epoch = 1});
  servers["s0:26379"].mode = Mode::hangs;
  start();
  EXPECT_EQ(where(), "10.0.0.1:6379") << "two of three say so";
  servers["s1:26379"].mode = Mode::refuses;
  servers.cut("s1:26379");
  loop.advance(seconds{1});
  watcher->lost(0);
  loop.advance(milliseconds{5});
  EXPECT_EQ(where(), "10.0.0.1:6379") << "the one that is left, since nothing comes of the others";
}

TEST_F(SentinelTest, OneThatHangsLaterHasADeadline) {
  all_believe("a", {.host = "10.0.0.1", .epoch = 1});
  start();
  servers["s0:26379"].mode = Mode::hangs;
  servers["s1:26379"].mode = Mode::hangs;
  loop.advance(seconds{1});
  watcher->lost(0);
  loop.advance(milliseconds{5});
  EXPECT_EQ(where(), "nowhere") << "in doubt";
  loop.advance(milliseconds{300});
  EXPECT_EQ(where(), "10.0.0.1:6379");
}

TEST_F(SentinelTest, ActsOnASwitchAtOnce) {
  all_believe("a", {.host = "old", .epoch = 1});
  start();
  log.take();
  announce("s1:26379", "a old 6379 new 6380");
  EXPECT_EQ(log.take(), Lines{"0 at new:6380"});
  loop.advance(milliseconds{500});  // the others lag, and say so when asked
  EXPECT_EQ(where(), "new:6380");
  announce("s0:26379", "b x 1 y 2");  // somebody else's
  announce("s0:26379", "nonsense");
  announce("s2:26379", "a older 6379 old 6379");  // late
  EXPECT_EQ(log.take(), Lines{});
  all_believe("a", {.host = "new", .port = 6380, .epoch = 2});
  loop.advance(seconds{6});
  EXPECT_EQ(log.take(), Lines{});
  EXPECT_EQ(where(), "new:6380");
}

TEST_F(SentinelTest, ASwitchThatWasMissedIsFoundByAsking) {
  all_believe("a", {.host = "old", .epoch = 1});
  start();
  log.take();
  beliefs["s2:26379"]["a"] = {.host = "new", .epoch = 2};
  loop.advance(seconds{5});
  EXPECT_EQ(log.take(), Lines{"0 at new:6379"});
}

TEST_F(SentinelTest, ALossIsAskedAboutAtOnceButNotTooOften) {
  all_believe("a", {.host = "old", .epoch = 1});
  start();
  loop.advance(seconds{1});
  log.take();
  const std::size_t before = questions("s0:26379");
  all_believe("a", {.host = "new", .epoch = 2});
  watcher->lost(0);
  EXPECT_EQ(log.take(), Lines{}) << "never from inside the call";
  loop.advance(Duration{});
  EXPECT_EQ(log.take(), Lines{"0 at new:6379"});
  for (int i = 0; i < 100; ++i) {
    watcher->lost(0);
    loop.advance(milliseconds{5});
  }
  EXPECT_LE(questions("s0:26379") - before, 6U);
}

TEST_F(SentinelTest, AsksAgainAfterAnOutageOfTheSentinels) {
  all_believe("a", {.host = "old", .epoch = 1});
  start();
  log.take();
  for (const std::string& name : names) {
    servers[name].mode = Mode::refuses;
    servers.cut(name);
  }
  loop.advance(seconds{7});
  EXPECT_EQ(log.take(), Lines{"unreachable"});
  EXPECT_EQ(where(), "old:6379") << "better than nothing";
  EXPECT_GT(log.failures, 3U);
  EXPECT_TRUE(log.last_failure.contains(": Connection refused")) << log.last_failure;
  all_believe("a", {.host = "new", .epoch = 2});
  for (const std::string& name : names) servers[name].mode = Mode::up;
  loop.advance(seconds{5});
  EXPECT_EQ(log.take(), Lines{"0 at new:6379"});
  announce("s0:26379", "a new 6379 newest 6379");
  EXPECT_EQ(log.take(), Lines{"0 at newest:6379"}) << "subscribed again";
}

TEST_F(SentinelTest, UnknownNamesAreToldOnce) {
  all_believe("a", {.host = "10.0.0.1", .epoch = 1});
  start({"a", "typo"});
  loop.advance(seconds{30});
  EXPECT_EQ(log.take(), (Lines{"0 at 10.0.0.1:6379", "1 is unknown"}));
  EXPECT_EQ(where(1), "nowhere");
  all_believe("typo", {.host = "10.0.0.9", .epoch = 1});
  loop.advance(seconds{6});
  EXPECT_EQ(log.take(), Lines{"1 at 10.0.0.9:6379"});
}

TEST_F(SentinelTest, WorksWithoutTheRightToAskForEpochs) {
  epochs_allowed = false;
  all_believe("a", {.host = "old"});
  start();
  EXPECT_EQ(where(), "old:6379");
  EXPECT_EQ(log.failures, 0U);
  announce("s0:26379", "a old 6379 new 6379");
  loop.advance(seconds{6});
  EXPECT_EQ(where(), "new:6379") << "though most lag";
}

TEST_F(SentinelTest, WorksWithoutTheRightToSubscribe) {
  all_believe("a", {.host = "old", .epoch = 1});
  for (const std::string& name : names) {
    servers[name].answer = [this, name](const Command& command) {
      return command[0] == "SUBSCRIBE" ? "-NOPERM no permissions to access one of the channels\r\n"
                                       : answer(name, command);
    };
  }
  start();
  EXPECT_EQ(where(), "old:6379");
  EXPECT_TRUE(log.last_failure.contains("does not tell of switches: NOPERM")) << log.last_failure;
}

TEST_F(SentinelTest, ASubscriptionThatHangsIsReplaced) {
  all_believe("a", {.host = "old", .epoch = 1});
  start();
  servers["s0:26379"].mode = Mode::hangs;
  loop.advance(seconds{12});
  servers["s0:26379"].mode = Mode::up;
  loop.advance(seconds{6});
  log.take();
  announce("s0:26379", "a old 6379 new 6379");
  EXPECT_EQ(log.take(), Lines{"0 at new:6379"});
}

TEST_F(SentinelTest, StopsWhenItIsDestroyed) {
  all_believe("a", {.host = "old", .epoch = 1});
  start();
  watcher->lost(0);
  watcher.reset();
  EXPECT_EQ(loop.timers(), 0U);
  loop.advance(seconds{10});
}

}  // namespace
}  // namespace sluice::store::redis
