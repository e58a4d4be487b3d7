// Aim: every fault of a policy is refused with its place and a message that says what would be right.
// Method: a valid policy, broken in one place each time.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "rules/policy.h"
#include "rules/spec.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using Section = SpecError::Section;

PolicySpec valid() {
  PolicySpec spec;
  spec.rules = {testing::rule_of("first", {{"user", {"*"}}}),
                testing::rule_of("second", {{"user", {"*"}}, {"ip", {"10.0.0.0/8"}}})};
  spec.rules[1].overrides = {{testing::match_of({{"user", {"vip-*"}}}), "1000/minute", std::nullopt},
                             {testing::match_of({{"plan", {"free"}}}), "10/minute", 20}};
  spec.bypass = {{testing::match_of({{"path", {"/health"}}})}, {testing::match_of({{"ip", {"127.0.0.1"}}})}};
  return spec;
}

SpecError broken(const std::function<void(PolicySpec&)>& change) {
  PolicySpec spec = valid();
  change(spec);
  const auto policy = compile(spec);
  if (policy) {
    ADD_FAILURE() << "was accepted";
    return {};
  }
  return policy.error();
}

/// Breaks the second rule.
void expect_rule_fault(const std::function<void(RuleSpec&)>& change, std::string_view field,
                       std::string_view part_of_message) {
  const SpecError error = broken([&](PolicySpec& spec) { change(spec.rules[1]); });
  EXPECT_EQ(error.section, Section::rule);
  EXPECT_EQ(error.index, 1U);
  EXPECT_EQ(error.override_index, std::nullopt);
  EXPECT_EQ(error.field, field);
  EXPECT_NE(error.message.find(part_of_message), std::string::npos) << error.message;
}

/// Breaks the second override of the second rule.
void expect_override_fault(const std::function<void(OverrideSpec&)>& change, std::string_view field,
                           std::string_view part_of_message) {
  const SpecError error = broken([&](PolicySpec& spec) { change(spec.rules[1].overrides[1]); });
  EXPECT_EQ(error.section, Section::rule);
  EXPECT_EQ(error.index, 1U);
  EXPECT_EQ(error.override_index, 1U);
  EXPECT_EQ(error.field, field);
  EXPECT_NE(error.message.find(part_of_message), std::string::npos) << error.message;
}

TEST(Compile, AcceptsTheValidOne) {
  const auto policy = compile(valid());
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ((*policy)->rule_count(), 2U);
  EXPECT_EQ(compile(PolicySpec{}).value()->rule_count(), 0U);
}

TEST(Compile, Names) {
  expect_rule_fault([](RuleSpec& rule) { rule.name = ""; }, "name", "needs a name");
  expect_rule_fault([](RuleSpec& rule) { rule.name = std::string(65, 'a'); }, "name", "at most 64");
  expect_rule_fault([](RuleSpec& rule) { rule.name = "per user"; }, "name", "letters, digits");
  expect_rule_fault([](RuleSpec& rule) { rule.name = "a/b"; }, "name", "holds \"/\"");
  expect_rule_fault([](RuleSpec& rule) { rule.name = "\xc3\xa4"; }, "name", "\\xc3");
  expect_rule_fault([](RuleSpec& rule) { rule.name = "first"; }, "name", "the name of rule 1");
  PolicySpec longest = valid();
  longest.rules[0].name = "Az09_.:-" + std::string(56, 'a');
  EXPECT_TRUE(compile(longest));
}

TEST(Compile, Patterns) {
  expect_rule_fault([](RuleSpec& rule) { rule.match[0].patterns.clear(); }, "match.user", "empty");
  expect_rule_fault([](RuleSpec& rule) { rule.match[0].patterns = {"a\\"}; }, "match.user", "backslash");
  expect_rule_fault([](RuleSpec& rule) { rule.match[0].patterns = {"sha256:12"}; }, "match.user",
                    "64 hexadecimal");
  expect_rule_fault([](RuleSpec& rule) { rule.match[0].patterns = {std::string(257, '*')}; }, "match.user",
                    "256");
  expect_rule_fault([](RuleSpec& rule) { rule.match[0].descriptor = ""; }, "match", "name cannot be empty");
  expect_rule_fault([](RuleSpec& rule) { rule.match[1].patterns = {"10.*"}; }, "match.ip",
                    "not as text: instead of");
  expect_rule_fault([](RuleSpec& rule) { rule.match[1].patterns = {"10.0.0.1/8"}; }, "match.ip",
                    "10.0.0.0/8");
  expect_rule_fault([](RuleSpec& rule) { rule.match.push_back(rule.match[0]); }, "match.user", "twice");
}

TEST(Compile, FieldsOfARule) {
  expect_rule_fault([](RuleSpec& rule) { rule.limit = "100/fortnite"; }, "limit", "fortnite");
  expect_rule_fault([](RuleSpec& rule) { rule.limit = "3/month"; }, "limit", "fixed_window");
  expect_rule_fault([](RuleSpec& rule) { rule.burst = 0; }, "burst", "at least 1");
  expect_rule_fault([](RuleSpec& rule) { rule.algorithm = "fixed_windw"; }, "algorithm",
                    "did you mean \"fixed_window\"");
  expect_rule_fault(
      [](RuleSpec& rule) {
        rule.algorithm = "fixed_window";
        rule.burst = 5;
      },
      "burst", "only token_bucket");
  expect_rule_fault(
      [](RuleSpec& rule) {
        rule.algorithm = "fixed_window";
        rule.overrides.clear();
        rule.limit = "1/day";
        rule.timezone = "Mars/Olympus";
      },
      "timezone", "Mars/Olympus");
  expect_rule_fault([](RuleSpec& rule) { rule.on_store_failure = "denny"; }, "on_store_failure",
                    "did you mean \"deny\"");
}

TEST(Compile, Keys) {
  expect_rule_fault([](RuleSpec& rule) { rule.key = {"usr"}; }, "key", "did you mean \"user\"");
  expect_rule_fault([](RuleSpec& rule) { rule.key = {"user", "plan"}; }, "key", "\"plan\"");
  expect_rule_fault([](RuleSpec& rule) { rule.key = {"user", "user"}; }, "key", "twice");
}

TEST(Compile, WarnAt) {
  for (const double wrong :
       {0.0, -0.1, 1.01, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_rule_fault([&](RuleSpec& rule) { rule.warn_at = wrong; }, "warn_at", "above 0 and at most 1");
  }
  PolicySpec edge = valid();
  edge.rules[0].warn_at = 1;
  EXPECT_TRUE(compile(edge));
}

TEST(Compile, Overrides) {
  expect_override_fault([](OverrideSpec& given) { given.match.clear(); }, "match", "needs a match");
  expect_override_fault([](OverrideSpec& given) { given.match[0].patterns.clear(); }, "match.plan", "empty");
  expect_override_fault([](OverrideSpec& given) { given.limit = "lots"; }, "limit", "lots");
  expect_override_fault([](OverrideSpec& given) { given.limit = ""; }, "limit", "not a rate");
  expect_override_fault([](OverrideSpec& given) { given.burst = -1; }, "burst", "at least 1");

  const SpecError burst = broken([](PolicySpec& spec) { spec.rules[1].algorithm = "sliding_window_log"; });
  EXPECT_EQ(burst.override_index, 1U);
  EXPECT_EQ(burst.field, "burst");
}

TEST(Compile, AFaultAfterOverridesIsNotTheirs) {
  PolicySpec spec = valid();
  spec.rules.push_back(testing::rule_of("third", {}, "x"));
  const auto policy = compile(spec);
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().index, 2U);
  EXPECT_EQ(policy.error().override_index, std::nullopt);
}

TEST(Compile, Bypasses) {
  const SpecError empty = broken([](PolicySpec& spec) { spec.bypass[1].match.clear(); });
  EXPECT_EQ(empty.section, Section::bypass);
  EXPECT_EQ(empty.index, 1U);
  EXPECT_EQ(empty.field, "match");
  EXPECT_NE(empty.message.find("nothing would be limited"), std::string::npos);

  const SpecError pattern = broken([](PolicySpec& spec) { spec.bypass[1].match[0].patterns = {"127.*"}; });
  EXPECT_EQ(pattern.section, Section::bypass);
  EXPECT_EQ(pattern.field, "match.ip");
  EXPECT_EQ(pattern.override_index, std::nullopt);
}

TEST(Compile, AddressSettings) {
  for (const int wrong : {0, -1, 129}) {
    const SpecError error = broken([&](PolicySpec& spec) { spec.ipv6_prefix = wrong; });
    EXPECT_EQ(error.section, Section::address);
    EXPECT_EQ(error.index, 0U);
    EXPECT_EQ(error.field, "ipv6_prefix");
    EXPECT_NE(error.message.find("1 to 128"), std::string::npos);
  }
  const SpecError name = broken([](PolicySpec& spec) { spec.address_descriptors.emplace_back(); });
  EXPECT_EQ(name.section, Section::address);
  EXPECT_EQ(name.field, "descriptors");
}

TEST(Compile, ReportsTheFirstFault) {
  const SpecError error = broken([](PolicySpec& spec) {
    spec.rules[1].limit = "x";
    spec.rules[0].limit = "y";
    spec.bypass[0].match.clear();
  });
  EXPECT_EQ(error.section, Section::rule);
  EXPECT_EQ(error.index, 0U);
}

}  // namespace
}  // namespace sluice::rules
