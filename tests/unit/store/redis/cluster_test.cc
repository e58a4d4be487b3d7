// Aim: the watcher knows which node has each shard's slot, from whichever node answers; asks again when there
// is a cause, not too often, one at a time; leaves nodes that are dead, that hang or that tell old news.
//
// Method: a network of fake nodes on a virtual loop.
#include "store/redis/cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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

struct NodeLog final : ClusterEvents {
  Lines lines;
  Lines failures;

  void on_master(std::size_t shard, const Endpoint& where) override {
    lines.push_back(std::to_string(shard) + " at " + where.text());
  }
  void on_node_failed(std::string_view node, std::string_view reason) override {
    failures.push_back(std::string(node) + ": " + std::string(reason));
  }
  Lines take() { return std::exchange(lines, {}); }
};

struct ClusterTest : testing::Test {
  test::VirtualLoop loop;
  test::SeededRandom random;
  FakeServers servers{loop};
  NodeLog log;
  std::vector<std::string> nodes = {"n0:7000", "n1:7000", "n2:7000"};
  /// Who has the lower and the upper half of the slots, by each node's account.
  std::map<std::string, std::pair<std::string, std::string>> accounts;
  std::unique_ptr<ClusterWatcher> watcher;

  ClusterTest() {
    for (const std::string& node : nodes) {
      accounts[node] = {"n0", "n1"};
      servers[node].answer = [this, node](const Command& command) {
        EXPECT_EQ(command, (Command{"CLUSTER", "SLOTS"}));
        return array({range(0, 8191, accounts[node].first), range(8192, 16383, accounts[node].second)});
      };
    }
  }
  /// With n2 as everybody's replica.
  static std::string range(int first, int last, const std::string& host) {
    const auto node = [](const std::string& name) { return array({bulk(name), ":7000\r\n", bulk("id")}); };
    return array(
        {":" + std::to_string(first) + "\r\n", ":" + std::to_string(last) + "\r\n", node(host), node("n2")});
  }
  void all_say(const std::string& lower, const std::string& upper) {
    for (const std::string& node : nodes) accounts[node] = {lower, upper};
  }
  void start(const std::vector<std::string>& seeds = {"n0:7000"}) {
    ClusterOptions options;
    for (const std::string& seed : seeds) options.seeds.push_back(Endpoint::parse(seed).value());
    options.slots = {100, 8191, 16000};
    watcher = std::make_unique<ClusterWatcher>(loop, servers, random, log, options);
    watcher->start();
    loop.advance(milliseconds{5});
  }
  [[nodiscard]] std::size_t questions() {
    std::size_t count = 0;
    for (const std::string& node : nodes) count += servers[node].heard.size();
    return count;
  }
  const Lines at_first = {"0 at n0:7000", "1 at n0:7000", "2 at n1:7000"};
};

TEST_F(ClusterTest, FindsTheMastersByASeed) {
  start();
  EXPECT_EQ(log.take(), at_first);
  EXPECT_EQ(watcher->where(2)->text(), "n1:7000");
  EXPECT_EQ(questions(), 1U);
  EXPECT_EQ(log.failures, Lines{});
}

TEST_F(ClusterTest, SeedsThatAreGoneOrHangAreLeft) {
  start({"gone:7000", "hangs:7000", "n2:7000"});
  servers["gone:7000"].mode = Mode::refuses;
  servers["hangs:7000"].mode = Mode::hangs;
  loop.advance(seconds{3});
  EXPECT_EQ(log.take(), at_first);
}

TEST_F(ClusterTest, ANodeThatStopsAnsweringIsLeft) {
  start();
  log.take();
  servers["n0:7000"].mode = Mode::hangs;
  all_say("n1", "n1");
  watcher->suspect();
  loop.advance(seconds{1});
  EXPECT_EQ(log.take(), (Lines{"0 at n1:7000", "1 at n1:7000"})) << "it was heard of in the first answer";
  EXPECT_EQ(log.failures, Lines{"n0:7000: no answer to CLUSTER SLOTS in time"});
}

TEST_F(ClusterTest, OldNewsAreNotEnough) {
  start();
  log.take();
  accounts["n1:7000"] = {"n2", "n1"};  // n0 is cut off from the others
  accounts["n2:7000"] = {"n2", "n1"};
  watcher->suspect();
  loop.advance(seconds{1});
  EXPECT_EQ(log.take(), (Lines{"0 at n2:7000", "1 at n2:7000"}));
  EXPECT_EQ(log.failures, Lines{}) << "that is no failure";
}

TEST_F(ClusterTest, ANodeThatMovedNamesIsAskedFirst) {
  start();
  log.take();
  accounts["n9:7000"] = {"n9", "n1"};
  servers["n9:7000"].answer = [](const Command&) { return array({range(0, 16383, "n9")}); };
  watcher->suspect(Endpoint{.host = "n9", .port = 7000});
  loop.advance(milliseconds{300});
  EXPECT_EQ(log.take(), (Lines{"0 at n9:7000", "1 at n9:7000", "2 at n9:7000"}));
  EXPECT_EQ(servers["n9:7000"].attempts, 1U);
}

TEST_F(ClusterTest, HintsThatLeadElsewhereDoNotKeepItFromAsking) {
  start();
  log.take();
  all_say("n2", "n2");
  for (int i = 0; i < 100; ++i) {
    watcher->suspect(Endpoint{.host = i % 2 == 0 ? "n1" : "n2", .port = 7000});
    loop.advance(milliseconds{5});
  }
  EXPECT_EQ(log.take(), (Lines{"0 at n2:7000", "1 at n2:7000", "2 at n2:7000"}));
}

TEST_F(ClusterTest, ManyCausesAreOneQuestion) {
  start();
  loop.advance(seconds{1});
  const std::size_t before = questions();
  for (int i = 0; i < 200; ++i) {
    watcher->suspect();
    watcher->suspect();
    loop.advance(milliseconds{5});
  }
  EXPECT_GE(questions() - before, 3U);
  EXPECT_LE(questions() - before, 7U) << "in a second, 200 ms apart";
}

TEST_F(ClusterTest, AsksWithoutACauseNowAndThen) {
  start();
  log.take();
  all_say("n1", "n0");
  loop.advance(seconds{29});
  EXPECT_EQ(log.take(), Lines{});
  loop.advance(seconds{32});
  EXPECT_EQ(log.take(), (Lines{"0 at n1:7000", "1 at n1:7000", "2 at n0:7000"}));
}

TEST_F(ClusterTest, SlotsThatNobodyHasKeepTheirMaster) {
  start();
  log.take();
  for (const std::string& node : nodes)
    servers[node].answer = [](const Command&) { return array({range(8192, 16383, "n2")}); };
  watcher->suspect();
  loop.advance(seconds{1});
  EXPECT_EQ(log.take(), Lines{"2 at n2:7000"});
  EXPECT_EQ(watcher->where(0)->text(), "n0:7000");
}

TEST_F(ClusterTest, AServerThatIsNoClusterSaysSo) {
  for (const std::string& node : nodes) {
    servers[node].answer = [](const Command&) {
      return "-ERR This instance has cluster support disabled\r\n";
    };
  }
  start();
  EXPECT_EQ(log.take(), Lines{});
  ASSERT_FALSE(log.failures.empty());
  EXPECT_EQ(log.failures.front(), "n0:7000: ERR This instance has cluster support disabled");
  loop.advance(seconds{10});
  EXPECT_LE(questions(), 60U);
}

TEST_F(ClusterTest, StopsWhenItIsDestroyed) {
  start();
  watcher->suspect();
  watcher.reset();
  EXPECT_EQ(loop.timers(), 0U);
  loop.advance(seconds{100});
}

}  // namespace
}  // namespace sluice::store::redis
