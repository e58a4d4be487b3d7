#include "daemon/monitor.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/histogram.h"
#include "base/text.h"
#include "base/time.h"
#include "config/load.h"
#include "daemon/rule_watch.h"
#include "daemon/store_report.h"
#include "daemon/trail.h"
#include "engine/statistics.h"
#include "engine/throttle_limits.h"
#include "engine/watcher.h"
#include "observe/events.h"
#include "observe/log.h"
#include "observe/sketch.h"
#include "server/admin/admin_source.h"
#include "store/redis/topology.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using observe::Level;

constexpr Duration kTick = 1s;
/// Without a tick for so long, the loop does not turn.
constexpr Duration kStuck = 3s;
constexpr Duration kMinute = 1min;
/// So long a shard may be away before that is news: at the start it has not been there yet.
constexpr Duration kShardGrace = 3s;
constexpr std::size_t kMaxToldKeys = 1024;
/// About so many checks, and denials, are looked at in a second; where there are fewer it is all of them.
constexpr std::uint64_t kLooksPerSecond = 1000;
constexpr std::uint64_t kSparsest = 64;

std::uint32_t one_in(std::uint64_t a_second) {
  return static_cast<std::uint32_t>(std::clamp(a_second / kLooksPerSecond, std::uint64_t{1}, kSparsest));
}

std::string hash_text(std::uint64_t hash) {
  return fmt::format("#{:08x}", static_cast<std::uint32_t>(hash));
}

/// Of a key of CL.THROTTLE.
std::string throttle_text(std::string_view key, std::uint64_t hash) {
  const auto name = engine::throttle_name(key);
  return name ? printable(*name) : hash_text(hash);
}

}  // namespace

Monitor::Monitor(const MonitorSurroundings& surroundings, const config::Config& config,
                 std::string config_path)
    : loop_(surroundings.loop),
      log_(surroundings.log),
      instance_(surroundings.instance),
      backing_(surroundings.backing),
      config_path_(std::move(config_path)),
      events_(loop_.clock(), log_),
      started_(now()),
      started_wall_(loop_.clock().wall_now()),
      ticked_(started_) {
  use(config);
  totals_.push(statistics().totals(), started_);
  minute_.push({}, started_);
  instance_.engine().set_watcher(this, surroundings.random.next());
  instance_.engine().set_sampling(1, 1);
  arm();
}

Monitor::~Monitor() {
  loop_.stop_timer(timer_);
  instance_.engine().set_watcher(nullptr, 0);
}

void Monitor::use(const config::Config& config) {
  settings_ = config.settings.observe;
  max_connections_ = static_cast<std::size_t>(config.settings.server.max_connections);
  policy_ = config.policy;
  rules_.set_rules(config.settings, statistics(), now());
}

void Monitor::reloaded(const config::Config& config) {
  use(config);
  ++reloads_;
  last_reload_ = Reload{.ok = true, .time = loop_.clock().wall_now()};
  events_.raise({.level = Level::info, .kind = "reloaded", .message = "the configuration was reloaded"},
                observe::Events::Logged::yes);
}

void Monitor::reload_refused(const std::string& problem) {
  ++refused_;
  last_reload_ = Reload{.ok = false, .time = loop_.clock().wall_now(), .problem = problem};
  events_.raise({.level = Level::error,
                 .kind = "reload_refused",
                 .message = "the configuration was refused, the old one stays: " + problem},
                observe::Events::Logged::yes);
}

void Monitor::webhook_failed(std::string_view reason) {
  if (!once_a_minute(told_webhook_)) return;
  events_.raise({.level = Level::warn,
                 .kind = "webhook_failed",
                 .message = fmt::format("the webhook was given up for an event: {}", reason)});
}

bool Monitor::once_a_minute(Instant& last) const {
  if (last != Instant::min() && now() - last < kMinute) return false;
  last = now();
  return true;
}

// Keys.

void Monitor::on_denied(const engine::Sighting& sighting, std::uint32_t weight) {
  RuleWatch::Rule* const rule = rules_.at(sighting.slot);
  if (rule == nullptr) return;
  rules_.see_denied(sighting, weight, *rule, now());
  const auto most = static_cast<std::uint64_t>(settings_.denials_per_minute);
  if (most == 0 || sighting.rule.shadow) return;
  const std::uint64_t count = rule->denied->certain(sighting.key, sighting.hash, most);
  if (count == 0) return;
  if (told_keys_.size() >= kMaxToldKeys) {
    for (auto told = told_keys_.begin(); told != told_keys_.end();)
      told = now() - told->second >= kMinute ? told_keys_.erase(told) : std::next(told);
    if (told_keys_.size() >= kMaxToldKeys) return;
  }
  if (!once_a_minute(told_keys_.try_emplace(sighting.hash, Instant::min()).first->second)) return;
  events_.raise({.level = Level::warn,
                 .kind = "key_denied",
                 .message = fmt::format("a key was denied more than {} times within a minute", most),
                 .rule = sighting.rule.name,
                 .key = key_text(*rule, sighting.key, sighting.hash),
                 .count = static_cast<std::int64_t>(count),
                 .key_hash = hash_text(sighting.hash)});
}

void Monitor::on_sampled(const engine::Sighting& sighting, std::uint32_t weight) {
  RuleWatch::Rule* const rule = rules_.at(sighting.slot);
  if (rule != nullptr) rules_.see_sampled(sighting, weight, *rule, now());
}

std::string Monitor::key_text(const RuleWatch::Rule& rule, std::string_view key, std::uint64_t hash) const {
  if (!settings_.show_keys) return hash_text(hash);
  if (rule.slot >= policy_->rule_count()) return throttle_text(key, hash);
  // A key from before a reload may be of another form than the rule now has.
  return policy_->key_text(policy_->rule(rule.slot), key).value_or(hash_text(hash));
}

// Time.

void Monitor::arm() {
  timer_ = loop_.start_timer(kTick, [this] { tick(); });
}

void Monitor::tick() {
  const engine::EngineCounters& totals = statistics().totals();
  const engine::EngineCounters& before = totals_.back(0).value;
  // Without those that no rule matched, as the totals have it.
  seconds_[ticks_ % seconds_.size()] = {
      .allowed = totals.allowed - totals.unmatched - before.allowed + before.unmatched,
      .denied = totals.denied - before.denied,
      .degraded = totals.degraded - before.degraded};
  lags_[ticks_ % lags_.size()] = std::max(Duration::zero(), now() - ticked_ - kTick);
  const std::uint64_t allowed = totals.allowed - before.allowed;
  const std::uint64_t denied = totals.denied - before.denied;
  instance_.engine().set_sampling(one_in(allowed + denied), one_in(denied));
  look_at_failures();
  ++ticks_;
  ticked_ = now();
  totals_.push(totals, ticked_);
  for (RuleWatch::Rule& rule : rules_.rules())
    rules_.note_used_share(rule, instance_.engine().take_used_share(rule.slot));
  const StoreReport store = backing_.report();
  look_at_keys(store);
  look_at_shards(store);
  if (ticks_ % (RuleWatch::kSlot / kTick) == 0) end_slot(store);
  arm();
}

void Monitor::end_slot(const StoreReport& store) {
  rules_.end_slot(statistics(), now());
  minute_.push(figures(store), now());
  for (std::size_t i = 0; i < shards_.size(); ++i)
    shards_[i].latency.push(store.shards[i].counters.connection.latency, now());
}

Monitor::Figures Monitor::figures(const StoreReport& store) const {
  const engine::EngineCounters& totals = statistics().totals();
  Figures figures{.checks = totals.allowed + totals.denied,
                  .local = statistics().local(),
                  .waited = statistics().waited()};
  for (const store::redis::ShardStatus& shard : store.shards)
    figures.store_requests += shard.counters.requests;
  if (store.leases) {
    figures.from_memory = store.leases->hits + store.leases->denials;
    figures.from_store = store.leases->waits;
  }
  return figures;
}

// What is worth an event.

void Monitor::look_at_failures() {
  const std::uint64_t degraded = statistics().totals().degraded - totals_.back(0).value.degraded;
  if (degraded == 0 || !once_a_minute(told_failures_)) return;
  events_.raise({.level = Level::warn,
                 .kind = "failure_policy",
                 .message = "the store did not answer, and failure policies did",
                 .count = static_cast<std::int64_t>(degraded)});
}

void Monitor::look_at_keys(const StoreReport& store) {
  const std::uint64_t gone = store.evicted + store.refused;
  const std::uint64_t more = gone - std::exchange(keys_gone_, gone);
  if (more == 0 || !once_a_minute(told_eviction_)) return;
  events_.raise({.level = Level::warn,
                 .kind = "eviction",
                 .message =
                     "there is no room for more keys (store.max_keys): idle ones are forgotten, or new "
                     "ones refused",
                 .count = static_cast<std::int64_t>(more)});
}

void Monitor::look_at_shards(const StoreReport& store) {
  if (shards_.size() != store.shards.size()) {
    shards_.resize(store.shards.size());
    for (Shard& shard : shards_) {
      if (shard.latency.size() == 0) shard.latency.push({}, started_);
    }
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    Shard& shard = shards_[i];
    const std::string& name = store.shards[i].name;
    if (store.shards[i].serving) {
      shard.down_since.reset();
      if (!std::exchange(shard.lost, false)) continue;
      events_.raise({.level = Level::info,
                     .kind = "shard_back",
                     .message = fmt::format("shard {} serves again", printable(name))},
                    observe::Events::Logged::yes);
      continue;
    }
    if (!shard.down_since) shard.down_since = now();
    if (shard.lost || now() - *shard.down_since < kShardGrace || !once_a_minute(shard.told)) continue;
    shard.lost = true;
    events_.raise({.level = Level::error,
                   .kind = "shard_lost",
                   .message = fmt::format("shard {} does not serve", printable(name))},
                  observe::Events::Logged::yes);
  }
}

// What several texts tell.

Duration Monitor::loop_lag() const {
  return *std::ranges::max_element(lags_);
}

std::optional<double> Monitor::operations_per_check(const Figures& now) const {
  const Figures& then = minute_.oldest().value;
  if (now.checks == then.checks) return std::nullopt;
  return static_cast<double>(now.store_requests - then.store_requests) /
         static_cast<double>(now.checks - then.checks);
}

std::optional<double> Monitor::hit_share(const Figures& now) const {
  const Figures& then = minute_.oldest().value;
  const std::uint64_t from_memory = now.from_memory - then.from_memory;
  const std::uint64_t all = from_memory + now.from_store - then.from_store;
  if (all == 0) return std::nullopt;
  return static_cast<double>(from_memory) / static_cast<double>(all);
}

server::Health Monitor::health() {
  server::Health health;
  const Duration silence = now() - ticked_;
  if (silence > kStuck) {
    health.healthy = false;
    health.reason = fmt::format("the loop was held up for {}",
                                format_duration(std::chrono::floor<std::chrono::seconds>(silence)));
  }
  if (draining_) {
    health.ready = false;
    health.reason = "draining";
  }
  return health;
}

}  // namespace sluice::daemon
