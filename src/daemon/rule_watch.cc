#include "daemon/rule_watch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/settings.h"
#include "engine/statistics.h"
#include "engine/watcher.h"
#include "observe/sketch.h"
#include "rules/spec.h"

namespace sluice::daemon {
namespace {

constexpr float kNotSeen = -1;

RuleWatch::Rule::Words words_of(const engine::RuleCounters& counters) {
  return {.allowed = counters.allowed, .denied = counters.denied, .shadow_denied = counters.shadow_denied};
}

observe::Sketch& made(std::unique_ptr<observe::Sketch>& sketch, std::size_t capacity, Instant now) {
  if (sketch == nullptr) sketch = std::make_unique<observe::Sketch>(capacity, now);
  return *sketch;
}

}  // namespace

void RuleWatch::set_rules(const config::Settings& settings, const engine::Statistics& statistics,
                          Instant now) {
  std::unordered_map<std::string, Rule> before;
  for (Rule& rule : rules_) before.emplace(rule.spec.name, std::move(rule));
  const auto capacity = static_cast<std::size_t>(settings.observe.top);
  const bool resized = capacity_ != 0 && capacity != capacity_;
  rules_.clear();
  rules_in_policy_ = statistics.slots() - 1;
  capacity_ = capacity;
  const auto add = [&](rules::RuleSpec spec, std::size_t slot) {
    const auto known = before.find(spec.name);
    if (known != before.end()) {
      rules_.push_back(std::move(known->second));
    } else {
      rules_.emplace_back();
      rules_.back().words.push(words_of(statistics.rule(slot)), now);
      rules_.back().used_share.fill(kNotSeen);
    }
    Rule& rule = rules_.back();
    rule.spec = std::move(spec);
    rule.slot = slot;
    if (!resized) return;
    rule.busiest.reset();
    rule.denied.reset();
  };
  const std::size_t watched = std::min(rules_in_policy_, kMaxRules);
  for (std::size_t i = 0; i < watched; ++i) add(settings.policy.rules[i], i);
  rules::RuleSpec throttle;
  throttle.name = "cl.throttle";
  add(std::move(throttle), rules_in_policy_);
}

RuleWatch::Rule* RuleWatch::at(std::size_t slot) {
  if (slot < rules_.size() - 1) return &rules_[slot];
  return slot == rules_in_policy_ ? &rules_.back() : nullptr;
}

void RuleWatch::see_denied(const engine::Sighting& sighting, std::uint32_t weight, Rule& rule,
                           Instant now) const {
  made(rule.denied, capacity_, now).add(sighting.key, sighting.hash, weight, now);
}

void RuleWatch::see_sampled(const engine::Sighting& sighting, std::uint32_t weight, Rule& rule,
                            Instant now) const {
  made(rule.busiest, capacity_, now).add(sighting.key, sighting.hash, weight, now);
}

void RuleWatch::end_slot(const engine::Statistics& statistics, Instant now) {
  present_ = (present_ + 1) % rules_.front().used_share.size();
  for (Rule& rule : rules_) {
    rule.words.push(words_of(statistics.rule(rule.slot)), now);
    rule.used_share[present_] = kNotSeen;
  }
}

void RuleWatch::note_used_share(Rule& rule, float share) const {
  rule.used_share[present_] = std::max(rule.used_share[present_], share);
}

std::optional<double> blocked_share(const RuleWatch::Rule& rule, const engine::RuleCounters& now) {
  const RuleWatch::Rule::Words& then = rule.words.oldest().value;
  const std::uint64_t denied = now.denied - then.denied;
  const std::uint64_t asked = denied + now.allowed - then.allowed + now.shadow_denied - then.shadow_denied;
  if (asked == 0) return std::nullopt;
  return static_cast<double>(denied) / static_cast<double>(asked);
}

std::optional<double> used_share(const RuleWatch::Rule& rule) {
  const float largest = *std::ranges::max_element(rule.used_share);
  if (largest < 0) return std::nullopt;
  constexpr double kSteps = 1e4;  // more digits would be noise
  return std::round(static_cast<double>(largest) * kSteps) / kSteps;
}

}  // namespace sluice::daemon
