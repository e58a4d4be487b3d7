// Short ways to write policies and requests in tests.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/descriptor.h"
#include "rules/policy.h"
#include "rules/spec.h"

namespace sluice::rules::testing {

using Patterns = std::initializer_list<std::pair<std::string, std::vector<std::string>>>;

/// {{"user", {"*"}}, {"path", {"/a", "/b"}}}
inline std::vector<MatchSpec> match_of(Patterns patterns) {
  std::vector<MatchSpec> out;
  for (const auto& [descriptor, list] : patterns) out.push_back({descriptor, list});
  return out;
}

inline RuleSpec rule_of(std::string name, Patterns match, std::string limit = "100/minute") {
  RuleSpec rule;
  rule.name = std::move(name);
  rule.match = match_of(match);
  rule.limit = std::move(limit);
  return rule;
}

inline PolicySpec policy_of(std::vector<RuleSpec> rules) {
  PolicySpec spec;
  spec.rules = std::move(rules);
  return spec;
}

/// Must compile.
inline std::shared_ptr<const Policy> compiled(const PolicySpec& spec) {
  auto policy = compile(spec);
  if (policy) return *policy;
  ADD_FAILURE() << policy.error().field << ": " << policy.error().message;
  return compile(PolicySpec{}).value();
}

inline MatchResult matched(const Policy& policy, const std::vector<Descriptor>& request) {
  MatchResult out;
  policy.match(request, out);
  return out;
}

/// Names of the rules that take part, in their order.
inline std::vector<std::string> names_of(const MatchResult& result) {
  std::vector<std::string> out;
  for (const Match& match : result.matches) out.push_back(match.rule->name);
  return out;
}

/// The key of the only rule that takes part.
inline std::string only_key(const Policy& policy, const std::vector<Descriptor>& request) {
  const MatchResult result = matched(policy, request);
  EXPECT_EQ(result.matches.size(), 1U);
  return result.matches.empty() ? std::string() : result.matches[0].key;
}

}  // namespace sluice::rules::testing
