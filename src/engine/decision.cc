#include "engine/decision.h"

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "rules/policy.h"

namespace sluice::engine {
namespace {

/// Whether `a` is the tighter answer: what a client must heed first.
bool tighter(const Decision& a, const Decision& b) {
  if (a.allowed != b.allowed) return !a.allowed;
  if (a.allowed) return a.remaining < b.remaining;
  if ((a.retry_after == kNever) != (b.retry_after == kNever)) return a.retry_after == kNever;
  return a.retry_after > b.retry_after;
}

}  // namespace

void decide(CheckResult& result) {
  const Decision* tightest = nullptr;
  for (const RuleDecision& part : result.rules) {
    if (part.shadow || part.decision.limit == kUnlimited) continue;
    if (tightest == nullptr || tighter(part.decision, *tightest)) tightest = &part.decision;
  }
  result.overall = tightest != nullptr ? *tightest : Decision{};
  for (const RuleDecision& part : result.rules) {
    if (part.shadow) continue;
    if (part.decision.warning) result.overall.warning = true;
    if (part.decision.degraded) result.overall.degraded = true;
  }
}

std::int64_t counters_of(const CheckResult& result) {
  return std::ranges::count_if(result.rules, [](const RuleDecision& rule) {
    return rule.decision.limit != kUnlimited && !rule.decision.degraded;
  });
}

bool warns(const rules::Rule& rule, std::int64_t capacity, std::int64_t remaining) {
  return static_cast<double>(capacity - remaining) >= rule.warn_at * static_cast<double>(capacity);
}

}  // namespace sluice::engine
