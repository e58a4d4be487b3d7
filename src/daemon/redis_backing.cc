#include "daemon/redis_backing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/redis_access.h"
#include "daemon/redis_info.h"
#include "daemon/redis_options.h"
#include "daemon/store_report.h"
#include "daemon/stores.h"
#include "engine/leased_store.h"
#include "lease/table.h"
#include "observe/log.h"
#include "rules/policy.h"
#include "store/redis/errors.h"
#include "store/redis/topology.h"
#include "store/store.h"

namespace sluice::daemon {
namespace {

using observe::Level;
namespace redis = store::redis;

class RedisBacking final : public Backing, private redis::TopologyEvents {
 public:
  RedisBacking(observe::Log& log, std::unique_ptr<RedisAccess> access)
      : log_(log), access_(std::move(access)) {}
  ~RedisBacking() override = default;
  RedisBacking(const RedisBacking&) = delete;
  RedisBacking& operator=(const RedisBacking&) = delete;

  /// Before anything else.
  Result<void> open(Loop& loop, Random& random, const config::Settings::Store& settings,
                    std::shared_ptr<const rules::Policy> policy);

  store::Store& store() override { return *leased_; }
  void start() override { topology_->start(); }
  void set_policy(std::shared_ptr<const rules::Policy> policy) override {
    leased_->set_policy(std::move(policy));
  }
  void drain(std::function<void()> done) override {
    leased_->drain([this, done = std::move(done)] {
      topology_->leave();
      done();
    });
  }
  void describe(std::string& out) const override;
  [[nodiscard]] StoreReport report() const override;

 private:
  void on_serving(std::string_view shard, store::Generation generation, bool new_history) override;
  void on_lost(std::string_view shard, std::string_view reason) override;
  void on_attempt_failed(std::string_view shard, std::string_view reason) override;
  void on_refused(std::string_view shard, redis::ErrorKind kind, std::string_view text) override;
  void on_rebooked(std::string_view shard, std::uint64_t keys, std::uint64_t tokens) override;
  void on_master(std::string_view shard, const Endpoint& master) override;
  void on_watch_failed(std::string_view watcher, std::string_view reason) override;

  // In the order of construction: what is below uses what is above.
  observe::Log& log_;
  std::unique_ptr<RedisAccess> access_;
  std::unique_ptr<redis::Topology> topology_;
  std::unique_ptr<engine::LeasedStore> leased_;
};

Result<void> RedisBacking::open(Loop& loop, Random& random, const config::Settings::Store& settings,
                                std::shared_ptr<const rules::Policy> policy) {
  auto options = topology_options(settings, *access_);
  if (!options) return std::unexpected(options.error());
  auto topology = redis::make_topology(loop, {.data = access_->data(), .sentinels = access_->sentinels()},
                                       random, *this, *std::move(options));
  if (!topology) return failure("store.redis: " + topology.error().message);
  topology_ = *std::move(topology);
  const auto max_keys = static_cast<std::size_t>(settings.max_keys);
  leased_ = std::make_unique<engine::LeasedStore>(
      loop, random, topology_->store(), engine::LeasedStoreOptions{.max_keys = max_keys}, std::move(policy));
  return {};
}

void RedisBacking::on_serving(std::string_view shard, store::Generation /*generation*/, bool new_history) {
  log_.write(Level::info, "store connected",
             {{.name = "shard", .value = std::string(shard)},
              {.name = "history", .value = new_history ? "new" : "as before"}});
}

void RedisBacking::on_lost(std::string_view shard, std::string_view reason) {
  log_.write(
      Level::warn, "store lost",
      {{.name = "shard", .value = std::string(shard)}, {.name = "reason", .value = std::string(reason)}});
}

void RedisBacking::on_attempt_failed(std::string_view shard, std::string_view reason) {
  log_.write(
      Level::warn, "store cannot be reached",
      {{.name = "shard", .value = std::string(shard)}, {.name = "reason", .value = std::string(reason)}});
}

void RedisBacking::on_refused(std::string_view shard, redis::ErrorKind kind, std::string_view text) {
  log_.write(Level::warn, "store refused a request",
             {{.name = "shard", .value = std::string(shard)},
              {.name = "kind", .value = std::string(redis::name_of(kind))},
              {.name = "answer", .value = std::string(text)}});
}

void RedisBacking::on_rebooked(std::string_view shard, std::uint64_t keys, std::uint64_t tokens) {
  log_.write(Level::warn, "store had lost what was taken; it is debited again",
             {{.name = "shard", .value = std::string(shard)},
              {.name = "counters", .value = std::to_string(keys)},
              {.name = "tokens", .value = std::to_string(tokens)}});
}

void RedisBacking::on_master(std::string_view shard, const Endpoint& master) {
  log_.write(Level::info, "store has a master",
             {{.name = "shard", .value = std::string(shard)}, {.name = "address", .value = master.text()}});
}

void RedisBacking::on_watch_failed(std::string_view watcher, std::string_view reason) {
  log_.write(
      Level::warn, "cannot be asked where the masters are",
      {{.name = "server", .value = std::string(watcher)}, {.name = "reason", .value = std::string(reason)}});
}

void RedisBacking::describe(std::string& out) const {
  describe_store(out, *topology_);
  describe_leases(out, *leased_);
}

StoreReport RedisBacking::report() const {
  const lease::TableCounters& leases = leased_->counters();
  return {.kind = "redis",
          .keys = leased_->size(),
          .evicted = leases.crowded,
          .refused = leases.refused,
          .fleet_members = std::max<std::size_t>(1, leased_->fleet_of({}).members.size()),
          .leases = leases,
          .shards = topology_->shards()};
}

}  // namespace

Result<std::unique_ptr<Backing>> make_redis_backing(Loop& loop, Random& random, observe::Log& log,
                                                    const config::Settings::Store& settings,
                                                    std::unique_ptr<RedisAccess> access,
                                                    std::shared_ptr<const rules::Policy> policy) {
  auto backing = std::make_unique<RedisBacking>(log, std::move(access));
  if (const auto done = backing->open(loop, random, settings, std::move(policy)); !done)
    return std::unexpected(done.error());
  return backing;
}

}  // namespace sluice::daemon
