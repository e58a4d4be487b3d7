#include "sim/world/servers.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/network/network.h"
#include "sim/redis/cluster.h"
#include "sim/redis/sentinel.h"
#include "sim/redis/server.h"
#include "sim/world/app.h"
#include "sim/world/books.h"
#include "sim/world/plan.h"
#include "store/redis/crc16.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

}  // namespace

void part(const Surroundings& world, HostId host, std::vector<HostId> others, Duration length) {
  std::erase(others, host);
  for (const HostId other : others) {
    world.network.block(host, other);
    world.network.block(other, host);
  }
  world.timeline.after(length, [&network = world.network, host, others = std::move(others)] {
    for (const HostId other : others) {
      network.unblock(host, other);
      network.unblock(other, host);
    }
  });
}

Servers::Servers(const Surroundings& world, Draw draw) : world_(world), draw_(draw) {
  world_.books.set_masters([this](HostId host) {
    for (const Group& group : groups_) {
      for (const Machine& machine : group.machines) {
        if (machine.host == host) return group.machines[group.master].host;
      }
    }
    return host;
  });
  groups_.resize(world_.plan.groups);
  for (std::size_t group = 0; group < groups_.size(); ++group) add_group(group);
  if (world_.plan.shape == Shape::cluster) {
    std::vector<RedisServer*> masters;
    std::vector<std::vector<RedisServer*>> replicas(groups_.size());
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      masters.push_back(&server(group, 0));
      for (std::size_t member = 1; member < members(); ++member)
        replicas[group].push_back(&server(group, member));
    }
    cluster_ = std::make_unique<RedisCluster>(world_.timeline, draw_.fork(100), std::move(masters),
                                              std::move(replicas));
  }
  for (std::size_t i = 0; i < world_.plan.sentinels; ++i) add_sentinel(i);
}

Servers::~Servers() = default;

ClockFault Servers::draw_clock() {
  const Plan& plan = world_.plan;
  return {.drift_ppm = draw_.between(-plan.drift_ppm, plan.drift_ppm),
          .wall_offset = plan.began - kEpoch + draw_.between(-plan.server_skew, plan.server_skew),
          .uptime = draw_.between(Duration(1s), Duration(1000h))};
}

void Servers::add_group(std::size_t group) {
  const Plan& plan = world_.plan;
  for (std::size_t member = 0; member < members(); ++member) {
    Machine machine;
    machine.host = world_.network.add_host(server_name(group, member));
    hosts_.push_back(machine.host);
    machine.clock = std::make_unique<NodeClock>(world_.timeline, draw_clock());
    machine.server =
        std::make_unique<RedisServer>(world_.network, machine.host, world_.timeline, *machine.clock,
                                      world_.trace, draw_.fork(1000 + group * 10 + member), world_.books,
                                      RedisOptions{.port = kServerPort,
                                                   .persistence = plan.persistence,
                                                   .password = plan.passwords ? kPassword : "",
                                                   .knows_resp3 = !plan.old_protocol,
                                                   .allows_time = !plan.replies_without_time});
    groups_[group].machines.push_back(std::move(machine));
  }
  for (std::size_t member = 0; member < members(); ++member) start(group, member);
}

void Servers::add_sentinel(std::size_t index) {
  const HostId host = world_.network.add_host(sentinel_name(index));
  sentinel_hosts_.push_back(host);
  hosts_.push_back(host);
  sentinel_clocks_.push_back(std::make_unique<NodeClock>(world_.timeline, draw_clock()));
  sentinels_.push_back(std::make_unique<RedisSentinel>(world_.network, host, world_.timeline,
                                                       *sentinel_clocks_.back(), world_.trace));
  misled_until_.emplace_back();
  for (std::size_t group = 0; group < groups_.size(); ++group) tell_sentinel(index, group);
  sentinels_.back()->start();
}

RedisServer& Servers::server(std::size_t group, std::size_t member) const {
  return *groups_[group].machines[member].server;
}

void Servers::start(std::size_t group, std::size_t member) {
  Machine& machine = groups_[group].machines[member];
  if (machine.server->running()) return;
  if (!machine.powered) {
    world_.network.power_on(machine.host);
    machine.powered = true;
  }
  machine.server->start();
  if (member == groups_[group].master) return;
  // A server comes back as what it was: one that was replaced while it was away learns of it from outside.
  const bool was_replica = !machine.server->is_master() || world_.timeline.now() == SimTime::zero();
  if (was_replica || world_.plan.sentinels == 0) return follow(group, member);
  world_.timeline.after(draw_.between(Duration(10ms), Duration(3s)),
                        [this, group, member] { follow(group, member); });
}

void Servers::follow(std::size_t group, std::size_t member) {
  if (member == groups_[group].master || !server(group, member).running()) return;
  if (server(group, member).master() == &master(group)) return;
  server(group, member).replicate(master(group));
}

void Servers::crash(std::size_t group, std::size_t member, Duration back_after, Power power) {
  Machine& machine = groups_[group].machines[member];
  if (!machine.server->running()) return;
  if (power == Power::off) {
    world_.network.power_off(machine.host);
    machine.powered = false;
  }
  machine.server->crash();
  world_.timeline.after(back_after, [this, group, member] { start(group, member); });
  const bool watched = world_.plan.sentinels > 0 || cluster_ != nullptr;
  if (!watched || member != groups_[group].master) return;
  // As with down-after-milliseconds: long enough without it, and another one takes its place.
  const Duration noticed = draw_.between(Duration(300ms), Duration(3s));
  if (noticed >= back_after) return;
  world_.timeline.after(noticed, [this, group, member] {
    if (groups_[group].master != member || server(group, member).running()) return;
    static_cast<void>(fail_over(group, OldMaster::hears_soon, Duration(1s)));
  });
}

bool Servers::fail_over(std::size_t group, OldMaster old, Duration old_lives) {
  Group& its = groups_[group];
  const std::size_t old_master = its.master;
  std::optional<std::size_t> chosen;
  for (std::size_t member = 0; member < members(); ++member) {
    if (member == old_master || !server(group, member).running() || server(group, member).is_master())
      continue;
    // A replica that was never linked to this master has the data of another time: its age forbids it.
    if (server(group, member).origin() != server(group, old_master).origin()) continue;
    if (!chosen || server(group, member).offset() > server(group, *chosen).offset()) chosen = member;
  }
  if (!chosen) return false;
  // From its replicas and the sentinels: everybody else still reaches it.
  if (old == OldMaster::cut_off) part(world_, its.machines[old_master].host, hosts_, old_lives);
  its.master = *chosen;
  ++its.epoch;
  if (cluster_) {
    cluster_->fail_over(group, server(group, *chosen), old_lives);
    return true;
  }
  server(group, *chosen).promote();
  tell_sentinels(group);
  for (std::size_t member = 0; member < members(); ++member) {
    if (member == *chosen) continue;
    const Duration hears = member == old_master ? old_lives : draw_.between(Duration(1ms), Duration(800ms));
    world_.timeline.after(hears, [this, group, member] { follow(group, member); });
  }
  return true;
}

// --- sentinels
// ----------------------------------------------------------------------------------------------

void Servers::tell_sentinels(std::size_t group) {
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    const SimTime at =
        std::max(world_.timeline.now() + draw_.log_between(Duration(1ms), Duration(700ms)), misled_until_[i]);
    world_.timeline.at(at, [this, i, group] { tell_sentinel(i, group); });
  }
}

void Servers::tell_sentinel(std::size_t index, std::size_t group) {
  if (world_.timeline.now() < misled_until_[index]) return;
  const Group& its = groups_[group];
  sentinels_[index]->believe(group_name(group), server_name(group, its.master), kServerPort, its.epoch);
}

void Servers::crash_sentinel(std::size_t index, Duration back_after) {
  if (!sentinels_[index]->running()) return;
  sentinels_[index]->crash();
  world_.timeline.after(back_after, [this, index] {
    if (sentinels_[index]->running()) return;
    sentinels_[index]->start();
    for (std::size_t group = 0; group < groups_.size(); ++group) tell_sentinel(index, group);
  });
}

void Servers::mislead_sentinel(std::size_t index, Duration length) {
  misled_until_[index] = world_.timeline.now() + length;
  world_.timeline.after(length, [this, index] {
    for (std::size_t group = 0; group < groups_.size(); ++group) tell_sentinel(index, group);
  });
}

// --- cluster and data
// ---------------------------------------------------------------------------------------

void Servers::move_slot(Duration takes) {
  if (!cluster_) return;
  const auto slot = static_cast<std::uint16_t>(draw_.below(store::redis::kSlots));
  const std::size_t to = draw_.below(groups_.size());
  world_.books.on_moved();
  static_cast<void>(cluster_->move_slot(slot, to, takes, draw_.between(Duration(1ms), Duration(400ms))));
}

void Servers::flush_all(std::size_t group) {
  if (!master(group).running()) return;
  master(group).flush_all();
  world_.books.on_flush(master(group).host(), master(group).offset());
}

void Servers::heal() {
  misled_until_.assign(misled_until_.size(), SimTime::zero());
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (std::size_t member = 0; member < members(); ++member) {
      server(group, member).set_trouble(RedisTrouble::none);
      start(group, member);
      if (!cluster_) follow(group, member);
    }
  }
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    if (!sentinels_[i]->running()) sentinels_[i]->start();
    for (std::size_t group = 0; group < groups_.size(); ++group) tell_sentinel(i, group);
  }
}

}  // namespace sluice::sim
