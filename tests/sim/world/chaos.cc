#include "sim/world/chaos.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/network/network.h"
#include "sim/redis/server.h"
#include "sim/world/app.h"
#include "sim/world/daemon_node.h"
#include "sim/world/plan.h"
#include "sim/world/servers.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

}  // namespace

Duration Chaos::while_short() {
  return draw_.log_between(Duration(2ms), Duration(400ms));
}

Duration Chaos::while_long() {
  return draw_.log_between(Duration(400ms), Duration(8s));
}

void Chaos::begin() {
  arm();
}

void Chaos::arm() {
  world_.timeline.after(draw_.exponential(world_.plan.between_faults), [this] {
    if (stopped_) return;
    inject();
    arm();
  });
}

void Chaos::inject() {
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : world_.plan.faults) sum += weight;
  if (sum == 0) return;
  std::uint64_t left = draw_.below(sum);
  for (std::size_t i = 0; i < kFaults; ++i) {
    const std::uint64_t weight = world_.plan.faults[i];
    if (left < weight) return inject(static_cast<Fault>(i));
    left -= weight;
  }
}

void Chaos::inject(Fault fault) {
  ++injected_[static_cast<std::size_t>(fault)];
  world_.trace.note(world_.timeline.now(), "fault", name_of(fault));
  switch (fault) {
    case Fault::daemon_crash:
    case Fault::daemon_power:
    case Fault::daemon_restart:
    case Fault::daemon_pause:
    case Fault::wall_step:
    case Fault::reload:
    case Fault::app_crash:
      return on_daemon(fault);
    case Fault::server_crash:
    case Fault::server_power:
    case Fault::server_pause:
    case Fault::fail_over:
    case Fault::trouble:
    case Fault::flush_scripts:
    case Fault::flush_all:
    case Fault::kill_clients:
    case Fault::move_slot:
      return on_server(fault);
    case Fault::block_one_way:
    case Fault::block_both:
    case Fault::isolate:
    case Fault::reset:
      return on_network(fault);
    case Fault::sentinel_crash:
    case Fault::sentinel_pause:
    case Fault::sentinel_stale:
      return on_sentinel(fault);
    case Fault::kinds:
      return;
  }
}

// --- daemons and applications
// -------------------------------------------------------------------------------

void Chaos::daemon_power(DaemonNode& daemon, Duration back_after) {
  if (!daemon.running()) return;
  world_.network.power_off(daemon.host());
  daemon.crash();
  // The applications beside it lose theirs as well.
  for (std::size_t i = 0; i < parts_.daemons.size(); ++i) {
    if (parts_.daemons[i].get() != &daemon) continue;
    for (std::size_t app = 0; app < world_.plan.apps; ++app)
      parts_.apps[i * world_.plan.apps + app]->crash(back_after);
  }
  world_.timeline.after(back_after, [this, &daemon] {
    world_.network.power_on(daemon.host());
    daemon.start();
  });
}

void Chaos::on_daemon(Fault fault) {
  const std::size_t index = draw_.below(parts_.daemons.size());
  DaemonNode& daemon = *parts_.daemons[index];
  const Duration length = a_while();
  switch (fault) {
    case Fault::daemon_crash:
      daemon.crash();
      world_.timeline.after(length, [&daemon] { daemon.start(); });
      return;
    case Fault::daemon_power:
      return daemon_power(daemon, length);
    case Fault::daemon_restart:
      daemon.terminate();
      world_.timeline.after(1100ms + length, [&daemon] { daemon.start(); });
      return;
    case Fault::daemon_pause:
      daemon.pause(length, draw_.one_in(2));
      for (std::size_t app = 0; app < world_.plan.apps; ++app)
        parts_.apps[index * world_.plan.apps + app]->daemon_paused(length);
      return;
    case Fault::wall_step:
      daemon.clock().step_wall(draw_.between(Duration(-2h), Duration(2h)));
      return;
    case Fault::reload:
      return daemon.reload();
    default:
      parts_.apps[draw_.below(parts_.apps.size())]->crash(while_short());
      return;
  }
}

// --- servers
// ------------------------------------------------------------------------------------------------

void Chaos::on_server(Fault fault) {
  static constexpr std::array kTroubles = {
      RedisTrouble::loading, RedisTrouble::oom,  RedisTrouble::misconf, RedisTrouble::noreplicas,
      RedisTrouble::busy,    RedisTrouble::slow, RedisTrouble::readonly};
  const std::size_t group = draw_.below(parts_.servers.groups());
  const bool at_master = !draw_.one_in(4);
  const std::size_t member =
      at_master ? parts_.servers.master_of(group) : draw_.below(parts_.servers.members());
  RedisServer& server = parts_.servers.server(group, member);
  const Duration length = a_while();
  switch (fault) {
    case Fault::server_crash:
      return parts_.servers.crash(group, member, length, Power::on);
    case Fault::server_power:
      return parts_.servers.crash(group, member, length, Power::off);
    case Fault::server_pause:
      if (server.running()) server.suspend(world_.timeline.now() + length);
      return;
    case Fault::fail_over: {
      const bool cut = world_.plan.gentle || draw_.one_in(2);
      const Duration old_lives = world_.plan.gentle ? draw_.between(Duration(500ms), Duration(3s)) : length;
      static_cast<void>(parts_.servers.fail_over(
          group, cut ? Servers::OldMaster::cut_off : Servers::OldMaster::hears_soon, old_lives));
      return;
    }
    case Fault::trouble:
      server.set_trouble(draw_.of(std::span<const RedisTrouble>(kTroubles)));
      world_.timeline.after(length, [&server] { server.set_trouble(RedisTrouble::none); });
      return;
    case Fault::flush_scripts:
      return server.flush_scripts();
    case Fault::flush_all:
      return parts_.servers.flush_all(group);
    case Fault::kill_clients:
      return server.kill_clients();
    default:
      return parts_.servers.move_slot(length);
  }
}

// --- network and sentinels
// ----------------------------------------------------------------------------------

HostId Chaos::any_server_host() {
  return draw_.of(std::span<const HostId>(parts_.servers.hosts()));
}

void Chaos::isolate(HostId host, Duration length) {
  std::vector<HostId> others = parts_.servers.hosts();
  for (const auto& daemon : parts_.daemons) others.push_back(daemon->host());
  part(world_, host, std::move(others), length);
}

void Chaos::on_network(Fault fault) {
  const DaemonNode& daemon = *parts_.daemons[draw_.below(parts_.daemons.size())];
  const HostId server = any_server_host();
  const Duration length = a_while();
  if (fault == Fault::reset) return world_.network.reset(daemon.host(), server);
  if (fault == Fault::isolate) {
    const bool a_daemon = draw_.one_in(2);
    return isolate(a_daemon ? daemon.host() : server, length);
  }
  const bool inward = fault == Fault::block_both || draw_.one_in(2);
  const bool outward = fault == Fault::block_both || !inward;
  const HostId host = daemon.host();
  if (inward) world_.network.block(server, host);
  if (outward) world_.network.block(host, server);
  world_.timeline.after(length, [this, host, server] {
    world_.network.unblock(server, host);
    world_.network.unblock(host, server);
  });
}

void Chaos::on_sentinel(Fault fault) {
  const std::size_t index = draw_.below(world_.plan.sentinels);
  const Duration length = a_while();
  if (fault == Fault::sentinel_crash) return parts_.servers.crash_sentinel(index, length);
  if (fault == Fault::sentinel_stale) return parts_.servers.mislead_sentinel(index, length);
  parts_.servers.sentinel(index).suspend(world_.timeline.now() + length);
}

void Chaos::heal() {
  stopped_ = true;
  world_.trace.note(world_.timeline.now(), "fault", "all is mended");
  world_.network.unblock_all();
  for (const auto& daemon : parts_.daemons) {
    world_.network.power_on(daemon->host());
    daemon->start();
  }
  parts_.servers.heal();
}

}  // namespace sluice::sim
