// The monitor's metrics. Names, labels and units are what dashboards and alerts are made of: they stay.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/version.h"
#include "daemon/monitor.h"
#include "daemon/process_facts.h"
#include "daemon/rule_watch.h"
#include "daemon/store_report.h"
#include "daemon/webhook.h"
#include "engine/statistics.h"
#include "observe/events.h"
#include "observe/exposition.h"
#include "server/admin/admin_source.h"

namespace sluice::daemon {
namespace {

using observe::Exposition;
using Type = Exposition::Type;
using engine::RuleCounters;

constexpr double kNanos = 1e9;
constexpr std::array<std::string_view, 3> kPolicies{"share", "allow", "deny"};

double seconds_since_epoch(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

/// One rule's counts under the name that the label has.
struct Series {
  std::string_view rule;
  RuleCounters counters;
};

void add_to(RuleCounters& sum, const RuleCounters& one) {
  sum.allowed += one.allowed;
  sum.denied += one.denied;
  sum.shadow_denied += one.shadow_denied;
  sum.tokens += one.tokens;
  sum.near_limit += one.near_limit;
  sum.early_returns += one.early_returns;
  for (std::size_t i = 0; i < sum.degraded.size(); ++i) sum.degraded[i] += one.degraded[i];
}

std::vector<Series> series_of(const RuleWatch& watch, const engine::Statistics& statistics) {
  std::vector<Series> all;
  for (const RuleWatch::Rule& rule : watch.rules())
    all.push_back({.rule = rule.spec.name, .counters = statistics.rule(rule.slot)});
  if (watch.omitted() == 0) return all;
  RuleCounters others;
  for (std::size_t slot = RuleWatch::kMaxRules; slot + 1 < statistics.slots(); ++slot)
    add_to(others, statistics.rule(slot));
  all.push_back({.rule = "(others)", .counters = others});
  return all;
}

/// A counter with the label `rule`.
template <class Value>
void by_rule(Exposition& out, const std::vector<Series>& all, std::string_view name, std::string_view help,
             Value value) {
  out.family(name, Type::counter, help);
  for (const Series& series : all)
    out.sample({{.name = "rule", .value = series.rule}}, value(series.counters));
}

}  // namespace

void Monitor::append_metrics(std::string& out, server::MetricsFormat format) {
  Exposition metrics(out, format == server::MetricsFormat::openmetrics ? Exposition::Format::openmetrics
                                                                       : Exposition::Format::text);
  StoreReport store = backing_.report();
  if (store.shards.size() > kMaxShards) store.shards.resize(kMaxShards);
  add_process(metrics);
  add_checks(metrics);
  add_rules(metrics);
  add_leases(metrics, store);
  add_connections(metrics, store);
  add_store(metrics, store);
  add_events(metrics);
  metrics.finish();
}

void Monitor::add_process(Exposition& out) const {
  out.family("sluice_build_info", Type::gauge, "The program that runs; the value is always 1.");
  out.sample({{.name = "version", .value = version()}}, std::uint64_t{1});
  out.single("process_start_time_seconds", Type::gauge, "When the process began, as Unix time.",
             seconds_since_epoch(started_wall_));
  const ProcessFacts facts = process_facts();
  out.single("process_cpu_seconds_total", Type::counter, "Processor time that the process has used.",
             facts.cpu_seconds);
  if (facts.resident_bytes) {
    out.single("process_resident_memory_bytes", Type::gauge, "Memory of the process that is resident.",
               *facts.resident_bytes);
  }
  if (facts.open_descriptors)
    out.single("process_open_fds", Type::gauge, "Open file descriptors.", *facts.open_descriptors);
  if (facts.max_descriptors) {
    out.single("process_max_fds", Type::gauge, "Most file descriptors that may be open.",
               *facts.max_descriptors);
  }
}

void Monitor::add_checks(Exposition& out) const {
  const engine::EngineCounters& totals = statistics().totals();
  out.family("sluice_requests_total", Type::counter,
             "Checks by their outcome: bypassed ones and those that no rule matched were allowed.");
  const auto outcome = [&out](std::string_view name, std::uint64_t value) {
    out.sample({{.name = "outcome", .value = name}}, value);
  };
  outcome("allowed", totals.allowed - totals.unmatched);
  outcome("denied", totals.denied);
  outcome("bypassed", totals.bypassed);
  outcome("unmatched", totals.unmatched);
  out.family(
      "sluice_decision_duration_seconds", Type::histogram,
      "How long checks took: local ones, answered at once, of which a sample is measured (all while they "
      "are few), and those that waited for the store, all of them.");
  out.sample({{.name = "path", .value = "local"}}, statistics().local().view(), kNanos);
  out.sample({{.name = "path", .value = "waited"}}, statistics().waited().view(), kNanos);
  out.family("sluice_retry_after_seconds", Type::histogram,
             "How long those who were denied were told to wait, where waiting helps.");
  out.sample({}, statistics().retry_after().view(), kNanos);
  out.singles(
      {{"sluice_retry_never_total", Type::counter, "Denials for which no waiting helps.", totals.retry_never},
       {"sluice_failure_policy_seconds_total", Type::counter,
        "Seconds in which a failure policy answered for the store.", totals.failure_policy_seconds},
       {"sluice_waiting_checks", Type::gauge, "Checks that wait for the store now.",
        instance_.engine().waiting()},
       {"sluice_waiting_checks_max", Type::gauge, "Most checks that may wait.",
        instance_.engine().max_waiting()},
       {"sluice_late_answers_total", Type::counter,
        "Answers of the store that came after their check was answered.", totals.late}});
}

void Monitor::add_rules(Exposition& out) const {
  const std::vector<Series> all = series_of(rules_, statistics());
  out.family("sluice_checks_total", Type::counter,
             "What each rule said to the checks that it took part in; shadow rules deny nothing.");
  for (const Series& series : all) {
    const auto outcome = [&](std::string_view name, std::uint64_t value) {
      out.sample({{.name = "rule", .value = series.rule}, {.name = "outcome", .value = name}}, value);
    };
    outcome("allowed", series.counters.allowed);
    outcome("denied", series.counters.denied);
    outcome("shadow_denied", series.counters.shadow_denied);
  }
  by_rule(out, all, "sluice_admitted_tokens_total", "Tokens taken by checks that were allowed.",
          [](const RuleCounters& counters) { return counters.tokens; });
  by_rule(out, all, "sluice_near_limit_total", "Allowed with a warning: the rule's warn_at was reached.",
          [](const RuleCounters& counters) { return counters.near_limit; });
  by_rule(out, all, "sluice_early_returns_total",
          "Denied again before the time to wait had passed that was told before: clients that do not heed "
          "it. Beyond "
          "a thousand denials a second it is estimated, rather too low.",
          [](const RuleCounters& counters) { return counters.early_returns; });
  out.family("sluice_degraded_total", Type::counter, "Answers of the rule's failure policy, by policy.");
  for (const Series& series : all) {
    for (std::size_t i = 0; i < kPolicies.size(); ++i) {
      out.sample({{.name = "rule", .value = series.rule}, {.name = "policy", .value = kPolicies.at(i)}},
                 series.counters.degraded.at(i));
    }
  }
  out.family("sluice_rule_blocked_ratio", Type::gauge,
             "Share of the last minute's checks that the rule denied; absent where there were none.");
  for (const RuleWatch::Rule& rule : rules_.rules()) {
    if (const auto share = blocked_share(rule, statistics().rule(rule.slot)))
      out.sample({{.name = "rule", .value = rule.spec.name}}, *share);
  }
  out.family("sluice_rule_used_ratio", Type::gauge,
             "Largest used share of a key of the rule in the last minute; absent where none was seen.");
  for (const RuleWatch::Rule& rule : rules_.rules()) {
    if (const auto share = used_share(rule)) out.sample({{.name = "rule", .value = rule.spec.name}}, *share);
  }
}

void Monitor::add_events(Exposition& out) const {
  const auto labelled = [&out](std::string_view label, std::string_view value, std::uint64_t count) {
    out.sample({{.name = label, .value = value}}, count);
  };
  out.family("sluice_config_reloads_total", Type::counter, "Reloads of the configuration, by result.");
  labelled("result", "ok", reloads_);
  labelled("result", "refused", refused_);
  const bool good = !last_reload_ || last_reload_->ok;
  out.single("sluice_config_last_reload_successful", Type::gauge,
             "Whether the last configuration that was read was taken: 1 or 0.",
             std::uint64_t{good ? 1U : 0U});
  out.single("sluice_config_last_reload_timestamp_seconds", Type::gauge,
             "When a configuration was last read, as Unix time.",
             seconds_since_epoch(last_reload_ ? last_reload_->time : started_wall_));
  out.family("sluice_events_total", Type::counter, "Events raised, by kind.");
  for (std::size_t i = 0; i < observe::kEventKinds.size(); ++i)
    labelled("kind", observe::kEventKinds.at(i), events_.count(i));
  const WebhookCounters posts = webhook_ ? webhook_() : WebhookCounters{};
  out.family("sluice_webhook_posts_total", Type::counter, "Events posted to the webhook, by result.");
  labelled("result", "ok", posts.ok);
  labelled("result", "failed", posts.failed);
  labelled("result", "dropped", posts.dropped);
  out.single("sluice_loop_lag_seconds", Type::gauge,
             "Most by which a timer was late in the last minute: how long the loop was held up.",
             std::chrono::duration<double>(loop_lag()).count());
}

}  // namespace sluice::daemon
