#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "base/text.h"
#include "store/redis/errors.h"
#include "store/redis/sentinel.h"
#include "store/redis/sharded_store.h"
#include "store/redis/topology.h"
#include "store/redis/topology_kinds.h"

namespace sluice::store::redis {
namespace {

class SentinelTopology final : public ShardedTopology, private SentinelEvents {
 public:
  SentinelTopology(Loop& loop, const TopologyConnectors& connectors, Random& random, TopologyEvents& events,
                   TopologyOptions options)
      : ShardedTopology(loop, connectors.data, random, events, specs_of(options, *this)),
        watcher_(loop, connectors.sentinels, random, *this,
                 {.sentinels = std::move(options.sentinels),
                  .masters = std::move(options.shards),
                  .connection = for_asking(std::move(options.sentinel))}) {}

  void start() override {
    watcher_.start();
    sharded_store().start();
  }

 private:
  /// `self` is not there yet.
  [[nodiscard]] static std::vector<ShardSpec> specs_of(const TopologyOptions& options,
                                                       const SentinelTopology& self) {
    std::vector<ShardSpec> specs;
    for (const std::string& name : options.shards) {
      const std::size_t shard = specs.size();
      specs.push_back({.name = name, .options = options.store});
      specs.back().options.connection.where = [&self, shard] { return self.watcher_.where(shard); };
      specs.back().options.connection.verify_master = true;
    }
    return specs;
  }

  [[nodiscard]] std::optional<Endpoint> where(std::size_t shard) const override {
    return watcher_.where(shard);
  }
  void on_trouble(std::size_t shard) override { watcher_.lost(shard); }
  void on_error(std::size_t shard, ErrorKind kind, std::string_view text) override;

  void on_master(std::size_t master, const Endpoint& where) override { move(master, where); }
  void on_unknown_master(std::size_t master) override {
    events().on_watch_failed("all sentinels",
                             "no sentinel knows a master named \"" + sharded_store().name(master) + "\"");
  }
  void on_unreachable() override { events().on_watch_failed("all sentinels", "no sentinel answers"); }
  void on_sentinel_failed(std::string_view sentinel, std::string_view reason) override {
    events().on_watch_failed(sentinel, reason);
  }

  SentinelWatcher watcher_;
};

void SentinelTopology::on_error(std::size_t shard, ErrorKind kind, std::string_view /*text*/) {
  switch (kind) {
    case ErrorKind::readonly:  // dropped already: where to go next is in doubt
    case ErrorKind::masterdown:
      return watcher_.lost(shard);
    case ErrorKind::loading:     // it has restarted, maybe while another took its place
    case ErrorKind::noreplicas:  // it may be cut off from the others, and replaced
      return watcher_.suspect(shard);
    default:
      return;
  }
}

}  // namespace

Result<std::unique_ptr<Topology>> make_sentinel(Loop& loop, const TopologyConnectors& connectors,
                                                Random& random, TopologyEvents& events,
                                                TopologyOptions options) {
  if (options.sentinels.empty()) return failure("there must be at least one sentinel");
  for (const std::string& name : options.shards) {
    if (std::ranges::count(options.shards, name) > 1)
      return failure("the master \"" + printable(name) + "\" is there twice");
  }
  return std::make_unique<SentinelTopology>(loop, connectors, random, events, std::move(options));
}

}  // namespace sluice::store::redis
