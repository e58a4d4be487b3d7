#include "sim/network/network.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/connector.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/dial.h"
#include "sim/network/impl.h"

namespace sluice::sim {
namespace {

class SimConnector final : public Connector {
 public:
  SimConnector(Network::Impl& network, HostId host, NodeLoop& loop)
      : network_(network), host_(host), loop_(loop) {}

  [[nodiscard]] std::unique_ptr<ConnectAttempt> connect(const Endpoint& endpoint,
                                                        ConnectEvents& events) override {
    return std::make_unique<SimAttempt>(network_, host_, loop_, endpoint, events);
  }

 private:
  Network::Impl& network_;
  HostId host_;
  NodeLoop& loop_;
};

}  // namespace

Network::Impl::Impl(Timeline& the_timeline, Trace& the_trace, Draw the_draw,
                    const NetworkOptions& the_options)
    : timeline(the_timeline), trace(the_trace), draw(std::move(the_draw)), options(the_options) {
  SLUICE_ASSERT(options.send_buffer >= 1);
}

Network::Impl::~Impl() {
  // The timeline may still have tasks that hold streams: these have nobody to tell of their end.
  for (const auto& [id, connection] : connections) connection->network = nullptr;
}

Timeline::EventId Network::Impl::after(Duration delay, std::function<void()> act) {
  return timeline.after(delay, [watch = liveness.watch(), act = std::move(act)] {
    if (watch) act();
  });
}

void Network::Impl::note(std::string_view who, std::string_view what) {
  trace.note(timeline.now(), who, what);
}

Duration Network::Impl::latency(HostId from, HostId to) {
  const Latency& latency = from == to ? options.local : options.latency;
  if (!draw.chance(latency.slow_share)) return draw.between(latency.shortest, latency.usual);
  ++counters.slow;
  return draw.log_between(latency.usual, latency.slow);
}

bool Network::Impl::passes(HostId from, HostId to) const {
  return hosts[to].powered && !blocked(from, to);
}

Network::Network(Timeline& timeline, Trace& trace, Draw draw, const NetworkOptions& options)
    : impl_(std::make_unique<Impl>(timeline, trace, std::move(draw), options)) {}

Network::~Network() = default;

HostId Network::add_host(std::string name) {
  const auto id = static_cast<HostId>(impl_->hosts.size());
  SLUICE_ASSERT(impl_->by_name.emplace(name, id).second);
  impl_->hosts.push_back({.name = std::move(name)});
  return id;
}

const std::string& Network::name_of(HostId host) const {
  return impl_->hosts.at(host).name;
}

std::unique_ptr<Listener> Network::listen(HostId host, std::uint16_t port, NodeLoop& loop,
                                          ListenerEvents& events) {
  return std::make_unique<SimListener>(*impl_, host, port, loop, events);
}

std::unique_ptr<Connector> Network::connector(HostId host, NodeLoop& loop) {
  return std::make_unique<SimConnector>(*impl_, host, loop);
}

const NetworkCounters& Network::counters() const {
  return impl_->counters;
}

}  // namespace sluice::sim
