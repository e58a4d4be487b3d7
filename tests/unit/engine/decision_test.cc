// Aim: the tightest enforced rule is the one reported. Method: hand-made rule decisions.
#include "engine/decision.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;

RuleDecision allowed(std::string_view rule, std::int64_t remaining) {
  RuleDecision part;
  part.decision = {.allowed = true,
                   .limit = 100,
                   .remaining = remaining,
                   .retry_after = {},
                   .reset_after = {},
                   .rule = rule,
                   .warning = false};
  return part;
}

RuleDecision denied(std::string_view rule, Duration retry) {
  RuleDecision part = allowed(rule, 3);
  part.decision.allowed = false;
  part.decision.retry_after = retry;
  return part;
}

RuleDecision shadow(RuleDecision part) {
  part.shadow = true;
  return part;
}

Decision overall(std::initializer_list<RuleDecision> rules) {
  CheckResult result;
  result.rules = rules;
  decide(result);
  return result.overall;
}

TEST(Decide, LeastRemainingAmongAllowed) {
  EXPECT_EQ(overall({allowed("a", 5), allowed("b", 2), allowed("c", 2)}).rule, "b");
}

TEST(Decide, DeniedBeforeAllowedAndLongestWaitFirst) {
  const Decision decision = overall({allowed("a", 0), denied("b", 1s), denied("c", 9s)});
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.rule, "c");
  EXPECT_EQ(overall({denied("a", 9s), denied("never", kNever), denied("c", 10s)}).rule, "never");
}

TEST(Decide, ShadowRulesNeverDecide) {
  const Decision decision = overall({shadow(denied("s", 1s)), allowed("a", 50)});
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.rule, "a");
}

TEST(Decide, WithoutRulesAllIsAllowedAndUnlimited) {
  const Decision decision = overall({});
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.limit, -1);
  EXPECT_EQ(decision.remaining, -1);
  EXPECT_EQ(decision.rule, "");
}

TEST(Decide, AWarningOfAnyEnforcedRuleIsPassedOn) {
  RuleDecision near = allowed("near", 10);
  near.decision.warning = true;
  EXPECT_TRUE(overall({allowed("tight", 1), near}).warning);
  EXPECT_FALSE(overall({allowed("tight", 1), shadow(near)}).warning);
}

TEST(Warns, FromTheConfiguredShareOn) {
  rules::Rule rule;
  rule.warn_at = 0.9;
  EXPECT_FALSE(warns(rule, 100, 11));
  EXPECT_TRUE(warns(rule, 100, 10));
  EXPECT_TRUE(warns(rule, 1, 0));
}

}  // namespace
}  // namespace sluice::engine
