// Aim: a check meets all its rules, in order, with the right keys and fields; bypasses come first.
// Method: small policies and requests.
#include "rules/policy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "limiter/limit.h"
#include "rules/descriptor.h"
#include "rules/spec.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using namespace std::string_view_literals;
using testing::compiled;
using testing::match_of;
using testing::matched;
using testing::names_of;
using testing::only_key;
using testing::policy_of;
using testing::rule_of;
using Names = std::vector<std::string>;

TEST(Policy, AllMatchingRulesInTheOrderOfTheConfiguration) {
  const auto policy = compiled(policy_of({
      rule_of("z-by-name", {{"user", {"*"}}}),
      rule_of("always", {}),
      rule_of("other", {{"user", {"8"}}}),
      rule_of("exact", {{"path", {"/a", "/b"}}}),
      rule_of("both", {{"path", {"/*"}}, {"user", {"7"}}}),
      rule_of("absent", {{"tenant", {"*"}}}),
      rule_of("a-last", {{"user", {"7", "9"}}}),
  }));
  const Names all{"z-by-name", "always", "exact", "both", "a-last"};
  EXPECT_EQ(names_of(matched(*policy, {{"user", "7"}, {"path", "/b"}})), all);
  EXPECT_EQ(names_of(matched(*policy, {{"path", "/b"}, {"user", "7"}})), all);
  EXPECT_EQ(names_of(matched(*policy, {})), Names{"always"});
  EXPECT_EQ(policy->rule_count(), 7U);
}

TEST(Policy, NoRuleNoMatch) {
  const auto policy = compiled(policy_of({rule_of("user", {{"user", {"*"}}})}));
  const MatchResult result = matched(*policy, {{"path", "/"}});
  EXPECT_TRUE(result.matches.empty());
  EXPECT_FALSE(result.bypassed);
}

TEST(Policy, CountersAreSeparatedByAllMatchedDescriptorsOrByTheKey) {
  RuleSpec all = rule_of("r", {{"user", {"*"}}, {"path", {"*"}}});
  RuleSpec narrow = all;
  narrow.key = {"user"};
  RuleSpec one = all;
  one.key = Names{};
  const auto keys = [](const RuleSpec& rule) {
    const auto policy = compiled(policy_of({rule}));
    std::set<std::string> out;
    for (const auto user : {"1"sv, "2"sv}) {
      for (const auto path : {"/a"sv, "/b"sv}) {
        // Order in the request and unmatched descriptors make no difference.
        out.insert(only_key(*policy, {{"user", user}, {"path", path}}));
        out.insert(only_key(*policy, {{"path", path}, {"x", "y"}, {"user", user}}));
      }
    }
    return out.size();
  };
  EXPECT_EQ(keys(all), 4U);
  EXPECT_EQ(keys(narrow), 2U);
  EXPECT_EQ(keys(one), 1U);
}

TEST(Policy, TheOrderOfTheKeyIsThatOfTheMatch) {
  RuleSpec forward = rule_of("r", {{"user", {"*"}}, {"path", {"*"}}});
  RuleSpec backward = forward;
  forward.key = {"user", "path"};
  backward.key = {"path", "user"};
  const std::vector<Descriptor> request{{"user", "1"}, {"path", "/"}};
  EXPECT_EQ(only_key(*compiled(policy_of({forward})), request),
            only_key(*compiled(policy_of({backward})), request));
}

TEST(Policy, RulesFieldsAreCarriedThrough) {
  RuleSpec careful = rule_of("careful", {}, "0");
  careful.warn_at = 0.5;
  careful.shadow = true;
  careful.on_store_failure = "allow";
  RuleSpec closed = rule_of("closed", {}, "5/s");
  closed.on_store_failure = "deny";
  const auto policy =
      compiled(policy_of({careful, rule_of("free", {}, "unlimited"), rule_of("plain", {}, "5/s"), closed}));
  const MatchResult result = matched(*policy, {});
  ASSERT_EQ(names_of(result), (Names{"careful", "free", "plain", "closed"}));

  const Match& zero = result.matches[0];
  EXPECT_EQ(zero.rule->warn_at, 0.5);
  EXPECT_TRUE(zero.rule->shadow);
  EXPECT_EQ(zero.rule->on_store_failure, FailurePolicy::allow);
  ASSERT_NE(zero.limit, nullptr);
  EXPECT_EQ(zero.limit->capacity(), 0);
  EXPECT_FALSE(zero.key.empty());

  const Match& unlimited = result.matches[1];
  EXPECT_EQ(unlimited.limit, nullptr);
  EXPECT_TRUE(unlimited.key.empty());

  const Match& plain = result.matches[2];
  EXPECT_EQ(plain.rule->warn_at, 0.9);
  EXPECT_FALSE(plain.rule->shadow);
  EXPECT_EQ(plain.rule->on_store_failure, FailurePolicy::share);
  EXPECT_EQ(result.matches[3].rule->on_store_failure, FailurePolicy::deny);
  EXPECT_EQ(plain.limit->algorithm(), limiter::Algorithm::token_bucket);
  EXPECT_EQ(plain.override_index, -1);
}

TEST(Policy, AddressesAreGrouped) {
  PolicySpec spec = policy_of({rule_of("r", {{"ip", {"*"}}})});
  const auto by_64 = compiled(spec);
  EXPECT_EQ(only_key(*by_64, {{"ip", "10.0.0.1"}}), only_key(*by_64, {{"ip", "::ffff:10.0.0.1"}}));
  EXPECT_EQ(only_key(*by_64, {{"ip", "2001:db8::1"}}), only_key(*by_64, {{"ip", "2001:db8::ffff:1%eth0"}}));
  EXPECT_NE(only_key(*by_64, {{"ip", "2001:db8:0:1::1"}}), only_key(*by_64, {{"ip", "2001:db8::1"}}));
  EXPECT_NE(only_key(*by_64, {{"ip", "not one"}}), only_key(*by_64, {{"ip", "nor this"}}));

  spec.ipv6_prefix = 128;
  const auto by_128 = compiled(spec);
  EXPECT_NE(only_key(*by_128, {{"ip", "2001:db8::1"}}), only_key(*by_128, {{"ip", "2001:db8::2"}}));
  EXPECT_EQ(only_key(*by_128, {{"ip", "2001:db8::1"}}), only_key(*by_128, {{"ip", "2001:DB8:0::1"}}));

  spec.address_descriptors = {"client"};
  const auto other_name = compiled(spec);
  EXPECT_NE(only_key(*other_name, {{"ip", "10.0.0.1"}}), only_key(*other_name, {{"ip", "::ffff:10.0.0.1"}}));
}

TEST(Policy, HardValuesAreMatchedAndKeptApart) {
  const auto policy = compiled(policy_of({rule_of("r", {{"user", {"*"}}, {"ip", {"*"}}})}));
  const std::string large(65536, 'x');
  const std::vector<std::string_view> values{"",       " ",         "a b",   "a=b",     "a_b",  "a\nb",
                                             "a\0b"sv, "\xff\xfe",  "a:b",   "1:a",     "t1:a", large,
                                             "::1",    "127.0.0.1", "a\r\n", "\xc3\xa4"};
  std::set<std::string> keys;
  for (const auto user : values) {
    for (const auto ip : values) keys.insert(only_key(*policy, {{"user", user}, {"ip", ip}}));
  }
  EXPECT_EQ(keys.size(), values.size() * values.size());
}

TEST(Policy, FirstOfARepeatedNameCounts) {
  const auto policy =
      compiled(policy_of({rule_of("seven", {{"user", {"7"}}}), rule_of("eight", {{"user", {"8"}}}),
                          rule_of("any", {{"user", {"*"}}})}));
  const MatchResult result = matched(*policy, {{"user", "7"}, {"user", "8"}, {"user", "7"}});
  EXPECT_EQ(names_of(result), (Names{"seven", "any"}));
  EXPECT_EQ(result.matches[1].key, matched(*policy, {{"user", "7"}}).matches[1].key);
}

TEST(Bypass, ByPathAddressAndToken) {
  PolicySpec spec = policy_of({rule_of("all", {})});
  spec.bypass = {{match_of({{"path", {"/health", "/ready", "/static/*"}}})},
                 {match_of({{"ip", {"127.0.0.0/8", "::1"}}})},
                 {match_of({{"token", {"sha256:" + to_hex(sha256("hunter2"))}}, {"path", {"/admin"}}})}};
  const auto policy = compiled(spec);
  const auto index = [&](const std::vector<Descriptor>& request) { return policy->bypass_of(request); };
  EXPECT_EQ(index({{"path", "/ready"}}), 0U);
  EXPECT_EQ(index({{"path", "/static/a/b.css"}}), 0U);
  EXPECT_EQ(index({{"path", "/healthz"}}), std::nullopt);
  EXPECT_EQ(index({{"ip", "::ffff:127.0.0.1"}}), 1U);
  EXPECT_EQ(index({{"ip", "0:0::1"}}), 1U);
  EXPECT_EQ(index({{"ip", "128.0.0.1"}}), std::nullopt);
  EXPECT_EQ(index({{"token", "hunter2"}, {"path", "/admin"}}), 2U);
  EXPECT_EQ(index({{"token", "hunter2"}}), std::nullopt);
  EXPECT_EQ(index({{"token", "hunter1"}, {"path", "/admin"}}), std::nullopt);
  EXPECT_EQ(index({{"ip", "127.0.0.1"}, {"path", "/health"}}), 0U);
  EXPECT_EQ(index({}), std::nullopt);
}

TEST(Bypass, LeavesNoMatches) {
  PolicySpec spec = policy_of({rule_of("all", {})});
  spec.bypass = {{match_of({{"path", {"/health"}}})}};
  const auto policy = compiled(spec);
  MatchResult out;
  policy->match({}, out);
  EXPECT_EQ(out.matches.size(), 1U);
  const std::vector<Descriptor> health{{"path", "/health"}};
  policy->match(health, out);
  EXPECT_TRUE(out.bypassed);
  EXPECT_TRUE(out.matches.empty());
  policy->match({}, out);
  EXPECT_FALSE(out.bypassed);
  EXPECT_EQ(out.matches.size(), 1U);
}

}  // namespace
}  // namespace sluice::rules
