// Aim: explanations say why in words that can be acted on, and never show a secret.
// Method: one rule and one request at a time, whole sentences compared; a policy with secrets is asked for
// every rule and its text searched for them.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "rules/descriptor.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using testing::compiled;
using testing::match_of;
using testing::policy_of;
using testing::rule_of;

Explanation explained(const RuleSpec& rule, const std::vector<Descriptor>& request) {
  return compiled(policy_of({rule}))->explain(request).at(0);
}

std::string reason(testing::Patterns patterns, const std::vector<Descriptor>& request) {
  return explained(rule_of("r", patterns), request).reason;
}

TEST(Explain, WhyItMatches) {
  EXPECT_EQ(reason({{"user", {"*"}}}, {{"user", "7"}}), "user=\"7\" matches \"*\"");
  EXPECT_EQ(reason({{"user", {"7", "8"}}}, {{"user", "8"}}), "user=\"8\" matches \"8\"");
  EXPECT_EQ(reason({{"ip", {"10.0.0.0/8"}}}, {{"ip", "10.0.0.1"}}), "ip=\"10.0.0.1\" is in 10.0.0.0/8");
  EXPECT_EQ(reason({{"ip", {"10.0.0.1"}}}, {{"ip", "::ffff:10.0.0.1"}}),
            "ip=\"::ffff:10.0.0.1\" is 10.0.0.1");
  EXPECT_EQ(reason({{"user", {"*"}}, {"path", {"/a*"}}}, {{"path", "/ab"}, {"user", "7"}}),
            "user=\"7\" matches \"*\", path=\"/ab\" matches \"/a*\"");
  EXPECT_EQ(reason({}, {}), "it names no descriptor, so it matches every check");
}

TEST(Explain, WhyItDoesNot) {
  EXPECT_EQ(reason({{"user", {"*"}}, {"path", {"*"}}}, {{"user", "7"}}), "descriptor \"path\" is absent");
  EXPECT_EQ(reason({{"user", {"a", "b"}}}, {{"user", "x"}}), "user=\"x\" matches none of \"a\", \"b\"");
  EXPECT_EQ(reason({{"user", {"a*"}}}, {{"user", "x"}}), "user=\"x\" does not match \"a*\"");
  EXPECT_EQ(reason({{"ip", {"10.0.0.0/8"}}}, {{"ip", "here"}}), "ip=\"here\" is not an address");
  EXPECT_EQ(reason({{"ip", {"10.0.0.0/8"}}}, {{"ip", "11.0.0.1"}}),
            "ip=\"11.0.0.1\" does not match \"10.0.0.0/8\"");
}

TEST(Explain, LongListsAndValuesAreCut) {
  MatchSpec many{"user", {}};
  for (int i = 0; i < 1000; ++i) many.patterns.push_back("u" + std::to_string(i));
  RuleSpec rule = rule_of("r", {});
  rule.match = {many};
  const std::string large(65536, '\xff');
  const Explanation found = explained(rule, {{"user", large}});
  EXPECT_NE(found.reason.find("\"u7\" and 992 more"), std::string::npos);
  EXPECT_LT(found.reason.size(), 1000U);
  EXPECT_NE(found.reason.find("\\xff"), std::string::npos);
}

TEST(Explain, EveryRuleInOrderAlsoWhenBypassed) {
  PolicySpec spec = policy_of({rule_of("one", {{"user", {"*"}}}), rule_of("two", {})});
  spec.bypass = {{match_of({{"path", {"*"}}})}};
  const std::vector<Descriptor> request{{"path", "/"}};
  const auto all = compiled(spec)->explain(request);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].rule, "one");
  EXPECT_FALSE(all[0].matches);
  EXPECT_TRUE(all[0].limit.empty());
  EXPECT_TRUE(all[0].key.empty());
  EXPECT_EQ(all[1].rule, "two");
  EXPECT_TRUE(all[1].matches);
}

TEST(Explain, LimitOverrideAndKey) {
  RuleSpec rule = rule_of("r", {{"user", {"*"}}, {"path", {"*"}}}, "100/minute");
  rule.key = {"user"};
  rule.overrides = {{match_of({{"plan", {"gold"}}}), "1000/minute", std::nullopt},
                    {match_of({{"user", {"root"}}}), "unlimited", std::nullopt}};
  const Explanation plain = explained(rule, {{"user", "7"}, {"path", "/"}});
  EXPECT_EQ(plain.limit, "100/minute");
  EXPECT_EQ(plain.key, "r{user=\"7\"}");
  EXPECT_EQ(plain.override_index, -1);

  const Explanation gold = explained(rule, {{"user", "7"}, {"path", "/"}, {"plan", "gold"}});
  EXPECT_EQ(gold.limit, "1000/minute");
  EXPECT_EQ(gold.key, "r{user=\"7\"}");
  EXPECT_EQ(gold.override_index, 0);
  EXPECT_EQ(gold.reason,
            "user=\"7\" matches \"*\", path=\"/\" matches \"*\"; override 1 applies: plan=\"gold\" matches "
            "\"gold\"");

  const Explanation root = explained(rule, {{"user", "root"}, {"path", "/"}});
  EXPECT_EQ(root.limit, "unlimited");
  EXPECT_EQ(root.key, "");
  EXPECT_EQ(root.override_index, 1);
}

TEST(Explain, NeverShowsASecret) {
  const std::string digest = "sha256:" + to_hex(sha256("hunter2"));
  RuleSpec with_override = rule_of("by-override", {{"session", {"*"}}});
  with_override.overrides = {
      {match_of({{"session", {"sha256:" + to_hex(sha256("letmein"))}}}), "5/s", std::nullopt}};
  PolicySpec spec =
      policy_of({rule_of("secret", {{"token", {digest}}}), rule_of("any", {{"token", {"*"}}}),
                 rule_of("exact", {{"token", {"hunter2"}}}), rule_of("other", {{"token", {"x", "y"}}}),
                 rule_of("bypassed", {{"password", {"*"}}}), with_override});
  spec.bypass = {{match_of({{"password", {"sha256:" + to_hex(sha256("swordfish"))}}})}};
  const std::vector<Descriptor> request{
      {"token", "hunter2"}, {"password", "swordfish"}, {"session", "letmein"}};
  const auto all = compiled(spec)->explain(request);
  ASSERT_EQ(all.size(), 6U);
  for (const Explanation& found : all) {
    for (const std::string_view secret : {"hunter2", "swordfish", "letmein"}) {
      EXPECT_EQ(found.reason.find(secret), std::string::npos) << found.reason;
      EXPECT_EQ(found.key.find(secret), std::string::npos) << found.key;
    }
  }
  EXPECT_EQ(all[0].reason, "token=<hidden> matches");
  EXPECT_EQ(all[0].key, "secret{token=<hidden>}");
  EXPECT_EQ(all[3].reason, "token=<hidden> does not match");
  EXPECT_EQ(all[5].override_index, 0);
}

}  // namespace
}  // namespace sluice::rules
