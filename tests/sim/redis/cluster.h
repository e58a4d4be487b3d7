// A simulated Redis Cluster: slots and who has them, as the nodes believe. The world moves slots and fails
// masters over; how the nodes agree is not simulated, but that they hear of it one after another is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/timeline.h"
#include "sim/redis/server.h"

namespace sluice::sim {

class RedisCluster {
 public:
  /// `masters` and their `replicas` (by index: those of masters[i]) are servers of the world, which outlive
  /// the cluster; it sets their slots: at first divided evenly among the masters.
  RedisCluster(Timeline& timeline, Draw draw, std::vector<RedisServer*> masters,
               std::vector<std::vector<RedisServer*>> replicas);
  ~RedisCluster();
  RedisCluster(const RedisCluster&) = delete;
  RedisCluster& operator=(const RedisCluster&) = delete;

  [[nodiscard]] std::size_t groups() const;
  /// The present master of a group.
  [[nodiscard]] RedisServer& master(std::size_t group) const;
  [[nodiscard]] const std::vector<RedisServer*>& members(std::size_t group) const;

  /// `replica` becomes the group's master; every running node believes so after a drawn while of at most
  /// `gossip`, itself at once. The old master, when it hears of it (if it runs and then, or when it is back),
  /// follows the new one.
  void fail_over(std::size_t group, RedisServer& replica, Duration gossip);

  /// Moves `slot` to the group, with its keys, as redis-cli --cluster reshard does: MIGRATING and IMPORTING
  /// for `takes` (ASK, TRYAGAIN), keys one by one, then the new owner. False: it is on its way already, or
  /// there.
  bool move_slot(std::uint16_t slot, std::size_t to_group, Duration takes, Duration gossip);
  [[nodiscard]] std::size_t group_of(std::uint16_t slot) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::sim
