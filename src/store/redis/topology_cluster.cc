#include <cstddef>
#include <cstdint>
#include <expected>
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
#include "store/redis/cluster.h"
#include "store/redis/cluster_slots.h"
#include "store/redis/crc16.h"
#include "store/redis/errors.h"
#include "store/redis/sharded_store.h"
#include "store/redis/topology.h"
#include "store/redis/topology_kinds.h"

namespace sluice::store::redis {
namespace {

std::vector<std::uint16_t> slots_of_shards() {
  std::vector<std::uint16_t> slots;
  slots.reserve(kShardTags.size());
  for (const std::string_view tag : kShardTags) slots.push_back(slot_of_tag(tag));
  return slots;
}

class ClusterTopology final : public ShardedTopology, private ClusterEvents {
 public:
  ClusterTopology(Loop& loop, Connector& connector, Random& random, TopologyEvents& events,
                  std::vector<Endpoint> seeds, const TopologyOptions& options)
      : ShardedTopology(loop, connector, random, events, specs_of(options, *this)),
        watcher_(loop, connector, random, *this,
                 {.seeds = std::move(seeds),
                  .slots = slots_of_shards(),
                  .connection = for_asking(options.store.connection)}) {}

  void start() override {
    watcher_.start();
    sharded_store().start();
  }

 private:
  /// `self` is not there yet.
  [[nodiscard]] static std::vector<ShardSpec> specs_of(const TopologyOptions& options,
                                                       const ClusterTopology& self) {
    std::vector<ShardSpec> specs;
    for (const std::string_view tag : kShardTags) {
      const std::size_t shard = specs.size();
      specs.push_back({.name = std::string(tag), .options = options.store});
      RedisStoreOptions& own = specs.back().options;
      own.prefix += ":{" + specs.back().name + "}";
      own.connection.where = [&self, shard] { return self.watcher_.where(shard); };
      own.connection.verify_master = true;
    }
    return specs;
  }

  [[nodiscard]] std::optional<Endpoint> where(std::size_t shard) const override {
    return watcher_.where(shard);
  }
  void on_trouble(std::size_t /*shard*/) override { watcher_.suspect(); }
  void on_error(std::size_t shard, ErrorKind kind, std::string_view text) override;

  void on_master(std::size_t shard, const Endpoint& where) override { move(shard, where); }
  void on_node_failed(std::string_view node, std::string_view reason) override {
    events().on_watch_failed(node, reason);
  }

  ClusterWatcher watcher_;
};

void ClusterTopology::on_error(std::size_t /*shard*/, ErrorKind kind, std::string_view text) {
  switch (kind) {
    case ErrorKind::cluster:
      // The slot migrates, and is where it was until that ends.
      if (text.starts_with("ASK ") || text.starts_with("TRYAGAIN")) return;
      return watcher_.suspect(parse_moved(text));
    case ErrorKind::readonly:
    case ErrorKind::masterdown:
    case ErrorKind::loading:
    case ErrorKind::noreplicas:
      return watcher_.suspect();
    default:
      return;
  }
}

}  // namespace

Result<std::unique_ptr<Topology>> make_cluster(Loop& loop, const TopologyConnectors& connectors,
                                               Random& random, TopologyEvents& events,
                                               const TopologyOptions& options) {
  auto seeds = parse_endpoints(options.shards);
  if (!seeds) return std::unexpected(seeds.error());
  return std::make_unique<ClusterTopology>(loop, connectors.data, random, events, *std::move(seeds), options);
}

}  // namespace sluice::store::redis
