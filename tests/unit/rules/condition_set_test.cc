// Aim: the cost of matching follows the conditions that could hold, not all of them, and the index loses
// none. Method: counts candidates inspected among 10,000 conditions; random sets against asking every
// condition.
#include "rules/condition_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rules/condition.h"
#include "rules/descriptor.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::rules {
namespace {

const std::vector<std::string> kAddressNames{"ip"};

Condition condition_of(const std::vector<MatchSpec>& match) {
  return Condition::compile(match, kAddressNames).value();
}

struct Outcome {
  std::size_t inspected = 0;
  std::vector<std::size_t> matched;
};

Outcome outcome(const ConditionSet& set, const std::vector<Descriptor>& descriptors) {
  Outcome out;
  const Request request(descriptors, kAddressNames);
  out.inspected = set.for_each_match(request, [&](std::size_t index) { out.matched.push_back(index); });
  std::ranges::sort(out.matched);
  return out;
}

TEST(ConditionSet, InspectsOnlyWhatNamesAndExactValuesAllow) {
  constexpr std::size_t kRules = 10000;
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < kRules; ++i) {
    const std::string n = std::to_string(i);
    if (i % 4 == 0) conditions.push_back(condition_of({{"user", {"u" + n, "v" + n}}, {"path", {"*"}}}));
    if (i % 4 == 1) conditions.push_back(condition_of({{"path", {"/*"}}, {"tenant", {"t" + n}}}));
    if (i % 4 == 2) conditions.push_back(condition_of({{"other-" + n, {"*"}}}));
    if (i % 4 == 3) {
      conditions.push_back(
          condition_of({{"ip", {"10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256)}}}));
    }
  }
  conditions.push_back(condition_of({}));
  conditions.push_back(condition_of({{"user", {"u*"}}}));
  const ConditionSet set(std::move(conditions));

  const Outcome found =
      outcome(set, {{"user", "u8"}, {"path", "/x"}, {"tenant", "t9"}, {"ip", "::ffff:10.0.0.11"}});
  EXPECT_EQ(found.matched, (std::vector<std::size_t>{8, 9, 11, kRules, kRules + 1}));
  EXPECT_EQ(found.inspected, 5U);

  const Outcome second_value = outcome(set, {{"user", "v4"}, {"path", "/x"}});
  EXPECT_EQ(second_value.matched, (std::vector<std::size_t>{4, kRules}));
  EXPECT_EQ(second_value.inspected, 3U);

  EXPECT_EQ(outcome(set, {{"other-2", ""}}).inspected, 2U);
  EXPECT_EQ(outcome(set, {}).inspected, 1U);
  EXPECT_EQ(outcome(set, {{"ip", "none"}, {"unheard", "of"}}).inspected, 1U);
}

TEST(ConditionSet, EachAtMostOnce) {
  std::vector<Condition> conditions;
  conditions.push_back(condition_of({{"user", {"a", "a", "b"}}, {"path", {"/", "/"}}}));
  const ConditionSet set(std::move(conditions));
  const Outcome found = outcome(set, {{"user", "a"}, {"path", "/"}, {"user", "b"}, {"user", "a"}});
  EXPECT_EQ(found.matched, (std::vector<std::size_t>{0}));
  EXPECT_EQ(found.inspected, 1U);
}

TEST(ConditionSet, FirstMatchIsByOrderNotByIndex) {
  std::vector<Condition> conditions;
  conditions.push_back(condition_of({{"z", {"no"}}}));
  conditions.push_back(condition_of({{"b", {"*"}}}));
  conditions.push_back(condition_of({{"a", {"x"}}}));
  conditions.push_back(condition_of({}));
  const ConditionSet set(std::move(conditions));
  const auto first = [&](const std::vector<Descriptor>& descriptors) {
    return set.first_match(Request(descriptors, kAddressNames));
  };
  EXPECT_EQ(first({{"a", "x"}, {"b", "y"}, {"z", "yes"}}), 1U);
  EXPECT_EQ(first({{"a", "x"}}), 2U);
  EXPECT_EQ(first({}), 3U);
  EXPECT_FALSE(ConditionSet().first_match(Request({}, kAddressNames)));
}

TEST(ConditionSet, AgreesWithAskingEveryCondition) {
  std::mt19937 random(3);
  const std::vector<std::string> names{"a", "b", "c", "ip"};
  const std::vector<std::string> texts{"", "x", "y", "xx", "*", "x*", "?"};
  const std::vector<std::string> hosts{"10.0.0.1", "10.0.0.0/30", "::/0", "*", "2001:db8::1"};
  const std::vector<std::string> values{"", "x", "y", "xx", "10.0.0.1", "10.0.0.2", "::1", "2001:db8::1"};
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  std::size_t matched = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Condition> conditions;
    for (int i = 0; i < 30; ++i) {
      std::vector<MatchSpec> match;
      for (const std::string& name : names) {
        if (random() % 3 != 0) continue;
        MatchSpec part{name, {}};
        for (auto left = 1 + random() % 3; left > 0; --left)
          part.patterns.push_back(pick(name == "ip" ? hosts : texts));
        match.push_back(part);
      }
      conditions.push_back(condition_of(match));
    }
    const ConditionSet set(std::move(conditions));
    for (int i = 0; i < 20; ++i) {
      std::vector<Descriptor> descriptors;
      for (auto left = random() % 6; left > 0; --left) {
        descriptors.push_back({names[random() % names.size()], values[random() % values.size()]});
      }
      const Request request(descriptors, kAddressNames);
      std::vector<std::size_t> expected;
      for (std::size_t k = 0; k < set.size(); ++k) {
        if (set[k].holds_for(request)) expected.push_back(k);
      }
      const Outcome found = outcome(set, descriptors);
      ASSERT_EQ(found.matched, expected);
      const auto first = expected.empty() ? std::nullopt : std::optional(expected.front());
      ASSERT_EQ(set.first_match(request), first);
      matched += expected.size();
    }
  }
  EXPECT_GT(matched, 1000U);
}

}  // namespace
}  // namespace sluice::rules
