// Aim: the first override that matches replaces limit and burst, and nothing else.
// Method: one rule with overrides of every kind, asked with requests that meet none, one or several of them.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limiter/limit.h"
#include "rules/descriptor.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using testing::compiled;
using testing::match_of;
using testing::matched;
using testing::policy_of;
using testing::rule_of;

std::shared_ptr<const Policy> with_overrides() {
  RuleSpec rule = rule_of("r", {{"user", {"*"}}}, "100/minute");
  rule.burst = 120;
  rule.overrides = {
      {match_of({{"user", {"vip-*"}}, {"plan", {"gold"}}}), "5000/minute", 6000},
      {match_of({{"user", {"vip-*", "partner"}}}), "1000/minute", std::nullopt},
      {match_of({{"ip", {"10.0.0.0/8"}}}), "unlimited", std::nullopt},
      {match_of({{"user", {"banned"}}}), "0", std::nullopt},
      {match_of({{"user", {"vip-1"}}}), "1/minute", std::nullopt},
  };
  return compiled(policy_of({rule}));
}

struct Expected {
  int override_index = -1;
  std::int64_t count = 0;
  std::int64_t capacity = 0;
};

void expect(const std::vector<Descriptor>& request, const Expected& expected) {
  const auto policy = with_overrides();
  const MatchResult result = matched(*policy, request);
  ASSERT_EQ(result.matches.size(), 1U);
  EXPECT_EQ(result.matches[0].override_index, expected.override_index);
  ASSERT_NE(result.matches[0].limit, nullptr);
  EXPECT_EQ(result.matches[0].limit->count(), expected.count);
  EXPECT_EQ(result.matches[0].limit->capacity(), expected.capacity);
}

TEST(Override, NoneLeavesTheRulesOwn) {
  expect({{"user", "7"}}, {-1, 100, 120});
  expect({{"user", "7"}, {"ip", "11.0.0.1"}, {"plan", "gold"}}, {-1, 100, 120});
}

TEST(Override, TheFirstThatMatchesWins) {
  expect({{"user", "vip-1"}, {"plan", "gold"}}, {0, 5000, 6000});
  expect({{"user", "vip-1"}, {"plan", "iron"}}, {1, 1000, 1000});
  expect({{"user", "vip-1"}, {"ip", "10.0.0.1"}}, {1, 1000, 1000});
  expect({{"user", "partner"}}, {1, 1000, 1000});
}

TEST(Override, WithoutABurstTheBurstIsItsOwnCount) {
  expect({{"user", "vip-2"}}, {1, 1000, 1000});
}

TEST(Override, ZeroDeniesThoughTheRuleHasABurst) {
  expect({{"user", "banned"}}, {3, 0, 0});
}

TEST(Override, UnlimitedByADescriptorThatTheRuleDoesNotMatch) {
  const auto policy = with_overrides();
  const MatchResult result = matched(*policy, {{"user", "banned"}, {"ip", "::ffff:10.9.9.9"}});
  ASSERT_EQ(result.matches.size(), 1U);
  EXPECT_EQ(result.matches[0].override_index, 2);
  EXPECT_EQ(result.matches[0].limit, nullptr);
  EXPECT_TRUE(result.matches[0].key.empty());
}

TEST(Override, DoesNotMakeTheRuleMatch) {
  const auto policy = with_overrides();
  EXPECT_TRUE(matched(*policy, {{"ip", "10.0.0.1"}}).matches.empty());
}

TEST(Override, KeepsAlgorithmAndKey) {
  const auto policy = with_overrides();
  const MatchResult gold = matched(*policy, {{"user", "vip-1"}, {"plan", "gold"}});
  const MatchResult iron = matched(*policy, {{"user", "vip-1"}});
  const auto plain = compiled(policy_of({rule_of("r", {{"user", {"*"}}})}));
  const MatchResult none = matched(*plain, {{"user", "vip-1"}});
  EXPECT_EQ(gold.matches.at(0).key, iron.matches.at(0).key);
  EXPECT_EQ(gold.matches.at(0).key, none.matches.at(0).key);
  EXPECT_EQ(gold.matches.at(0).limit->algorithm(), none.matches.at(0).limit->algorithm());
}

TEST(Override, UsesTheRulesAlgorithmAndTimeZone) {
  RuleSpec rule = rule_of("r", {{"user", {"*"}}}, "100/hour");
  rule.algorithm = "fixed_window";
  rule.timezone = "Europe/Berlin";
  rule.overrides = {{match_of({{"plan", {"*"}}}), "5/day", std::nullopt}};
  const auto policy = compiled(policy_of({rule}));
  const MatchResult result = matched(*policy, {{"user", "1"}, {"plan", ""}});
  ASSERT_EQ(result.matches.size(), 1U);
  EXPECT_EQ(result.matches[0].limit->algorithm(), limiter::Algorithm::fixed_window);
  ASSERT_NE(result.matches[0].limit->zone(), nullptr);
  EXPECT_EQ(result.matches[0].limit->zone()->name(), "Europe/Berlin");
}

TEST(Override, ABurstDoesNotNeedOneInTheRule) {
  RuleSpec rule = rule_of("r", {}, "100/minute");
  rule.overrides = {{match_of({{"plan", {"gold"}}}), "100/minute", 500}};
  const auto policy = compiled(policy_of({rule}));
  EXPECT_EQ(matched(*policy, {{"plan", "gold"}}).matches.at(0).limit->capacity(), 500);
  EXPECT_EQ(matched(*policy, {}).matches.at(0).limit->capacity(), 100);
}

}  // namespace
}  // namespace sluice::rules
