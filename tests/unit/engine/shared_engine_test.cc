// Aim: with the store away, a rule whose failure policy is "share" enforces this daemon's part of its limit,
// and what passed is counted when the store is back, once. Method: a store that goes and comes, on virtual
// time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/leased_store.h"
#include "rules/policy.h"
#include "store/memory/memory_store.h"
#include "support/policies.h"
#include "support/slow_store.h"
#include "support/virtual_loop.h"
#include "unit/engine/fixture.h"

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

rules::RuleSpec window(std::string name, const std::vector<std::string>& descriptors, std::string limit,
                       std::string policy = "share") {
  rules::RuleSpec spec = test::rule(std::move(name), descriptors, std::move(limit));
  spec.algorithm = "fixed_window";
  spec.on_store_failure = std::move(policy);
  return spec;
}

class SharedEngineTest : public testing::Test {
 protected:
  /// One daemon with the store that it reaches, or not.
  struct Daemon {
    Daemon(SharedEngineTest& test, const std::shared_ptr<const rules::Policy>& policy)
        : slow(test.memory_),
          leased(test.loop_, test.random_, slow, {.max_keys = 100}, policy),
          engine(test.loop_, leased, {.max_wait = 20ms}, policy) {}
    test::SlowStore slow;
    LeasedStore leased;
    Engine engine;
    test::Inbox inbox;
    std::uint64_t tag = 0;
  };

  void use(std::vector<rules::RuleSpec> rules, std::size_t daemons = 1) {
    policy_ = test::policy(std::move(rules));
    std::vector<std::string> members;
    for (std::size_t i = 0; i < daemons; ++i) members.push_back("daemon-" + std::to_string(i));
    for (std::size_t i = 0; i < daemons; ++i) {
      daemons_.push_back(std::make_unique<Daemon>(*this, policy_));
      daemons_.back()->slow.members = members;
      daemons_.back()->slow.self = members[i];
    }
  }
  void all_down(bool down) {
    for (auto& daemon : daemons_) daemon->slow.down = down;
  }
  Decision check(std::string_view text, std::int64_t cost = 1, std::size_t index = 0,
                 Operation operation = Operation::check) {
    Daemon& daemon = *daemons_[index];
    const CheckResult* result =
        daemon.engine.run(operation, test::descriptors(text), cost, daemon.inbox, ++daemon.tag);
    if (result != nullptr) return result->overall;
    settle();
    EXPECT_TRUE(daemon.inbox.overall.contains(daemon.tag));
    return daemon.inbox.overall[daemon.tag];
  }
  void settle() {
    for (int i = 0; i < 5; ++i) {
      loop_.turn();
      for (auto& daemon : daemons_) daemon->slow.answer_all();
    }
  }
  void pass(Duration time) {
    for (Duration passed{}; passed < time; passed += 25ms) {
      loop_.advance(25ms);
      settle();
    }
  }
  std::int64_t left(std::string_view text) {
    Engine direct(loop_, memory_, {}, policy_);
    test::Inbox inbox;
    return direct.run(Operation::peek, test::descriptors(text), 1, inbox, 0)->overall.remaining;
  }
  std::int64_t allowed(std::string_view text, int checks, std::size_t daemon = 0) {
    std::int64_t count = 0;
    for (int i = 0; i < checks; ++i) count += check(text, 1, daemon).allowed ? 1 : 0;
    return count;
  }

  test::VirtualLoop loop_;
  test::SeededRandom random_;
  store::MemoryStore memory_{loop_.clock(), random_, {.max_keys = 100}};
  std::shared_ptr<const rules::Policy> policy_;
  std::vector<std::unique_ptr<Daemon>> daemons_;
};

TEST_F(SharedEngineTest, AFleetWithoutItsStoreStillLetsExactlyTheLimitThrough) {
  use({window("a", {"user"}, "5/hour")}, 50);
  all_down(true);
  for (const std::string user : {"1", "2", "3"}) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 50; ++i) sum += allowed("user=" + user, 3, i);
    EXPECT_EQ(sum, 5) << user;
  }
}

TEST_F(SharedEngineTest, ADaemonThatKnowsNobodyIsAlone) {
  use({window("a", {"user"}, "5/hour")});
  daemons_[0]->slow.members.clear();
  all_down(true);
  EXPECT_EQ(allowed("user=1", 10), 5);
}

TEST_F(SharedEngineTest, WhatPassedIsBookedWhenTheStoreIsBack) {
  use({window("a", {"user"}, "100/hour")});
  all_down(true);
  EXPECT_EQ(allowed("user=1", 30), 30);
  EXPECT_EQ(left("user=1"), 100);
  all_down(false);
  pass(100ms);
  EXPECT_EQ(left("user=1"), 70);
  pass(10s);
  EXPECT_EQ(left("user=1"), 70) << "once";
  EXPECT_EQ(daemons_[0]->leased.shared_out(), 0U);
  EXPECT_EQ(daemons_[0]->leased.size(), 0U);
}

TEST_F(SharedEngineTest, WhatWasLeftBeforeIsWhatIsSharedOut) {
  use({window("a", {"user"}, "100/hour")}, 2);
  for (int i = 0; i < 60; ++i) check("user=1", 1, 0);
  check("user=1", 1, 1);
  for (auto& daemon : daemons_) daemon->leased.drain([] {});
  settle();
  check("user=1", 1, 0);
  check("user=1", 1, 1);
  all_down(true);
  const std::int64_t sum = allowed("user=1", 100, 0) + allowed("user=1", 100, 1);
  EXPECT_LE(sum, 37 + 1);
  EXPECT_GE(sum, 37 - 1);
}

TEST_F(SharedEngineTest, ADeniedLayerGivesTheShareBack) {
  use({window("a", {"user"}, "10/hour"), window("b", {"path"}, "3/hour", "deny")});
  all_down(true);
  EXPECT_EQ(allowed("user=1 path=/", 20), 0);
  EXPECT_EQ(allowed("user=1", 20), 10);
}

TEST_F(SharedEngineTest, AnAnswerThatComesLateReplacesTheShare) {
  use({window("a", {"user"}, "10/hour")});
  Daemon& daemon = *daemons_[0];
  EXPECT_EQ(daemon.engine.run(Operation::check, test::descriptors("user=1"), 4, daemon.inbox, 7), nullptr);
  loop_.advance(20ms);
  EXPECT_TRUE(daemon.inbox.overall.at(7).allowed) << "by the share";
  EXPECT_TRUE(daemon.inbox.degraded.at(7));
  settle();
  EXPECT_EQ(left("user=1"), 6);
  pass(10s);
  EXPECT_EQ(left("user=1"), 6) << "counted by the store, and not booked again";
}

TEST_F(SharedEngineTest, ASlowStoreDoesNotRenewTheShare) {
  use({window("a", {"user"}, "10/hour")});
  Daemon& daemon = *daemons_[0];
  // It takes everything and answers nothing: each check ends by the share.
  int passed = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const auto* at_once =
        daemon.engine.run(Operation::check, test::descriptors("user=1"), 1, daemon.inbox, i);
    loop_.advance(30ms);
    passed += at_once != nullptr ? (at_once->overall.allowed ? 1 : 0)
                                 : (daemon.inbox.overall.at(i).allowed ? 1 : 0);
  }
  EXPECT_EQ(passed, 10);
}

TEST_F(SharedEngineTest, TheOtherPoliciesAnswerAsTheySay) {
  use({window("open", {"user"}, "1/hour", "allow"), window("closed", {"path"}, "9/hour", "deny")});
  all_down(true);
  EXPECT_EQ(allowed("user=1", 10), 10);
  EXPECT_EQ(allowed("path=1", 10), 0);
}

TEST_F(SharedEngineTest, APeekTellsTheShareAndTakesNothing) {
  use({window("a", {"user"}, "3/hour")});
  all_down(true);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(check("user=1", 1, 0, Operation::peek).allowed);
  EXPECT_EQ(allowed("user=1", 10), 3);
  EXPECT_FALSE(check("user=1", 1, 0, Operation::peek).allowed);
}

}  // namespace
}  // namespace sluice::engine
