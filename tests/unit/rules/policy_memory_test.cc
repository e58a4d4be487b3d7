// Aim: match() allocates nothing once its result has been used before, as long as keys are short.
// Method: counts calls of operator new; requests alternate between many matches, few, none and a
// bypass.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "rules/descriptor.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "unit/rules/allocations.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using testing::allocations;
using testing::match_of;
using testing::rule_of;

std::shared_ptr<const Policy> policy_of_every_kind() {
  PolicySpec spec;
  spec.rules = {
      rule_of("long-enough-for-no-small-string-1", {{"user", {"*"}}, {"path", {"/?*", "/a*b*c"}}}),
      rule_of("long-enough-for-no-small-string-2", {{"ip", {"10.0.0.0/8", "2001:db8::/32"}}}),
      rule_of("long-enough-for-no-small-string-3", {{"user", {"1", "2", "3"}}}),
      rule_of("long-enough-for-no-small-string-4", {{"token", {"sha256:" + to_hex(sha256("hunter2"))}}}),
      rule_of("free", {}, "unlimited"),
      rule_of("long-enough-for-no-small-string-5", {})};
  spec.rules[0].overrides = {{match_of({{"path", {"/vip/*"}}}), "5/s", std::nullopt}};
  spec.bypass = {{match_of({{"path", {"/health"}}})}};
  return testing::compiled(spec);
}

TEST(PolicyMemory, MatchingAgainAllocatesNothing) {
  const auto policy = policy_of_every_kind();
  const std::string user = "some-user-with-quite-a-long-name-0123456789";
  const std::vector<std::vector<Descriptor>> requests{
      {{"user", user}, {"path", "/vip/x"}, {"ip", "2001:db8::1%eth0"}, {"token", "hunter2"}},
      {{"user", "2"}, {"path", "/"}, {"ip", "::ffff:10.0.0.1"}},
      {{"path", "/health"}},
      {{"unknown", "x"}, {"ip", "no address"}},
      {},
  };
  MatchResult out;
  std::size_t matches = 0;
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    for (const auto& request : requests) policy->match(request, out);
  }
  // Keys change places in the reused memory: each must have met the longest once.
  for (int i = 0; i < 8; ++i) policy->match(requests[0], out);

  const std::size_t before = allocations();
  for (int i = 0; i < 100; ++i) {
    for (const auto& request : requests) {
      policy->match(request, out);
      matches += out.matches.size();
    }
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(matches, 100U * (5 + 4 + 0 + 2 + 2));
}

TEST(PolicyMemory, TakingKeysAwayDoesNotMakeItGrow) {
  const auto policy = policy_of_every_kind();
  const std::vector<Descriptor> request{{"user", "2"}, {"path", "/x"}};
  std::vector<std::string> taken;
  MatchResult out;
  for (int i = 0; i < 1000; ++i) {
    policy->match(request, out);
    for (Match& match : out.matches) taken.push_back(std::move(match.key));
  }
  EXPECT_LE(out.spare_keys.size(), 8U);
}

}  // namespace
}  // namespace sluice::rules
