// How a seed becomes a plan.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/world/plan.h"
#include "sim/world/plan_settings.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;
using Algorithm = LimitFacts::Algorithm;

/// Long enough for windows to end in the middle of everything, short enough to be used up.
LimitFacts draw_limit(Draw& draw, double slack) {
  static constexpr std::array kAlgorithms = {Algorithm::fixed_window, Algorithm::sliding_log,
                                             Algorithm::sliding_counter, Algorithm::token_bucket,
                                             Algorithm::token_bucket};
  static constexpr std::array<Duration, 7> kPeriods = {1s, 1s, 2s, 5s, 10s, 60s, 3600s};
  LimitFacts limit;
  limit.algorithm = draw.of(std::span<const Algorithm>(kAlgorithms));
  limit.period = draw.of(std::span<const Duration>(kPeriods));
  const std::int64_t seconds = std::min<std::int64_t>(limit.period / 1s, 10);
  limit.tokens = draw.one_in(4) ? draw.between(1, 8) : draw.log_between(4, 60 * seconds);
  if (limit.algorithm == Algorithm::token_bucket) {
    limit.burst = draw.one_in(3)
                      ? limit.tokens
                      : draw.log_between(std::max<std::int64_t>(1, limit.tokens / 4), limit.tokens * 2);
    limit.slack = slack;
  }
  return limit;
}

RulePlan draw_rule(Draw& draw, std::size_t index, double slack) {
  RulePlan rule;
  rule.name = "r" + std::to_string(index);
  rule.exact = draw.one_in(4);
  rule.limit[0] = draw_limit(draw, rule.exact ? 0 : slack);
  rule.limit[1] = rule.limit[0];
  if (draw.one_in(2)) {
    LimitFacts& other = rule.limit[1];
    other.tokens = std::max<std::int64_t>(1, other.tokens * draw.between(50, 200) / 100);
    if (other.burst > 0) other.burst = std::max<std::int64_t>(1, other.burst * draw.between(50, 200) / 100);
  }
  if (draw.one_in(3)) rule.on_failure = draw.one_in(3) ? OnFailure::allow : OnFailure::share;
  rule.keys = draw.one_in(3) ? 1 : draw.log_between(2, 12);
  return rule;
}

/// So much that a limit is used up, or that it is never near.
double draw_rate(Draw& draw, const RulePlan& rule, const TrafficPlan& traffic) {
  const double demand = static_cast<double>(draw.log_between(30, 800)) / 100;
  return std::clamp(refill_of(rule.limit[0]) * demand / mean_cost_of(traffic), 3.0, 80.0);
}

void draw_traffic(Draw& draw, Plan& plan) {
  for (std::size_t i = 0; i < plan.rules.size(); ++i) {
    TrafficPlan traffic;
    traffic.rules = {i};
    const bool costly = draw.one_in(4);
    traffic.max_cost =
        costly ? std::min<std::int64_t>(6, std::max<std::int64_t>(1, plan.rules[i].limit[0].tokens / 3)) : 1;
    traffic.per_second = draw_rate(draw, plan.rules[i], traffic);
    traffic.hot_share = static_cast<double>(draw.between(30, 100)) / 100;
    if (draw.one_in(5)) traffic.refund_share = 0.1;
    if (i > 0 && draw.one_in(2)) traffic.rules.push_back(draw.below(i));
    plan.traffic.push_back(std::move(traffic));
  }
}

void draw_servers(Draw& draw, Plan& plan) {
  static constexpr std::array kShapes = {Shape::single,   Shape::shards,   Shape::sentinel,
                                         Shape::sentinel, Shape::sentinel, Shape::cluster};
  static constexpr std::array kPersistence = {Persistence::none, Persistence::every_second,
                                              Persistence::always};
  plan.shape = draw.of(std::span<const Shape>(kShapes));
  plan.groups = plan.shape == Shape::single ? 1 : draw.below(2) + 1;
  if (plan.shape == Shape::cluster) plan.groups = 2;
  const bool fixed = plan.shape == Shape::single || plan.shape == Shape::shards;
  plan.replicas = fixed ? draw.below(2) : draw.below(2) + 1;
  plan.sentinels = plan.shape == Shape::sentinel ? 3 : 0;
  plan.persistence = draw.of(std::span<const Persistence>(kPersistence));
  plan.replies_without_time = draw.one_in(10);
  plan.old_protocol = draw.one_in(10);
  plan.passwords = draw.one_in(4);
}

void draw_clocks(Draw& draw, Plan& plan) {
  plan.began = kEpoch + draw.between(Duration::zero(), Duration(100h));
  plan.drift_ppm = draw.one_in(3) ? 0 : draw.between(1, 300);
  plan.server_skew = draw.one_in(2) ? Duration(1ms) : draw.log_between(Duration(1ms), Duration(80ms));
  plan.daemon_skew = draw.one_in(2) ? Duration(1s) : draw.log_between(Duration(1s), Duration(100h));
  // Where scripts cannot read the servers' clocks the daemons' count.
  if (plan.replies_without_time) plan.daemon_skew = plan.server_skew;
}

void draw_network(Draw& draw, Plan& plan) {
  Latency& latency = plan.network.latency;
  latency.usual = draw.log_between(Duration(100us), Duration(4ms));
  latency.shortest = latency.usual / 4;
  latency.slow = draw.log_between(Duration(10ms), Duration(600ms));
  latency.slow_share = draw.one_in(3) ? 0.02 : 0.001;
  // Replies that come long after their requests, which is what leases are counted from.
  Draw sluggish = draw.fork(1);
  plan.sluggish = sluggish.one_in(6);
  if (plan.sluggish) {
    latency.slow = sluggish.between(Duration(300ms), Duration(900ms));
    latency.slow_share = 0.15;
  }
  plan.network.split_share = draw.one_in(4) ? 0.9 : 0.1;
}

/// One kind of faults alone, or many at once: combinations and long runs of one kind find different bugs.
void draw_faults(Draw& draw, Plan& plan) {
  plan.chaos = draw.between(Duration(8s), Duration(25s));
  plan.between_faults = draw.log_between(Duration(300ms), Duration(6s));
  if (plan.shape == Shape::sentinel && draw.one_in(4)) {
    plan.gentle = true;
    plan.between_faults = draw.between(Duration(4s), Duration(8s));
    plan.faults[static_cast<std::size_t>(Fault::fail_over)] = 1;
    return;
  }
  if (draw.one_in(12)) return;  // nothing goes wrong: what then goes wrong is our own
  for (std::uint32_t& weight : plan.faults) {
    if (draw.one_in(2)) weight = static_cast<std::uint32_t>(draw.log_between(1, 16));
  }
  const auto off = [&plan](Fault fault) { plan.faults[static_cast<std::size_t>(fault)] = 0; };
  if (plan.replicas == 0) off(Fault::fail_over);
  if (plan.shape == Shape::single || plan.shape == Shape::shards) off(Fault::fail_over);
  if (plan.shape != Shape::cluster) off(Fault::move_slot);
  // The daemons' clocks are what is counted by: stepping them is stepping the limit itself.
  if (plan.replies_without_time) off(Fault::wall_step);
  if (plan.sentinels == 0) {
    for (const Fault fault : {Fault::sentinel_crash, Fault::sentinel_pause, Fault::sentinel_stale})
      off(fault);
  }
}

}  // namespace

double refill_of(const LimitFacts& limit) {
  return static_cast<double>(limit.tokens) / std::chrono::duration<double>(limit.period).count();
}

double mean_cost_of(const TrafficPlan& traffic) {
  return static_cast<double>(1 + traffic.max_cost) / 2;
}

double saturating_rate(const Plan& plan, const TrafficPlan& traffic) {
  const double refill = refill_of(plan.rules[traffic.rules.front()].limit[0]);
  return std::clamp(3 * refill / mean_cost_of(traffic) / traffic.hot_share, traffic.per_second, 150.0);
}

Plan draw_plan(std::uint64_t seed) {
  Plan plan;
  plan.seed = seed;
  Draw draw = Draw(seed).fork(1);
  draw_servers(draw, plan);
  draw_clocks(draw, plan);
  Draw settings = draw.fork(2);
  const double slack = draw_settings(settings, plan);
  plan.daemons = draw.one_in(5) ? 1 : draw.below(4) + 2;
  plan.apps = draw.below(2) + 1;
  Draw rules = draw.fork(3);
  const std::size_t count = rules.below(4) + 1;
  for (std::size_t i = 0; i < count; ++i) plan.rules.push_back(draw_rule(rules, i, slack));
  draw_traffic(rules, plan);
  Draw faults = draw.fork(4);
  draw_network(faults, plan);
  draw_faults(faults, plan);
  return plan;
}

}  // namespace sluice::sim
