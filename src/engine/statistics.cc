#include "engine/statistics.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/time.h"
#include "engine/decision.h"
#include "engine/pending.h"
#include "engine/watcher.h"
#include "rules/policy.h"

namespace sluice::engine {

Statistics::Statistics(const Clock& clock, std::shared_ptr<const rules::Policy> policy)
    : clock_(clock), policy_(std::move(policy)), slots_(policy_->rule_count() + 1) {}

void Statistics::set_policy(std::shared_ptr<const rules::Policy> policy) {
  std::unordered_map<std::string_view, std::size_t> now;
  for (std::size_t i = 0; i < policy->rule_count(); ++i) now.emplace(policy->rule(i).name, i);
  std::vector<Slot> slots(policy->rule_count() + 1);
  std::vector<std::size_t> moved(policy_->rule_count(), kNoSlot);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto found = now.find(policy_->rule(i).name);
    if (found == now.end()) continue;
    moved[i] = found->second;
    slots[found->second] = slots_[i];
  }
  slots.back() = slots_.back();
  slots_ = std::move(slots);
  previous_slots_ = std::move(moved);
  previous_ = policy_.get();
  policy_ = std::move(policy);
}

void Statistics::set_watcher(Watcher* watcher, std::uint64_t seed) {
  watcher_ = watcher;
  seed_ = seed;
  checks_.seed(seed);
  denials_.seed(~seed);
}

std::size_t Statistics::slot_of(const rules::Rule& rule, const CheckResult& result) const {
  if (rule.index == kThrottleIndex) return slots_.size() - 1;
  if (result.policy == policy_) return rule.index;
  // Of a check that has waited through two reloads only the whole is counted.
  return result.policy.get() == previous_ ? previous_slots_[rule.index] : kNoSlot;
}

void Statistics::count(const Pending& check) {
  const CheckResult& result = check.result;
  if (result.bypassed) {
    ++totals_.bypassed;
    return;
  }
  const bool current = result.policy == policy_;
  const auto tokens = result.overall.allowed ? static_cast<std::uint64_t>(check.cost) : 0;
  bool shadow_denied = false;
  std::size_t next_part = 0;
  returned_early_ = 0;
  bool degraded = false;
  for (const RuleDecision& rule : result.rules) {
    const Decision& decision = rule.decision;
    degraded = degraded || decision.degraded;
    std::size_t index = rule.rule->index;
    if (!current || index == kThrottleIndex) index = slot_of(*rule.rule, result);
    if (index != kNoSlot) {
      Slot& slot = slots_[index];
      if (decision.allowed) {
        ++slot.counters.allowed;
        if (decision.warning) ++slot.counters.near_limit;
        slot.counters.tokens += tokens;
      } else {
        ++(rule.shadow ? slot.counters.shadow_denied : slot.counters.denied);
        shadow_denied = shadow_denied || rule.shadow;
      }
      note_share(rule, slot);
    }
    if (decision.limit == kUnlimited) continue;
    const Part& part = check.parts[next_part++];
    const std::uint32_t denial = decision.allowed ? 0 : denials_.next();
    if ((denial | check.sample) != 0 && index != kNoSlot) look_closer(check, rule, index, part, denial);
  }
  if (degraded) ++totals_.degraded;
  if (!result.overall.allowed) return count_denied(result.overall);
  ++totals_.allowed;
  if (result.rules.empty()) ++totals_.unmatched;
  if (result.overall.warning) ++totals_.near_limit;
  if (shadow_denied) ++totals_.shadow_denied;
}

void Statistics::count_denied(const Decision& overall) {
  ++totals_.denied;
  totals_.early_returns += returned_early_;
  if (overall.retry_after == kNever) {
    ++totals_.retry_never;
  } else {
    retry_after_.record(overall.retry_after);
  }
}

void Statistics::note_share(const RuleDecision& rule, Slot& slot) {
  const Decision& decision = rule.decision;
  if (decision.degraded) return count_degraded(rule, slot);
  if (decision.limit == kUnlimited) return;
  const auto used = static_cast<float>(decision.limit - decision.remaining);
  // A limit of 0 is used up.
  const float share = decision.limit > 0 ? used / static_cast<float>(decision.limit) : 1.0F;
  slot.used_share = std::max(slot.used_share, std::min(share, 1.0F));
}

void Statistics::count_degraded(const RuleDecision& rule, Slot& slot) {
  ++slot.counters.degraded[static_cast<std::size_t>(rule.rule->on_store_failure)];
  const auto second = std::chrono::floor<std::chrono::seconds>(clock_.now());
  if (second == degraded_second_) return;
  degraded_second_ = second;
  ++totals_.failure_policy_seconds;
}

void Statistics::look_closer(const Pending& check, const RuleDecision& rule, std::size_t slot,
                             const Part& part, std::uint32_t denial) {
  const Decision& decision = rule.decision;
  const Sighting sighting{.rule = *rule.rule,
                          .slot = slot,
                          .key = part.match->key,
                          .hash = stable_hash(part.match->key, seed_),
                          .cost = check.cost,
                          .allowed = decision.allowed,
                          .retry_after = decision.retry_after};
  if (denial > 0 && !rule.shadow && decision.retry_after > Duration::zero() &&
      early_returns_.denied(sighting.hash, decision.retry_after, clock_.now())) {
    slots_[slot].counters.early_returns += denial;
    returned_early_ = denial;
  }
  if (watcher_ == nullptr) return;
  if (denial > 0) watcher_->on_denied(sighting, denial);
  if (check.sample > 0) watcher_->on_sampled(sighting, check.sample);
}

float Statistics::take_used_share(std::size_t slot) {
  return std::exchange(slots_[slot].used_share, kNoShare);
}

}  // namespace sluice::engine
