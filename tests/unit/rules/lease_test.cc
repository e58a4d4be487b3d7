// Aim: each rule gets the lease settings that it and [lease] ask for, contradictions are refused where they
// are written, and a policy shows them and its limits. Method: defaults and a rule's own words in all
// combinations that matter; faults in a table with field and text.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limiter/limit.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using namespace std::chrono_literals;
using testing::compiled;
using testing::match_of;
using testing::policy_of;
using testing::rule_of;

constexpr LeaseSettings kDefaults{
    .target = 3s, .ttl = 4s, .slack = 0.5, .min = 10, .max = 500, .initial = 5, .exact = false};

/// Of the policy's only rule.
LeaseSettings lease_of(const PolicySpec& spec) {
  const auto policy = compiled(spec);
  const auto result = testing::matched(*policy, {{"user", "7"}});
  EXPECT_EQ(result.matches.size(), 1U);
  return result.matches.empty() ? LeaseSettings{} : result.matches[0].rule->lease;
}

PolicySpec policy_with(const std::function<void(RuleSpec&)>& change) {
  PolicySpec spec = policy_of({rule_of("r", {{"user", {"*"}}})});
  spec.lease = kDefaults;
  change(spec.rules[0]);
  return spec;
}

TEST(Lease, WithoutWordsIsAsTheSectionSays) {
  EXPECT_EQ(lease_of(policy_with([](RuleSpec&) {})), kDefaults);
  EXPECT_EQ(lease_of(policy_of({rule_of("r", {})})), LeaseSettings{});
}

TEST(Lease, EachWordOfARuleReplacesOneOfTheSection) {
  const std::vector<std::pair<std::function<void(LeaseSpec&)>, std::function<void(LeaseSettings&)>>> cases{
      {[](LeaseSpec& own) { own.target = 7ms; }, [](LeaseSettings& all) { all.target = 7ms; }},
      {[](LeaseSpec& own) { own.ttl = 8ms; }, [](LeaseSettings& all) { all.ttl = 8ms; }},
      {[](LeaseSpec& own) { own.slack = 1.0; }, [](LeaseSettings& all) { all.slack = 1.0; }},
      {[](LeaseSpec& own) { own.min = 500; }, [](LeaseSettings& all) { all.min = 500; }},
      {[](LeaseSpec& own) { own.max = 10; }, [](LeaseSettings& all) { all.max = 10; }},
      {[](LeaseSpec& own) { own.initial = 500; }, [](LeaseSettings& all) { all.initial = 500; }},
  };
  for (const auto& [own, all] : cases) {
    LeaseSettings expected = kDefaults;
    all(expected);
    EXPECT_EQ(lease_of(policy_with([&](RuleSpec& rule) { own(rule.lease); })), expected);
  }
}

TEST(Lease, ExactByModeOrByAlgorithm) {
  const auto is_exact = [](const std::string& mode, const std::string& algorithm) {
    return lease_of(policy_with([&](RuleSpec& rule) {
             rule.mode = mode;
             rule.algorithm = algorithm;
           }))
        .exact;
  };
  for (const char* const algorithm : {"token_bucket", "fixed_window", "sliding_window_counter"}) {
    EXPECT_FALSE(is_exact("leased", algorithm)) << algorithm;
    EXPECT_TRUE(is_exact("exact", algorithm)) << algorithm;
  }
  EXPECT_TRUE(is_exact("leased", "sliding_window_log"));
  EXPECT_TRUE(is_exact("exact", "sliding_window_log"));
}

struct BadRule {
  std::function<void(RuleSpec&)> change;
  std::string_view field;
  std::string_view message;
};

TEST(Lease, FaultsAreOfWhatTheRuleSays) {
  const std::vector<BadRule> cases{
      {[](RuleSpec& rule) { rule.mode = "exat"; }, "mode",
       R"("exat" is neither "leased" nor "exact"; did you mean "exact"?)"},
      {[](RuleSpec& rule) { rule.mode = ""; }, "mode", R"("" is neither "leased" nor "exact")"},
      {[](RuleSpec& rule) { rule.lease.min = 501; }, "lease.min",
       "501 is above the max of 500 that [lease] gives"},
      {[](RuleSpec& rule) { rule.lease.max = 9; }, "lease.max",
       "9 is below the min of 10 that [lease] gives"},
      {[](RuleSpec& rule) { rule.lease.min = 3, rule.lease.max = 2; }, "lease.min",
       "3 is above the max of 2"},
      {[](RuleSpec& rule) { rule.lease.initial = 501; }, "lease.initial",
       "501 is above the max of 500 that [lease] gives"},
      {[](RuleSpec& rule) { rule.lease.min = 1, rule.lease.max = 4; }, "lease.max",
       "4 is below the initial of 5 that [lease] gives"},
      {[](RuleSpec& rule) { rule.lease.initial = 21, rule.lease.max = 20; }, "lease.initial",
       "21 is above the max of 20"},
      {[](RuleSpec& rule) { rule.lease.target = 0s; }, "lease.target", "must be a time above 0"},
      {[](RuleSpec& rule) { rule.lease.ttl = -1s; }, "lease.ttl", "must be a time above 0"},
      {[](RuleSpec& rule) { rule.lease.slack = 1.5; }, "lease.slack",
       "1.5 is not a share above 0 and at most 1"},
      {[](RuleSpec& rule) { rule.lease.slack = std::numeric_limits<double>::quiet_NaN(); }, "lease.slack",
       "nan is not a share above 0 and at most 1"},
      {[](RuleSpec& rule) { rule.lease.min = 0; }, "lease.min", "0 is too small; at least 1 token is leased"},
      {[](RuleSpec& rule) { rule.lease.max = 0; }, "lease.max", "0 is too small; at least 1 token is leased"},
      {[](RuleSpec& rule) { rule.lease.initial = -1; }, "lease.initial", "-1 is negative"},
      // An exact rule does not lease, but what it says stays checked: its mode may change.
      {[](RuleSpec& rule) { rule.mode = "exact", rule.lease.min = 501; }, "lease.min",
       "501 is above the max of 500 that [lease] gives"},
  };
  for (const BadRule& bad : cases) {
    const auto policy = compile(policy_with(bad.change));
    ASSERT_FALSE(policy) << bad.message;
    EXPECT_EQ(policy.error().section, SpecError::Section::rule);
    EXPECT_EQ(policy.error().index, 0U);
    EXPECT_EQ(policy.error().field, bad.field);
    EXPECT_EQ(policy.error().message, bad.message);
  }
}

TEST(Lease, FaultsOfTheSection) {
  struct Case {
    LeaseSettings lease;
    std::string_view field;
    std::string_view message;
  };
  const std::vector<Case> cases{
      {{.min = 6, .max = 5}, "min", "6 is above the max of 5"},
      {{.max = 5, .initial = 6}, "initial", "6 is above the max of 5"},
      {{.ttl = 0s}, "ttl", "must be a time above 0"},
  };
  for (const Case& bad : cases) {
    PolicySpec spec = policy_of({rule_of("r", {})});
    spec.lease = bad.lease;
    const auto policy = compile(spec);
    ASSERT_FALSE(policy) << bad.message;
    EXPECT_EQ(policy.error().section, SpecError::Section::lease);
    EXPECT_EQ(policy.error().field, bad.field);
    EXPECT_EQ(policy.error().message, bad.message);
  }
}

TEST(Lease, PolicyKeepsTheSectionForLimitsWithoutARule) {
  PolicySpec spec;
  EXPECT_EQ(compiled(spec)->default_lease(), LeaseSettings{});
  spec.lease = kDefaults;
  EXPECT_EQ(compiled(spec)->default_lease(), kDefaults);
}

TEST(Lease, ExplainedWhereSomethingIsCounted) {
  PolicySpec spec =
      policy_of({rule_of("yes", {}), rule_of("free", {}, "unlimited"), rule_of("no", {{"ip", {"*"}}})});
  spec.rules[0].lease.max = 50;
  const auto all = compiled(spec)->explain({});
  ASSERT_EQ(all.size(), 3U);
  ASSERT_TRUE(all[0].lease);
  EXPECT_EQ(all[0].lease->max, 50);
  EXPECT_FALSE(all[1].lease);
  EXPECT_FALSE(all[2].lease);
}

TEST(ForEachLimit, VisitsWhatAMatchCouldGive) {
  PolicySpec spec = policy_of({rule_of("a", {{"user", {"*"}}}, "1/s"), rule_of("b", {}, "unlimited"),
                               rule_of("c", {}, "unlimited"), rule_of("d", {}, "0")});
  spec.rules[0].overrides = {{match_of({{"user", {"x"}}}), "2/s", std::nullopt},
                             {match_of({{"user", {"y"}}}), "unlimited", std::nullopt},
                             {match_of({{"user", {"z"}}}), "3/s", 9}};
  spec.rules[2].overrides = {{match_of({{"user", {"x"}}}), "4/s", std::nullopt}};
  const auto policy = compiled(spec);
  std::vector<std::pair<std::string, std::int64_t>> seen;
  policy->for_each_limit(
      [&](const Rule& rule, const limiter::Limit& limit) { seen.emplace_back(rule.name, limit.capacity()); });
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, std::int64_t>>{
                      {"a", 1}, {"a", 2}, {"a", 9}, {"c", 4}, {"d", 0}}));

  // The very ones that matches point to.
  const MatchResult match = testing::matched(*policy, {{"user", "z"}});
  int found = 0;
  policy->for_each_limit([&](const Rule& rule, const limiter::Limit& limit) {
    found += &rule == match.matches.at(0).rule && &limit == match.matches.at(0).limit ? 1 : 0;
  });
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace sluice::rules
