// How Redis servers divide the keys between them: one server, fixed shards, masters that Sentinel watches, or
// a Redis Cluster. Whichever it is, it is a set of shards, each with one connection to where its master is
// now.
//
// A shard whose master is unknown, gone or no master any more is unavailable, and so is, for the moment that
// it takes, one whose slot of a Cluster migrates (ASK, TRYAGAIN): nothing was carried out, and leases serve
// on.
#pragma once

#include <chrono>
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
#include "store/redis/redis_store.h"
#include "store/store.h"

namespace sluice::store::redis {

struct TopologyOptions {
  enum class Kind : std::uint8_t { single, shards, sentinel, cluster };

  Kind kind = Kind::single;
  /// single: the server's address. shards: for each its address, with a name if ShardAddress has one.
  /// sentinel: the masters' names. cluster: addresses of nodes to ask first. Keys are divided by the names
  /// (but for cluster): every daemon must have the same ones, in any order.
  std::vector<std::string> shards{};
  std::vector<Endpoint> sentinels{};  ///< for sentinel only
  /// For the connection of every shard, and in a cluster for asking its nodes. `endpoint`, `where` and
  /// `verify_master` are set here.
  RedisStoreOptions store{};
  /// For the connections to sentinels, which have users and passwords of their own. `endpoint` and `pushes`
  /// are set here, and deadlines are cut to half a second.
  ConnectionOptions sentinel{};
};

/// How servers are reached: TLS and its certificates are behind it.
struct TopologyConnectors {
  Connector& data;
  Connector& sentinels;  ///< may be the same
};

/// For the daemon's log; `shard` is the name that shards() gives. From the loop; not paced: who listens does
/// that. No secrets and no raw keys in the texts.
class TopologyEvents {
 public:
  virtual ~TopologyEvents() = default;
  /// As RedisStoreEvents has it.
  virtual void on_serving(std::string_view shard, Generation generation, bool new_history) = 0;
  virtual void on_lost(std::string_view shard, std::string_view reason) = 0;
  virtual void on_attempt_failed(std::string_view shard, std::string_view reason) = 0;
  virtual void on_refused(std::string_view shard, ErrorKind kind, std::string_view text) = 0;
  virtual void on_rebooked(std::string_view shard, std::uint64_t keys, std::uint64_t tokens) {
    static_cast<void>(shard);
    static_cast<void>(keys);
    static_cast<void>(tokens);
  }
  /// Sentinel or the cluster says that the shard's master is there, and that is news.
  virtual void on_master(std::string_view shard, const Endpoint& master) = 0;
  /// A sentinel, or a cluster's node that was asked for the slots, cannot be asked or gives no useful answer.
  virtual void on_watch_failed(std::string_view watcher, std::string_view reason) = 0;
};

/// One shard, for observe/ to render.
struct ShardStatus {
  std::string name{};
  std::optional<Endpoint> master{};  ///< as far as is known
  bool serving = false;
  RedisStoreCounters counters{};
};

class Topology {
 public:
  virtual ~Topology() = default;
  [[nodiscard]] virtual store::Store& store() = 0;
  /// Connects, and goes on reconnecting until it is destroyed. The store answers meanwhile: unavailable.
  virtual void start() = 0;
  /// Tells the shards that we are going, so that they will not wait for us after a failover; the last thing
  /// to be asked of them, and sent with this turn of the loop.
  virtual void leave() = 0;
  [[nodiscard]] virtual std::vector<ShardStatus> shards() const = 0;
  /// How many of the shards serve now.
  [[nodiscard]] virtual std::size_t serving() const = 0;
};

/// All references must outlive the topology. The error names what is wrong in the options.
[[nodiscard]] Result<std::unique_ptr<Topology>> make_topology(Loop& loop,
                                                              const TopologyConnectors& connectors,
                                                              Random& random, TopologyEvents& events,
                                                              TopologyOptions options);

}  // namespace sluice::store::redis
