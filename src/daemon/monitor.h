// Watches a running daemon: what its counters tell of the last seconds, its busiest keys, and what happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/histogram.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "config/load.h"
#include "config/settings.h"
#include "daemon/instance.h"
#include "daemon/rule_watch.h"
#include "daemon/store_report.h"
#include "daemon/stores.h"
#include "daemon/trail.h"
#include "daemon/webhook.h"
#include "engine/statistics.h"
#include "engine/watcher.h"
#include "observe/events.h"
#include "observe/exposition.h"
#include "observe/json.h"
#include "observe/log.h"
#include "observe/sketch.h"
#include "rules/policy.h"
#include "server/admin/admin_source.h"

namespace sluice::daemon {

/// All must outlive the monitor.
struct MonitorSurroundings {
  Loop& loop;
  observe::Log& log;
  Random& random;
  Instance& instance;
  Backing& backing;
};

/// Bounds: see RuleWatch; kSeconds of history, 64 shards, 50 events. Events of one kind and cause come at
/// most once a minute.
class Monitor final : public server::AdminSource, private engine::Watcher {
 public:
  /// `config` is what the instance was made of, and was read from `config_path`.
  Monitor(const MonitorSurroundings& surroundings, const config::Config& config, std::string config_path);
  ~Monitor() override;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// The instance has taken it over.
  void reloaded(const config::Config& config);
  /// `problem`: the first fault, for people.
  void reload_refused(const std::string& problem);
  void draining() { draining_ = true; }
  void webhook_failed(std::string_view reason);

  [[nodiscard]] observe::Events& events() { return events_; }
  /// Must stay callable as long as the monitor is asked.
  void set_webhook(std::function<WebhookCounters()> counters) { webhook_ = std::move(counters); }

  void append_metrics(std::string& out, server::MetricsFormat format) override;
  [[nodiscard]] std::string stats() override;
  [[nodiscard]] Result<std::string> top(const server::TopQuery& query) override;
  [[nodiscard]] server::Health health() override;

 private:
  static constexpr std::size_t kSeconds = 120;
  static constexpr std::size_t kMaxShards = 64;

  struct Second {
    std::uint64_t allowed = 0;
    std::uint64_t denied = 0;
    std::uint64_t degraded = 0;
  };
  /// What is told of the last minute.
  struct Figures {
    std::uint64_t checks = 0;
    std::uint64_t store_requests = 0;
    std::uint64_t from_memory = 0;  ///< of the checks of leased limits
    std::uint64_t from_store = 0;
    LatencyHistogram local;
    LatencyHistogram waited;
  };
  struct Shard {
    bool lost = false;  ///< and an event has told so
    std::optional<Instant> down_since{};
    Instant told{Instant::min()};
    Trail<LatencyHistogram, 13> latency{};
  };
  struct Reload {
    bool ok = true;
    WallTime time{};
    std::optional<std::string> problem{};
  };
  /// One key in a list.
  struct Listed {
    const RuleWatch::Rule* rule = nullptr;
    observe::TopKey key{};
  };

  void on_denied(const engine::Sighting& sighting, std::uint32_t weight) override;
  void on_sampled(const engine::Sighting& sighting, std::uint32_t weight) override;

  // monitor.cc
  void use(const config::Config& config);
  void arm();
  void tick();
  void end_slot(const StoreReport& store);
  void look_at_keys(const StoreReport& store);
  void look_at_failures();
  void look_at_shards(const StoreReport& store);
  /// Whether `last` is a minute ago; then it is now.
  [[nodiscard]] bool once_a_minute(Instant& last) const;
  [[nodiscard]] Figures figures(const StoreReport& store) const;
  [[nodiscard]] Instant now() const { return loop_.clock().now(); }
  [[nodiscard]] const engine::Statistics& statistics() const { return instance_.engine().statistics(); }
  [[nodiscard]] Duration loop_lag() const;
  [[nodiscard]] std::string key_text(const RuleWatch::Rule& rule, std::string_view key,
                                     std::uint64_t hash) const;
  [[nodiscard]] std::optional<double> operations_per_check(const Figures& now) const;
  [[nodiscard]] std::optional<double> hit_share(const Figures& now) const;

  // monitor_metrics.cc
  void add_process(observe::Exposition& out) const;
  void add_checks(observe::Exposition& out) const;
  void add_rules(observe::Exposition& out) const;
  void add_events(observe::Exposition& out) const;

  // monitor_store_metrics.cc
  void add_leases(observe::Exposition& out, const StoreReport& store) const;
  void add_connections(observe::Exposition& out, const StoreReport& store) const;
  void add_store(observe::Exposition& out, const StoreReport& store) const;

  // monitor_stats.cc, and of keys monitor_keys.cc
  void write_head(observe::JsonWriter& json);
  void write_totals(observe::JsonWriter& json) const;
  void write_history(observe::JsonWriter& json) const;
  void write_rule(observe::JsonWriter& json, const RuleWatch::Rule& rule) const;
  void write_leases(observe::JsonWriter& json, const StoreReport& store) const;
  void write_store(observe::JsonWriter& json, const StoreReport& store) const;
  void write_config(observe::JsonWriter& json) const;
  void write_events(observe::JsonWriter& json) const;
  void write_keys(observe::JsonWriter& json, std::string_view name, const std::vector<Listed>& keys) const;
  [[nodiscard]] std::vector<Listed> listed(server::TopBy by, std::string_view rule, std::size_t limit);

  Loop& loop_;
  observe::Log& log_;
  Instance& instance_;
  Backing& backing_;
  std::string config_path_;
  config::Settings::Observe settings_;
  std::size_t max_connections_ = 0;
  std::shared_ptr<const rules::Policy> policy_;
  RuleWatch rules_;
  observe::Events events_;
  std::function<WebhookCounters()> webhook_;
  std::unordered_map<std::uint64_t, Instant> told_keys_;  ///< of key_denied, by hash; bound: kMaxToldKeys

  Instant started_;
  WallTime started_wall_;
  Instant ticked_;
  std::uint64_t ticks_ = 0;
  TimerId timer_ = 0;
  bool draining_ = false;

  std::array<Second, kSeconds> seconds_{};  ///< a ring: the newest is at ticks_ − 1
  std::array<Duration, 60> lags_{};         ///< the same
  Trail<engine::EngineCounters, 11> totals_;
  Trail<Figures, 13> minute_;
  std::vector<Shard> shards_;
  std::uint64_t keys_gone_ = 0;  ///< evicted and refused, so far
  Instant told_eviction_{Instant::min()};
  Instant told_failures_{Instant::min()};
  Instant told_webhook_{Instant::min()};

  std::uint64_t reloads_ = 0;
  std::uint64_t refused_ = 0;
  std::optional<Reload> last_reload_;
};

}  // namespace sluice::daemon
