#include "sim/network/dial.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/connector.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/core/node_loop.h"
#include "sim/network/connection.h"
#include "sim/network/impl.h"
#include "sim/network/network.h"
#include "sim/network/stream.h"

namespace sluice::sim {
namespace {

constexpr std::size_t kDialler = 0;
constexpr std::size_t kListener = 1;

std::uint16_t ephemeral_port(std::uint64_t connection) {
  constexpr std::uint64_t kFirst = 32'768;
  constexpr std::uint64_t kCount = 28'232;
  return static_cast<std::uint16_t>(kFirst + connection % kCount);
}

}  // namespace

SimListener::SimListener(Network::Impl& network, HostId host, std::uint16_t port, NodeLoop& loop,
                         ListenerEvents& events)
    : network_(network), host_(host), port_(port), loop_(loop), events_(events), id_(network.next_id++) {
  SLUICE_ASSERT(network_.listeners.emplace(std::pair{host, port}, this).second);
}

SimListener::~SimListener() {
  const auto found = network_.listeners.find({host_, port_});
  if (found != network_.listeners.end() && found->second == this) network_.listeners.erase(found);
}

std::string SimListener::address() const {
  return fmt::format("{}:{}", network_.hosts[host_].name, port_);
}

void SimListener::take(const ConnectionRef& connection) {
  auto held = std::make_shared<std::unique_ptr<ByteStream>>(
      std::make_unique<SimStream>(connection, kListener, loop_));
  loop_.post(network_.timeline.now(), [this, connection, held = std::move(held), watch = liveness_.watch()] {
    if (!watch) return;
    connection->ends[kListener].accepted = true;
    events_.on_connection(std::move(*held));
  });
}

SimAttempt::SimAttempt(Network::Impl& network, HostId from, NodeLoop& loop, const Endpoint& endpoint,
                       ConnectEvents& events)
    : loop_(loop), where_(endpoint.text()), events_(events) {
  const auto named = network.by_name.find(endpoint.host);
  if (!endpoint.path.empty()) {
    failed("no such file or directory", Duration::zero());
    return;
  }
  if (named == network.by_name.end()) {
    failed("unknown name", network.latency(from, from));
    return;
  }
  dial_ = std::make_shared<Dial>(Dial{.attempt = this,
                                      .from = from,
                                      .boot = network.hosts[from].boots,
                                      .to = named->second,
                                      .port = endpoint.port});
  timer_ = loop_.start_timer(network.options.answer_within, [this, &network] {
    finish_failed("no answer within " + format_duration(network.options.answer_within));
  });
  network.dial(dial_);
}

SimAttempt::~SimAttempt() {
  if (dial_) dial_->attempt = nullptr;
  loop_.stop_timer(timer_);
}

void SimAttempt::connected(std::unique_ptr<ByteStream> stream) {
  auto held = std::make_shared<std::unique_ptr<ByteStream>>(std::move(stream));
  loop_.post(loop_.timeline().now(), [this, held = std::move(held), watch = liveness_.watch()] {
    if (!watch || done_) return;
    done_ = true;
    loop_.stop_timer(timer_);
    events_.on_connected(std::move(*held));
  });
}

void SimAttempt::failed(const std::string& why, Duration after) {
  loop_.post(loop_.timeline().now() + after, [this, why, watch = liveness_.watch()] {
    if (watch) finish_failed(why);
  });
}

void SimAttempt::finish_failed(const std::string& why) {
  if (done_) return;
  done_ = true;
  loop_.stop_timer(timer_);
  if (dial_) dial_->attempt = nullptr;
  const std::string reason = fmt::format("{}: {}", where_, why);  // must last through the call
  events_.on_connect_failed(reason);
}

void Network::Impl::dial(const std::shared_ptr<Dial>& dial) {
  if (!passes(dial->from, dial->to)) {
    ++counters.hung;
    return;
  }
  after(latency(dial->from, dial->to), [this, dial] { request_arrives(dial); });
}

void Network::Impl::request_arrives(const std::shared_ptr<Dial>& dial) {
  if (!passes(dial->from, dial->to) || !passes(dial->to, dial->from)) {
    ++counters.hung;
    return;
  }
  const auto found = listeners.find({dial->to, dial->port});
  if (found != listeners.end()) dial->listener = found->second->id();
  after(latency(dial->to, dial->from), [this, dial] { answer_arrives(dial); });
}

void Network::Impl::answer_arrives(const std::shared_ptr<Dial>& dial) {
  if (dial->attempt == nullptr || hosts[dial->from].boots != dial->boot) return;
  if (!passes(dial->to, dial->from)) {
    ++counters.hung;
    return;
  }
  if (dial->listener == 0) {
    ++counters.refused;
    dial->attempt->failed("connection refused", Duration::zero());
    return;
  }
  auto connection = std::make_shared<Connection>();
  connection->network = this;
  connection->id = next_id++;
  connection->listener = dial->listener;
  const std::uint16_t port = ephemeral_port(connection->id);
  connection->ends = {End{.host = dial->from, .port = port, .accepted = true},
                      End{.host = dial->to, .port = dial->port}};
  connection->pipes[kDialler].label =
      fmt::format("{}:{}>{}", hosts[dial->from].name, port, hosts[dial->to].name);
  connection->pipes[kListener].label =
      fmt::format("{}:{}>{}", hosts[dial->to].name, dial->port, hosts[dial->from].name);
  connections.emplace(connection->id, connection);
  ++counters.connections;
  dial->attempt->connected(std::make_unique<SimStream>(connection, kDialler, dial->attempt->loop()));
  dial->attempt = nullptr;
  put(connection, kDialler, {.kind = Parcel::hello});
}

void Network::Impl::accept(const ConnectionRef& connection) {
  End& end = connection->ends[kListener];
  const auto found = listeners.find({end.host, end.port});
  const bool listens = found != listeners.end() && found->second->id() == connection->listener;
  if (!end.open || !listens) {  // it died since, or the whole machine
    end.open = false;
    if (connection->ends[kDialler].open) put(connection, kListener, {.kind = Parcel::reset});
    return;
  }
  note(connection->pipes[kDialler].label, "[connected]");
  found->second->take(connection);
}

}  // namespace sluice::sim
