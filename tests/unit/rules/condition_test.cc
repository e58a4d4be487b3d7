// Aim: a condition holds when every descriptor that it names is present and matches; faults name their field.
// Method: small conditions and requests.
#include "rules/condition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/descriptor.h"
#include "rules/request.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

const std::vector<std::string> kAddressNames{"ip"};

bool holds(testing::Patterns patterns, const std::vector<Descriptor>& request) {
  const auto condition = Condition::compile(testing::match_of(patterns), kAddressNames).value();
  return condition.holds_for(Request(request, kAddressNames));
}

std::string faulty_field(testing::Patterns patterns) {
  const auto condition = Condition::compile(testing::match_of(patterns), kAddressNames);
  return condition ? "none" : condition.error().field;
}

TEST(Condition, AllNamedMustBePresentAndMatch) {
  const testing::Patterns both{{"user", {"*"}}, {"path", {"/a", "/b"}}};
  EXPECT_TRUE(holds(both, {{"path", "/b"}, {"user", "7"}, {"other", "x"}}));
  EXPECT_FALSE(holds(both, {{"path", "/c"}, {"user", "7"}}));
  EXPECT_FALSE(holds(both, {{"user", "7"}}));
  EXPECT_FALSE(holds(both, {}));
}

TEST(Condition, WithoutDescriptorsAlwaysHolds) {
  EXPECT_TRUE(holds({}, {}));
  EXPECT_TRUE(holds({}, {{"user", "7"}}));
}

TEST(Condition, AnEmptyValueIsPresent) {
  EXPECT_TRUE(holds({{"user", {"*"}}}, {{"user", ""}}));
}

TEST(Condition, FirstOfARepeatedNameCounts) {
  EXPECT_FALSE(holds({{"user", {"vip"}}}, {{"user", "7"}, {"user", "vip"}}));
  EXPECT_TRUE(holds({{"user", {"vip"}}}, {{"user", "vip"}, {"user", "7"}}));
}

TEST(Condition, FaultsNameTheirField) {
  EXPECT_EQ(faulty_field({{"user", {}}}), "match.user");
  EXPECT_EQ(faulty_field({{"user", {"*"}}, {"ip", {"10.*"}}}), "match.ip");
  EXPECT_EQ(faulty_field({{"", {"*"}}}), "match");
  EXPECT_EQ(faulty_field({{"user", {"a"}}, {"user", {"b"}}}), "match.user");
}

}  // namespace
}  // namespace sluice::rules
