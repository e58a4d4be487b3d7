// What the tests of the network stand on: two machines with one process each, and owners of streams that
// write down what they are told.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/stream.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"

namespace sluice::sim {

/// Owns one stream. `log` has what it was told beside bytes: "end", "drained", "closed: why", one a line.
class Peer final : public StreamEvents {
 public:
  Peer() = default;
  explicit Peer(std::unique_ptr<ByteStream> the_stream) : stream(std::move(the_stream)) {
    stream->start(*this);
  }

  void on_bytes(std::string_view bytes) override {
    received += bytes;
    pieces.push_back(bytes.size());
    tell();
  }
  void on_end() override { say("end"); }
  void on_drained() override { say("drained"); }
  void on_closed(std::string_view reason) override { say("closed: " + std::string(reason)); }

  std::unique_ptr<ByteStream> stream;
  std::string received;
  std::string log;
  std::vector<std::size_t> pieces;
  std::function<void()> on_event;  ///< called in each event, after it was written down

 private:
  void say(const std::string& what) {
    log += what + "\n";
    tell();
  }
  void tell() const {
    if (on_event) on_event();
  }
};

/// A process that listens and dials; it keeps all that it is given.
class Process final : public ListenerEvents, public ConnectEvents {
 public:
  Process(Network& network, HostId host, Timeline& timeline)
      : clock(timeline, {}),
        loop(std::make_unique<NodeLoop>(timeline, clock)),
        network_(network),
        host_(host) {}

  void on_connection(std::unique_ptr<ByteStream> stream) override {
    accepted.push_back(std::make_unique<Peer>(std::move(stream)));
  }
  void on_connected(std::unique_ptr<ByteStream> stream) override {
    dialled = std::make_unique<Peer>(std::move(stream));
  }
  void on_connect_failed(std::string_view reason) override { failure = reason; }

  void listen(std::uint16_t port) { listener = network_.listen(host_, port, *loop, *this); }
  void dial(const std::string& host, std::uint16_t port) {
    if (!connector) connector = network_.connector(host_, *loop);
    attempt = connector->connect({.host = host, .port = port}, *this);
  }
  /// As a crash does it.
  void die() {
    attempt.reset();
    connector.reset();
    listener.reset();
    dialled.reset();
    accepted.clear();
    loop.reset();
  }

  NodeClock clock;
  std::unique_ptr<NodeLoop> loop;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Connector> connector;
  std::unique_ptr<ConnectAttempt> attempt;
  std::unique_ptr<Peer> dialled;
  std::vector<std::unique_ptr<Peer>> accepted;
  std::string failure;

 private:
  Network& network_;
  HostId host_;
};

class World {
 public:
  static constexpr std::uint16_t kPort = 6379;

  explicit World(std::uint64_t seed = 1, const NetworkOptions& options = {})
      : network(timeline, trace, Draw(seed), options) {
    server.listen(kPort);
  }

  /// Goes on with time.
  void run(Duration length) { timeline.run_until(timeline.now() + length); }
  void connect() {
    client.dial("b", kPort);
    run(std::chrono::milliseconds{200});
    ASSERT_NE(client.dialled, nullptr);
    ASSERT_EQ(server.accepted.size(), 1U);
  }
  [[nodiscard]] Peer& here() const { return *client.dialled; }
  [[nodiscard]] Peer& there() const { return *server.accepted.at(0); }

  Timeline timeline;
  Trace trace;
  Network network;
  HostId a = network.add_host("a");
  HostId b = network.add_host("b");
  Process client{network, a, timeline};
  Process server{network, b, timeline};
};

}  // namespace sluice::sim
