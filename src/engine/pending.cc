#include "engine/pending.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/time.h"
#include "engine/decision.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "rules/policy.h"
#include "store/store.h"

namespace sluice::engine {
namespace {

/// When the store does not answer, nobody knows when it will: a client that was denied should not hammer.
constexpr Duration kRetryWhenDegraded = std::chrono::seconds{1};

RuleDecision degraded(const rules::Match& match) {
  RuleDecision result;
  Decision& decision = result.decision;
  decision.degraded = true;
  decision.allowed = match.rule->on_store_failure == rules::FailurePolicy::allow;
  decision.limit = match.limit->capacity();
  decision.remaining = 0;  // unknown; never promise what may not be there
  if (!decision.allowed) decision.retry_after = kRetryWhenDegraded;
  return result;
}

RuleDecision from_grant(const Pending& check, const rules::Match& match, const store::Grant& grant) {
  RuleDecision result;
  Decision& decision = result.decision;
  decision.limit = match.limit->capacity();
  decision.remaining = grant.remaining;
  decision.reset_after = grant.reset_after;
  decision.retry_after = grant.retry_after;
  decision.allowed = grant.retry_after == Duration::zero();
  decision.warning = warns(*match.rule, decision.limit, decision.remaining) || !decision.allowed;
  if (check.operation == Operation::refund || check.operation == Operation::reset) {
    decision.allowed = true;
    decision.retry_after = Duration::zero();
  }
  return result;
}

RuleDecision decide_part(const Pending& check, const Part& part) {
  RuleDecision result;
  if (part.outcome && !part.outcome->error) {
    result = from_grant(check, *part.match, part.outcome->grant);
  } else if (part.share) {
    result = from_grant(check, *part.match, part.share->grant);
    result.decision.degraded = true;
  } else {
    result = degraded(*part.match);
  }
  const limiter::Limit& limit = *part.match->limit;
  result.quota = limit.count();
  if (limit.calendar_unit() == limiter::CalendarUnit::none) result.window = limit.period();
  result.rule = part.match->rule;
  result.shadow = part.match->rule->shadow;
  result.decision.rule = part.match->rule->name;
  return result;
}

RuleDecision unlimited(const rules::Match& match) {
  RuleDecision result;
  result.rule = match.rule;
  result.shadow = match.rule->shadow;
  result.decision.rule = match.rule->name;
  return result;
}

}  // namespace

std::size_t Pending::open_parts() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(parts, [](const Part& part) { return !part.outcome; }));
}

void conclude_parts(Pending& check) {
  CheckResult& result = check.result;
  result.bypassed = check.matched.bypassed;
  result.rules.clear();
  std::size_t next_part = 0;
  for (const rules::Match& match : check.matched.matches) {
    if (match.limit == nullptr) {
      result.rules.push_back(unlimited(match));
    } else {
      result.rules.push_back(decide_part(check, check.parts[next_part++]));
    }
  }
  decide(result);
}

}  // namespace sluice::engine
