// The monitor's JSON of all but keys: /v1/stats.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/histogram.h"
#include "base/time.h"
#include "base/version.h"
#include "daemon/monitor.h"
#include "daemon/rule_watch.h"
#include "daemon/store_report.h"
#include "daemon/trail.h"
#include "engine/statistics.h"
#include "lease/table.h"
#include "observe/event_json.h"
#include "observe/events.h"
#include "observe/json.h"
#include "rules/spec.h"
#include "server/admin/admin_source.h"
#include "server/server.h"
#include "store/redis/errors.h"
#include "store/redis/redis_store.h"
#include "store/redis/topology.h"

namespace sluice::daemon {
namespace {

using engine::EngineCounters;
using observe::JsonWriter;

constexpr std::size_t kListed = 10;

std::int64_t unix_ms(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

struct Total {
  std::string_view name;
  std::uint64_t EngineCounters::* value;
};
constexpr std::array<Total, 8> kTotals = {{{"allowed", &EngineCounters::allowed},
                                           {"denied", &EngineCounters::denied},
                                           {"bypassed", &EngineCounters::bypassed},
                                           {"unmatched", &EngineCounters::unmatched},
                                           {"shadow_denied", &EngineCounters::shadow_denied},
                                           {"degraded", &EngineCounters::degraded},
                                           {"near_limit", &EngineCounters::near_limit},
                                           {"early_returns", &EngineCounters::early_returns}}};

/// As metrics have it: what no rule matched is not among the allowed.
EngineCounters apart(EngineCounters totals) {
  totals.allowed -= totals.unmatched;
  return totals;
}

/// `{"p50_…": …, "p99_…": …}` without the braces.
void write_quantiles(JsonWriter& json, const HistogramView& histogram, std::string_view unit,
                     double nanos_per_unit) {
  for (const auto& [name, q] : {std::pair{"p50_", 0.5}, std::pair{"p99_", 0.99}}) {
    auto value = histogram.quantile(q);
    if (value) *value /= nanos_per_unit;
    json.number_or_null(std::string(name).append(unit), value);
  }
}

std::string match_text(const rules::RuleSpec& spec) {
  std::string out;
  for (const rules::MatchSpec& match : spec.match) {
    if (!out.empty()) out += ' ';
    out += match.descriptor + '=';
    for (std::size_t i = 0; i < match.patterns.size(); ++i) {
      if (i > 0) out += '|';
      out += match.patterns[i];
    }
  }
  return out;
}

}  // namespace

std::string Monitor::stats() {
  std::string out;
  JsonWriter json(out);
  const StoreReport store = backing_.report();
  json.begin_object();
  write_head(json);
  write_totals(json);
  write_history(json);
  json.begin_array("rules");
  for (const RuleWatch::Rule& rule : rules_.rules()) write_rule(json, rule);
  json.end_array();
  json.number("rules_omitted", std::uint64_t{rules_.omitted()});
  json.begin_object("top");
  write_keys(json, "busiest", listed(server::TopBy::busiest, {}, kListed));
  write_keys(json, "denied", listed(server::TopBy::denied, {}, kListed));
  json.end_object();
  write_leases(json, store);
  write_store(json, store);
  json.begin_object("connections");
  json.number("open", std::uint64_t{instance_.server().connections()});
  json.number("max", std::uint64_t{max_connections_});
  json.number("refused", instance_.server().counters().refused);
  json.end_object();
  write_config(json);
  write_events(json);
  json.end_object();
  return out;
}

void Monitor::write_head(JsonWriter& json) {
  constexpr double kMillis = 1e6;
  json.text("version", version());
  json.number("time_ms", unix_ms(loop_.clock().wall_now()));
  json.number("uptime_s", std::int64_t{std::chrono::floor<std::chrono::seconds>(now() - started_).count()});
  json.number("pid", std::int64_t{getpid()});
  const server::Health state = health();
  json.begin_object("health");
  json.boolean("healthy", state.healthy);
  json.boolean("ready", state.ready);
  json.text("reason", state.reason);
  json.number("loop_lag_ms", static_cast<double>(loop_lag().count()) / kMillis);
  json.end_object();
}

void Monitor::write_totals(JsonWriter& json) const {
  constexpr double kMicros = 1e3;
  const EngineCounters totals = apart(statistics().totals());
  const auto& then = totals_.oldest();
  const EngineCounters before = apart(then.value);
  json.begin_object("totals");
  for (const Total& total : kTotals) json.number(total.name, totals.*total.value);
  json.end_object();
  json.begin_object("rates");
  for (const Total& total : kTotals)
    json.number(total.name, per_second(totals.*total.value - before.*total.value, then.time, now()));
  json.end_object();
  const Figures& minute_ago = minute_.oldest().value;
  json.begin_object("latency");
  json.begin_object("local");
  write_quantiles(json, statistics().local().since(minute_ago.local).view(), "us", kMicros);
  json.end_object();
  json.begin_object("waited");
  write_quantiles(json, statistics().waited().since(minute_ago.waited).view(), "us", kMicros);
  json.end_object();
  json.end_object();
}

void Monitor::write_history(JsonWriter& json) const {
  json.begin_object("history");
  json.number("step_s", std::int64_t{1});
  const WallTime end = loop_.clock().wall_now() - (now() - ticked_);
  json.number("end_s",
              std::int64_t{std::chrono::floor<std::chrono::seconds>(end.time_since_epoch()).count()});
  for (const auto& [name, value] : {std::pair{"allowed", &Second::allowed},
                                    {"denied", &Second::denied},
                                    {"degraded", &Second::degraded}}) {
    json.begin_array(name);
    for (std::size_t i = 0; i < kSeconds; ++i) json.number({}, seconds_[(ticks_ + i) % kSeconds].*value);
    json.end_array();
  }
  json.end_object();
}

void Monitor::write_rule(JsonWriter& json, const RuleWatch::Rule& rule) const {
  constexpr std::size_t kRateSlots = 1;  // with the present one 5 to 10 seconds
  const rules::RuleSpec& spec = rule.spec;
  const engine::RuleCounters& counters = statistics().rule(rule.slot);
  const bool throttle = rule.slot + 1 == statistics().slots();
  // Most daemons never see CL.THROTTLE.
  if (throttle && counters.allowed + counters.denied == 0) return;
  json.begin_object();
  json.text("name", spec.name);
  json.text("match", throttle ? "CL.THROTTLE" : match_text(spec));
  json.text("limit", throttle ? "named by each caller" : spec.limit);
  json.number_or_null("burst", spec.burst);
  json.text("algorithm", spec.algorithm);
  json.text("mode", spec.algorithm == "sliding_window_log" ? "exact" : spec.mode);
  json.text("on_store_failure", spec.on_store_failure);
  json.boolean("shadow", spec.shadow);
  json.number("warn_at", spec.warn_at);
  json.number("allowed", counters.allowed);
  json.number("denied", counters.denied);
  json.number("shadow_denied", counters.shadow_denied);
  json.number("near_limit", counters.near_limit);
  json.number("degraded", counters.degraded[0] + counters.degraded[1] + counters.degraded[2]);
  json.number("early_returns", counters.early_returns);
  const auto& then = rule.words.back(kRateSlots);
  json.number("allowed_rate", per_second(counters.allowed - then.value.allowed, then.time, now()));
  json.number("denied_rate", per_second(counters.denied - then.value.denied, then.time, now()));
  json.number_or_null("blocked_share", blocked_share(rule, counters));
  json.number_or_null("used_share", used_share(rule));
  json.end_object();
}

void Monitor::write_leases(JsonWriter& json, const StoreReport& store) const {
  const lease::TableCounters leases = store.leases.value_or(lease::TableCounters{});
  const Figures now = figures(store);
  std::optional<double> mean;
  if (leases.sizes.count() > 0)
    mean = static_cast<double>(leases.sizes.view().sum) / static_cast<double>(leases.sizes.count());
  json.begin_object("leases");
  json.number("keys", std::uint64_t{store.keys});
  json.number("max_keys", instance_.settings().store.max_keys);
  json.number_or_null("hit_share", hit_share(now));
  json.number("waiting", std::uint64_t{instance_.engine().waiting()});
  json.number("tokens_granted", leases.granted);
  json.number("tokens_returned", leases.returned);
  json.number("tokens_lapsed", leases.lapsed);
  json.number_or_null("mean_size", mean);
  json.number_or_null("operations_per_check", store.leases ? operations_per_check(now) : std::nullopt);
  json.number("evicted", store.evicted);
  json.number("refused", store.refused);
  json.end_object();
}

void Monitor::write_store(JsonWriter& json, const StoreReport& store) const {
  constexpr double kMillis = 1e6;
  json.begin_object("store");
  json.text("kind", store.kind);
  json.number("fleet", std::uint64_t{store.fleet_members});
  json.begin_array("shards");
  for (std::size_t i = 0; i < std::min(store.shards.size(), kMaxShards); ++i) {
    const store::redis::ShardStatus& shard = store.shards[i];
    const store::redis::RedisStoreCounters& counters = shard.counters;
    std::uint64_t errors = 0;
    for (std::size_t kind = 0; kind < store::redis::kErrorKinds; ++kind)
      errors += counters.errors[static_cast<store::redis::ErrorKind>(kind)];
    LatencyHistogram latency = counters.connection.latency;
    if (i < shards_.size()) latency = latency.since(shards_[i].latency.oldest().value);
    json.begin_object();
    json.text("name", shard.name);
    json.boolean("serving", shard.serving);
    json.text_or_null("master", shard.master ? std::optional(shard.master->text()) : std::nullopt);
    json.number("generation", counters.histories);
    write_quantiles(json, latency.view(), "ms", kMillis);
    json.number("requests", counters.requests);
    json.number("errors", errors);
    json.number("timeouts", counters.connection.timeouts);
    json.number("lost", counters.lost);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void Monitor::write_config(JsonWriter& json) const {
  json.begin_object("config");
  json.text("file", config_path_);
  json.number("reloads", reloads_);
  json.number("refused", refused_);
  if (last_reload_) {
    json.begin_object("last");
    json.boolean("ok", last_reload_->ok);
    json.number("time_ms", unix_ms(last_reload_->time));
    json.text_or_null("problem", last_reload_->problem);
    json.end_object();
  } else {
    json.null("last");
  }
  json.end_object();
}

void Monitor::write_events(JsonWriter& json) const {
  json.begin_array("events");
  for (const observe::Event& event : events_.recent()) json.raw({}, observe::event_json(event));
  json.end_array();
}

}  // namespace sluice::daemon
