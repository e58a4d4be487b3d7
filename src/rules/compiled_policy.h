// What compile() makes: the one Policy there is.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/limit.h"
#include "rules/condition_set.h"
#include "rules/descriptor.h"
#include "rules/key.h"
#include "rules/limits.h"
#include "rules/policy.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::rules {

/// A rule without its condition, which stands under the same index in CompiledPolicy::Parts::conditions.
struct CompiledRule {
  Rule rule;
  RuleLimit limit;
  KeyPlan key;
  ConditionSet overrides;
  std::vector<RuleLimit> override_limits;  ///< one for each of `overrides`

  /// The first override that holds.
  [[nodiscard]] std::optional<std::size_t> override_for(const Request& request) const;
  /// Its limit, or the rule's own.
  [[nodiscard]] const RuleLimit& limit_with(std::optional<std::size_t> override_index) const;
};

class CompiledPolicy final : public Policy {
 public:
  struct Parts {
    std::vector<CompiledRule> rules;
    ConditionSet conditions;  ///< of the rules
    ConditionSet bypasses;
    std::vector<std::string> address_descriptors;
    std::vector<std::string> secrets;  ///< descriptors that any pattern knows by SHA-256 only
    LeaseSettings lease;               ///< of the [lease] section
  };

  explicit CompiledPolicy(Parts parts);

  void match(Descriptors descriptors, MatchResult& out) const override;
  [[nodiscard]] std::vector<Explanation> explain(Descriptors descriptors) const override;
  [[nodiscard]] std::optional<std::size_t> bypass_of(Descriptors descriptors) const override;
  [[nodiscard]] std::size_t rule_count() const override { return parts_.rules.size(); }
  [[nodiscard]] const Rule& rule(std::size_t index) const override { return parts_.rules[index].rule; }
  [[nodiscard]] std::optional<std::string> key_text(const Rule& rule, std::string_view key) const override;
  void for_each_limit(
      const std::function<void(const Rule& rule, const limiter::Limit& limit)>& visit) const override;
  [[nodiscard]] const LeaseSettings& default_lease() const override { return parts_.lease; }

 private:
  Parts parts_;
};

}  // namespace sluice::rules
