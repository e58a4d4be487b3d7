// The Redis side of the world: machines, servers, sentinels, and what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/timeline.h"
#include "sim/network/network.h"
#include "sim/redis/cluster.h"
#include "sim/redis/sentinel.h"
#include "sim/redis/server.h"
#include "sim/world/app.h"

namespace sluice::sim {

/// How a process ends: by itself, or with its machine, without a word.
enum class Power : std::uint8_t { on, off };

/// Nothing gets from `host` to the others, or back, for that long.
void part(const Surroundings& world, HostId host, std::vector<HostId> others, Duration length);

class Servers {
 public:
  /// All servers run from here on, replicas follow, sentinels agree.
  Servers(const Surroundings& world, Draw draw);
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::size_t members() const { return world_.plan.replicas + 1; }
  [[nodiscard]] RedisServer& server(std::size_t group, std::size_t member) const;
  /// Index of the one that is the master by the world's will, running or not.
  [[nodiscard]] std::size_t master_of(std::size_t group) const { return groups_[group].master; }
  [[nodiscard]] RedisServer& master(std::size_t group) const { return server(group, master_of(group)); }
  [[nodiscard]] const std::vector<HostId>& hosts() const { return hosts_; }  ///< servers and sentinels
  [[nodiscard]] const std::vector<HostId>& sentinel_hosts() const { return sentinel_hosts_; }
  [[nodiscard]] RedisSentinel& sentinel(std::size_t index) const { return *sentinels_[index]; }

  /// The process dies, or its machine; it is back after that. Of a group with sentinels, or of a cluster, a
  /// replica may be promoted meanwhile.
  void crash(std::size_t group, std::size_t member, Duration back_after, Power power);
  /// A replica becomes the master. The old one runs on for `old_lives`, as a master, before it learns of it;
  /// meanwhile it is cut off from its replicas and the sentinels if `cut_off` says so. False: nobody can.
  enum class OldMaster : std::uint8_t { hears_soon, cut_off };
  bool fail_over(std::size_t group, OldMaster old, Duration old_lives);
  void crash_sentinel(std::size_t index, Duration back_after);
  /// It hears of no failover for so long.
  void mislead_sentinel(std::size_t index, Duration length);
  /// Of a cluster: one slot goes to another group.
  void move_slot(Duration takes);
  void flush_all(std::size_t group);

  /// All run, follow their masters, and know what is true.
  void heal();

 private:
  struct Machine {
    HostId host = 0;
    std::unique_ptr<NodeClock> clock;
    std::unique_ptr<RedisServer> server;
    bool powered = true;
  };
  struct Group {
    std::vector<Machine> machines;
    std::size_t master = 0;
    std::uint64_t epoch = 1;
  };

  void add_group(std::size_t group);
  void add_sentinel(std::size_t index);
  void start(std::size_t group, std::size_t member);
  void follow(std::size_t group, std::size_t member);
  void tell_sentinels(std::size_t group);
  void tell_sentinel(std::size_t index, std::size_t group);
  [[nodiscard]] ClockFault draw_clock();

  Surroundings world_;
  Draw draw_;
  std::vector<Group> groups_;
  std::vector<HostId> hosts_;
  std::vector<HostId> sentinel_hosts_;
  std::vector<std::unique_ptr<NodeClock>> sentinel_clocks_;
  std::vector<std::unique_ptr<RedisSentinel>> sentinels_;
  std::vector<SimTime> misled_until_;
  std::unique_ptr<RedisCluster> cluster_;
};

}  // namespace sluice::sim
