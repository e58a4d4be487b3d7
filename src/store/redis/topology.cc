#include "store/redis/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "store/redis/connection.h"
#include "store/redis/errors.h"
#include "store/redis/redis_store.h"
#include "store/redis/sharded_store.h"
#include "store/redis/topology_kinds.h"
#include "store/store.h"

namespace sluice::store::redis {

ShardedTopology::ShardedTopology(Loop& loop, Connector& connector, Random& random, TopologyEvents& events,
                                 std::vector<ShardSpec> specs)
    : events_(events), store_(loop, connector, random, *this, std::move(specs)) {}

std::vector<ShardStatus> ShardedTopology::shards() const {
  std::vector<ShardStatus> all;
  all.reserve(store_.size());
  for (std::size_t i = 0; i < store_.size(); ++i) {
    const RedisStore& shard = store_.shard(i);
    all.push_back({.name = store_.name(i),
                   .master = where(i),
                   .serving = shard.serving(),
                   .counters = shard.counters()});
  }
  return all;
}

void ShardedTopology::on_error(std::size_t shard, ErrorKind kind, std::string_view text) {
  static_cast<void>(shard);
  static_cast<void>(kind);
  static_cast<void>(text);
}

void ShardedTopology::move(std::size_t shard, const Endpoint& master) {
  store_.redirect(shard, "the master is now " + master.text());
  events_.on_master(store_.name(shard), master);
}

void ShardedTopology::on_serving(std::size_t shard, Generation generation, bool new_history) {
  events_.on_serving(store_.name(shard), generation, new_history);
}

void ShardedTopology::on_lost(std::size_t shard, std::string_view reason) {
  on_trouble(shard);
  events_.on_lost(store_.name(shard), reason);
}

void ShardedTopology::on_attempt_failed(std::size_t shard, std::string_view reason) {
  on_trouble(shard);
  events_.on_attempt_failed(store_.name(shard), reason);
}

void ShardedTopology::on_refused(std::size_t shard, ErrorKind kind, std::string_view text) {
  on_error(shard, kind, text);
  events_.on_refused(store_.name(shard), kind, text);
}

void ShardedTopology::on_rebooked(std::size_t shard, std::uint64_t keys, std::uint64_t tokens) {
  events_.on_rebooked(store_.name(shard), keys, tokens);
}

namespace {

class FixedTopology final : public ShardedTopology {
 public:
  FixedTopology(Loop& loop, Connector& connector, Random& random, TopologyEvents& events,
                std::vector<Endpoint> servers, std::vector<ShardSpec> specs)
      : ShardedTopology(loop, connector, random, events, std::move(specs)), servers_(std::move(servers)) {}

  void start() override { sharded_store().start(); }

 private:
  [[nodiscard]] std::optional<Endpoint> where(std::size_t shard) const override { return servers_[shard]; }

  std::vector<Endpoint> servers_;
};

}  // namespace

ConnectionOptions for_asking(ConnectionOptions options) {
  constexpr Duration kPatience = std::chrono::milliseconds{500};
  options.connect_timeout = std::min(options.connect_timeout, kPatience);
  options.command_timeout = std::min(options.command_timeout, kPatience);
  return options;
}

Result<std::vector<Endpoint>> parse_endpoints(const std::vector<std::string>& texts) {
  std::vector<Endpoint> endpoints;
  for (const std::string& text : texts) {
    auto endpoint = Endpoint::parse(text);
    if (!endpoint) return std::unexpected(endpoint.error());
    endpoints.push_back(*std::move(endpoint));
  }
  return endpoints;
}

Result<std::unique_ptr<Topology>> make_fixed(Loop& loop, const TopologyConnectors& connectors, Random& random,
                                             TopologyEvents& events, const TopologyOptions& options) {
  std::vector<Endpoint> servers;
  std::vector<ShardSpec> specs;
  for (const std::string& text : options.shards) {
    auto shard = ShardAddress::parse(text);
    if (!shard) return std::unexpected(shard.error());
    if (std::ranges::find(specs, shard->name, &ShardSpec::name) != specs.end())
      return failure(fmt::format("there are two shards of the name \"{}\"", printable(shard->name)));
    servers.push_back(shard->endpoint);
    specs.push_back({.name = std::move(shard->name), .options = options.store});
    specs.back().options.connection.endpoint = std::move(shard->endpoint);
  }
  return std::make_unique<FixedTopology>(loop, connectors.data, random, events, std::move(servers),
                                         std::move(specs));
}

Result<std::unique_ptr<Topology>> make_topology(Loop& loop, const TopologyConnectors& connectors,
                                                Random& random, TopologyEvents& events,
                                                TopologyOptions options) {
  using Kind = TopologyOptions::Kind;
  if (options.shards.empty()) return failure("there must be at least one shard");
  switch (options.kind) {
    case Kind::single:
      if (options.shards.size() != 1) return failure("single takes exactly one server; shards takes several");
      return make_fixed(loop, connectors, random, events, options);
    case Kind::shards:
      return make_fixed(loop, connectors, random, events, options);
    case Kind::sentinel:
      return make_sentinel(loop, connectors, random, events, std::move(options));
    case Kind::cluster:
      return make_cluster(loop, connectors, random, events, options);
  }
  SLUICE_ASSERT(false);
  std::unreachable();
}

}  // namespace sluice::store::redis
