// A simulated Redis server: speaks RESP over the simulated network, runs our very scripts in Lua 5.1, and
// replicates asynchronously, so that a failover loses what a real one would lose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/redis/observer.h"

namespace sluice::sim {

/// What of its data a server has when it comes back.
enum class Persistence : std::uint8_t {
  none,          ///< starts empty
  every_second,  ///< an append-only file, synced each second: loses what was done since the last sync
  always,        ///< loses nothing
};

struct RedisOptions {
  std::uint16_t port = 6379;
  Persistence persistence = Persistence::none;
  std::string password{};   ///< requirepass; empty: none
  bool knows_resp3 = true;  ///< false: HELLO is an unknown command, as before Redis 6
  bool allows_time = true;  ///< false: TIME in a script that writes is an error, as some servers have it
  Duration replication_lag_least = std::chrono::microseconds{200};
  Duration replication_lag_most = std::chrono::milliseconds{30};
};

/// Refusals that operators and kernels bring about. While one holds, commands are answered as a real server
/// would answer them.
enum class RedisTrouble : std::uint8_t {
  none,
  loading,     ///< -LOADING to all but few
  oom,         ///< -OOM to what may write, scripts included (they have no flag that says otherwise)
  misconf,     ///< -MISCONF to writes
  noreplicas,  ///< -NOREPLICAS to writes (min-replicas-to-write)
  busy,        ///< -BUSY to all
  slow,        ///< carries everything out, but each answer comes 50 to 400 ms later
  readonly,    ///< -READONLY to writes, as a replica that still calls itself master to ROLE
};

/// One server: a machine's disk, and a process on it while it runs. Owned by the world.
class RedisServer {
 public:
  /// The references must outlive it. Not running before start().
  RedisServer(Network& network, HostId host, Timeline& timeline, const NodeClock& clock, Trace& trace,
              Draw draw, RedisObserver& observer, RedisOptions options);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  [[nodiscard]] HostId host() const;
  [[nodiscard]] bool running() const;

  /// Loads what is on the disk and listens. A new replication id, as a real restart has. A master unless
  /// replicate() follows; tells the observer on_history.
  void start();
  /// The process dies; its connections end (unless the network has cut the power first). What is on the disk
  /// stays according to the persistence.
  void crash();
  /// SIGSTOP until then.
  void suspend(SimTime until);

  /// REPLICAOF: drops its data, takes `master`'s over as soon as the link is there, and follows it. The link
  /// obeys the network's blocks, and a new one is made when the master restarts or becomes reachable again:
  /// by continuing where it was if the master's history still has that (same or previous replication id),
  /// else by a full copy. `master` must outlive this or a later call.
  void replicate(RedisServer& master);
  /// REPLICAOF NO ONE: a master of its own with the data it has; a new replication id (the old one stays
  /// valid for those that follow). Tells the observer on_history.
  void promote();
  [[nodiscard]] bool is_master() const;
  /// The server that it follows; null: none.
  [[nodiscard]] const RedisServer* master() const;
  /// What it has of its master's stream, or the end of its own.
  [[nodiscard]] std::uint64_t offset() const;
  /// Whose stream that is: its own, or that of the master that it was last linked to.
  [[nodiscard]] HostId origin() const;

  void set_trouble(RedisTrouble trouble);
  void flush_scripts();  ///< SCRIPT FLUSH
  void flush_all();      ///< FLUSHALL; replicated like any write
  /// Like a Redis that evicts under maxmemory: one counter, drawn, is gone. False: there is none.
  bool evict_one();
  /// Closes every client's connection (CLIENT KILL TYPE normal).
  void kill_clients();

  // --- cluster (redis/cluster.h sets these) ------------------------------------------------------------
  class Slots;  ///< who owns which slot, as this node believes
  void set_slots(std::shared_ptr<const Slots> slots);
  /// MIGRATE of one key of that slot, with what is left of its life. False: it has none, or one of the two
  /// servers is down or no master.
  bool migrate_one(std::uint16_t slot, RedisServer& to);
  /// By which others find it: the name of its host and its port.
  [[nodiscard]] Endpoint endpoint() const;
  [[nodiscard]] bool suspended() const;  ///< stopped now

  // --- for the checkers ----------------------------------------------------------------------------------
  [[nodiscard]] std::optional<std::string> value(std::string_view key);
  [[nodiscard]] std::size_t keys();  ///< that are not expired
  [[nodiscard]] std::size_t connected() const;
  [[nodiscard]] std::uint64_t commands() const;  ///< carried out since the world began

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::sim
