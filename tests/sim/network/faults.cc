// What the world does to the network.
#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/core/timeline.h"
#include "sim/network/connection.h"
#include "sim/network/impl.h"
#include "sim/network/network.h"

namespace sluice::sim {
namespace {

constexpr std::size_t kSides[] = {0, 1};

bool is_between(const Connection& connection, HostId a, HostId b) {
  const HostId first = connection.ends[0].host;
  const HostId second = connection.ends[1].host;
  return (first == a && second == b) || (first == b && second == a);
}

bool has_open_end(const Connection& connection) {
  return connection.ends[0].open || connection.ends[1].open;
}

}  // namespace

void Network::Impl::unblock(HostId from, HostId to) {
  const auto block = blocks.find({from, to});
  if (block == blocks.end()) return;
  const Duration outage = timeline.now() - block->second;
  blocks.erase(block);
  note("network", fmt::format("unblock {}>{}", hosts[from].name, hosts[to].name));
  if (!hosts[from].powered || !passes(from, to)) return;  // power_on, or giving up, is what ends this
  for (const ConnectionRef& connection : all()) {
    for (const std::size_t side : kSides) {
      if (connection->ends[side].host != from || connection->ends[other(side)].host != to) continue;
      if (connection->pipes[side].held) release(connection, side, outage);
      const bool waits = connection->pipes[other(side)].unacknowledged;
      acknowledge(*connection, other(side));
      // What arrived at an end that is no more is sent again, and now the answer gets through.
      const bool answered = waits && !connection->ends[side].open && connection->ends[other(side)].open;
      if (answered) put(connection, side, {.kind = Parcel::reset});
    }
  }
}

void Network::Impl::reset(const ConnectionRef& connection) {
  ++counters.resets;
  for (const std::size_t side : kSides) {
    after(latency(connection->ends[other(side)].host, connection->ends[side].host),
          [this, connection, side] { fail(connection, side, "connection reset by peer"); });
  }
}

void Network::Impl::power_off(HostId host) {
  Host& machine = hosts[host];
  if (!machine.powered) return;
  note("network", fmt::format("power off {}", machine.name));
  machine.powered = false;
  machine.off_since = timeline.now();
  ++machine.boots;
  std::erase_if(listeners, [host](const auto& listener) { return listener.first.first == host; });
  for (const ConnectionRef& connection : all()) {
    for (const std::size_t side : kSides) {
      End& end = connection->ends[side];
      if (end.host != host || !end.open) continue;
      const End& peer = connection->ends[other(side)];
      if (peer.open && peer.host != host) ++counters.half_open;
      end.open = false;
      end.received.clear();
      end.ended = false;
      let_go(*connection, side);
    }
    for (const std::size_t side : kSides) {
      if (connection->ends[side].host != host) continue;
      Pipe& pipe = connection->pipes[side];
      pipe.orphaned = true;
      pipe.chunks.clear();
      timeline.cancel(std::exchange(pipe.arriving, 0));
      timeline.cancel(std::exchange(pipe.giving_up, 0));
    }
    forget_if_over(*connection);
  }
}

void Network::Impl::power_on(HostId host) {
  Host& machine = hosts[host];
  if (machine.powered) return;
  note("network", fmt::format("power on {}", machine.name));
  machine.powered = true;
  for (const ConnectionRef& connection : all()) {
    for (const std::size_t side : kSides) {
      if (connection->ends[other(side)].host != host || !connection->pipes[side].held) continue;
      if (passes(connection->ends[side].host, host)) {
        release(connection, side, timeline.now() - machine.off_since);
      }
    }
  }
}

void Network::block(HostId from, HostId to) {
  if (from == to || !impl_->blocks.emplace(std::pair{from, to}, impl_->timeline.now()).second) return;
  impl_->note("network", fmt::format("block {}>{}", name_of(from), name_of(to)));
}

void Network::unblock(HostId from, HostId to) {
  impl_->unblock(from, to);
}

bool Network::blocked(HostId from, HostId to) const {
  return impl_->blocked(from, to);
}

void Network::unblock_all() {
  while (!impl_->blocks.empty()) {
    const auto [from, to] = impl_->blocks.begin()->first;
    impl_->unblock(from, to);
  }
}

void Network::reset(HostId a, HostId b) {
  impl_->note("network", fmt::format("reset {}-{}", name_of(a), name_of(b)));
  for (const ConnectionRef& connection : impl_->all()) {
    if (is_between(*connection, a, b) && has_open_end(*connection)) impl_->reset(connection);
  }
}

void Network::reset_one(HostId host) {
  std::vector<ConnectionRef> candidates = impl_->all();
  std::erase_if(candidates, [host](const ConnectionRef& connection) {
    return !has_open_end(*connection) ||
           (connection->ends[0].host != host && connection->ends[1].host != host);
  });
  if (candidates.empty()) return;
  const ConnectionRef& chosen = candidates[impl_->draw.below(candidates.size())];
  impl_->note("network", "reset " + chosen->pipes[0].label);
  impl_->reset(chosen);
}

void Network::power_off(HostId host) {
  impl_->power_off(host);
}

void Network::power_on(HostId host) {
  impl_->power_on(host);
}

}  // namespace sluice::sim
