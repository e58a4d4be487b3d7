// What a check is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "rules/policy.h"

namespace sluice::engine {

/// Stands for "no limit" in Decision::limit and ::remaining.
inline constexpr std::int64_t kUnlimited = -1;

/// One rule's word, or the word on the whole check.
struct Decision {
  bool allowed = true;
  std::int64_t limit = kUnlimited;
  std::int64_t remaining = kUnlimited;
  Duration retry_after{};  ///< 0 when allowed; kNever when waiting does not help
  Duration reset_after{};
  std::string_view rule;  ///< name of the rule that decided; empty: none took part
  bool warning = false;   ///< the rule's used share has reached its warn_at
  bool degraded = false;  ///< the store did not answer; the rule's failure policy did
};

struct RuleDecision {
  Decision decision;
  const rules::Rule* rule = nullptr;
  std::int64_t quota = kUnlimited;  ///< tokens per `window`, as configured
  Duration window{};                ///< length of the rule's period; 0 for a civil day, month or year
  bool shadow = false;              ///< reported, but never the reason for a denial
};

/// Lives in the engine: valid until the next call into it.
struct CheckResult {
  /// Of the tightest enforced rule: denied first (longest wait first), then least remaining.
  Decision overall;
  bool bypassed = false;
  std::vector<RuleDecision> rules;              ///< every rule that took part, in configuration order
  std::shared_ptr<const rules::Policy> policy;  ///< keeps the names alive
};

/// Fills `overall` from `rules`.
void decide(CheckResult& result);

/// How many counters took part and were reached: what RESET has forgotten.
[[nodiscard]] std::int64_t counters_of(const CheckResult& result);

/// Of one rule, from the numbers a store gave. `capacity` and `remaining` in tokens.
[[nodiscard]] bool warns(const rules::Rule& rule, std::int64_t capacity, std::int64_t remaining);

}  // namespace sluice::engine
