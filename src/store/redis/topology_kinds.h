// The kinds of topologies. Internal to topology.cc and theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "store/redis/connection.h"
#include "store/redis/errors.h"
#include "store/redis/sharded_store.h"
#include "store/redis/topology.h"
#include "store/store.h"

namespace sluice::store::redis {

/// What they have in common. Who derives hears of the shards' troubles, and knows where the masters are.
class ShardedTopology : public Topology, protected ShardEvents {
 public:
  [[nodiscard]] Store& store() override { return store_; }
  void leave() override { store_.leave(); }
  [[nodiscard]] std::vector<ShardStatus> shards() const override;
  [[nodiscard]] std::size_t serving() const override { return store_.serving(); }

 protected:
  ShardedTopology(Loop& loop, Connector& connector, Random& random, TopologyEvents& events,
                  std::vector<ShardSpec> specs);

  [[nodiscard]] virtual std::optional<Endpoint> where(std::size_t shard) const = 0;
  /// Its connection was lost, or could not be had.
  virtual void on_trouble(std::size_t shard) { static_cast<void>(shard); }
  /// Its server has answered a request by an error.
  virtual void on_error(std::size_t shard, ErrorKind kind, std::string_view text);

  /// The shard's master is said to be there now: its connection leaves the old one at once.
  void move(std::size_t shard, const Endpoint& master);

  [[nodiscard]] TopologyEvents& events() { return events_; }
  [[nodiscard]] ShardedStore& sharded_store() { return store_; }

 private:
  void on_serving(std::size_t shard, Generation generation, bool new_history) final;
  void on_lost(std::size_t shard, std::string_view reason) final;
  void on_attempt_failed(std::size_t shard, std::string_view reason) final;
  void on_refused(std::size_t shard, ErrorKind kind, std::string_view text) final;
  void on_rebooked(std::size_t shard, std::uint64_t keys, std::uint64_t tokens) final;

  TopologyEvents& events_;
  ShardedStore store_;
};

/// single and shards: addresses that do not change.
[[nodiscard]] Result<std::unique_ptr<Topology>> make_fixed(Loop& loop, const TopologyConnectors& connectors,
                                                           Random& random, TopologyEvents& events,
                                                           const TopologyOptions& options);
/// Masters that sentinels watch, each a shard.
[[nodiscard]] Result<std::unique_ptr<Topology>> make_sentinel(Loop& loop,
                                                              const TopologyConnectors& connectors,
                                                              Random& random, TopologyEvents& events,
                                                              TopologyOptions options);
/// A Redis Cluster. While a slot migrates, its shard's requests are refused (ASK, TRYAGAIN) and so
/// unavailable, which is to say not carried out: what is leased serves on, and it takes milliseconds to
/// seconds.
[[nodiscard]] Result<std::unique_ptr<Topology>> make_cluster(Loop& loop, const TopologyConnectors& connectors,
                                                             Random& random, TopologyEvents& events,
                                                             const TopologyOptions& options);

/// For a sentinel or a node that is asked where the masters are. Another one can tell as well, so that it
/// gets half a second at most.
[[nodiscard]] ConnectionOptions for_asking(ConnectionOptions options);

/// All texts as addresses. The error names the one that is none.
[[nodiscard]] Result<std::vector<Endpoint>> parse_endpoints(const std::vector<std::string>& texts);

}  // namespace sluice::store::redis
