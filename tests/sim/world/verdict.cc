// What the world finds in its books when a run is over: limits that were passed, and limits that were not
// used though they were asked for.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/core/timeline.h"
#include "sim/world/books.h"
#include "sim/world/plan.h"
#include "sim/world/world.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;
using Algorithm = LimitFacts::Algorithm;

/// From the largest of what the limit was in the versions of the configuration.
LimitFacts widest(const RulePlan& rule) {
  LimitFacts limit = rule.limit[0];
  for (const LimitFacts& other : rule.limit) {
    limit.tokens = std::max(limit.tokens, other.tokens);
    limit.burst = std::max(limit.burst, other.burst);
  }
  return limit;
}

double seconds_of(Duration length) {
  return std::chrono::duration<double>(length).count();
}

}  // namespace

Tolerance World::tolerance() const {
  // Drift adds up over the run. Servers' clocks are read in whole microseconds.
  const Duration drifted = timeline_.now() / 1'000'000 * plan_.drift_ppm;
  return {.clock = plan_.server_skew + drifted + 1ms,
          .drift_ppm = 2 * plan_.drift_ppm,
          .answer = plan_.max_wait + 10ms};
}

void World::check_limits() {
  for (const auto& [key, book] : books_.keys()) check_limit(key.rule, key.value);
}

void World::check_limit(std::size_t rule, std::int64_t value) {
  const KeyBook& book = books_.keys().at({.rule = rule, .value = value});
  LimitFacts limit = widest(plan_.rules[rule]);
  if (plan_.initial > 0) {
    // Each process may spend so many on a key that it has not seen, before the store answers; and once more
    // when it has forgotten a key that was full again, which buckets are all the time.
    if (limit.algorithm == Algorithm::token_bucket) return;
    std::uint64_t processes = 0;
    for (const auto& daemon : daemons_) processes += daemon->incarnations();
    limit.tokens += plan_.initial * static_cast<std::int64_t>(processes);
  }
  const auto breach = worst_breach(limit, plan_.began, book.admissions, book.excuses, tolerance());
  if (breach) {
    wrong(fmt::format("over the limit: {} of {}: {}", value_text({rule, value}), plan_.rules[rule].name,
                      breach->what));
  }
}

/// ≥ 98 % of a limit that is asked for more than twice. Only of limits for which chance cannot explain less,
/// and where the network lets leases be renewed in time.
void World::check_use(SimTime from, SimTime to) {
  const bool smooth = plan_.network.latency.slow_share < 0.01 && plan_.max_wait >= 10ms && plan_.initial == 0;
  if (!smooth) return;
  for (const TrafficPlan& traffic : plan_.traffic) {
    const std::size_t rule = traffic.rules.front();
    const auto asks_with_others = [&](const TrafficPlan& other) {
      return other.rules.size() > 1 && std::ranges::count(other.rules, rule) > 0;
    };
    if (std::ranges::any_of(plan_.traffic, asks_with_others)) continue;
    const LimitFacts& limit = plan_.rules[rule].limit[0];
    const LimitFacts& other = plan_.rules[rule].limit[1];
    if (limit.tokens != other.tokens || limit.burst != other.burst) continue;  // which one counts now?
    const auto book = books_.keys().find({.rule = rule, .value = 0});
    if (book == books_.keys().end() || limit.tokens < 20 || 2 * limit.period > to - from) continue;
    const double refill = refill_of(limit);
    const double asked = saturating_rate(plan_, traffic) * mean_cost_of(traffic) * traffic.hot_share;
    if (asked < 2 * refill) continue;
    if (limit.burst > 0 && (limit.burst < 20 || static_cast<double>(limit.burst) < refill / 2)) continue;
    const auto periods = (to - from - limit.period) / limit.period;
    SimTime begin = to - periods * limit.period;
    if (limit.algorithm == Algorithm::fixed_window) {
      // Whole windows only.
      const Duration into = (plan_.began + begin).time_since_epoch() % limit.period;
      begin -= into;
    }
    const SimTime end = begin + periods * limit.period;
    const std::int64_t used = admitted_within(book->second.admissions, begin, end);
    const double full = refill * seconds_of(end - begin);
    double lacking = static_cast<double>(traffic.max_cost) * static_cast<double>(periods);
    // What a daemon holds as a window closes can go back no more: tokens for a check, or less than one takes.
    if (limit.algorithm == Algorithm::sliding_counter) lacking *= static_cast<double>(plan_.daemons);
    if (static_cast<double>(used) < 0.98 * full - lacking) {
      wrong(fmt::format(
          "left unused: {} of {:.0f} tokens of {} were let through in {}, asked for {:.1f} times as "
          "many",
          used, full, plan_.rules[rule].name, format_duration(end - begin), asked / refill));
    }
  }
}

}  // namespace sluice::sim
