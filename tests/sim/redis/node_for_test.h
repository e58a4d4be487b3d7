// A small world of simulated servers and clients, for tests.
#pragma once

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
#include "sim/redis/observer.h"
#include "sim/redis/server.h"

namespace sluice::sim::testing {

using namespace std::chrono_literals;

struct Books final : RedisObserver {
  struct History {
    HostId server = 0;
    HostId old_master = 0;
    std::uint64_t kept = 0;
    bool operator==(const History&) const = default;
  };
  void on_script(const ScriptRun& run) override {
    runs.push_back(run);
    runs.back().arguments = nullptr;
    scripts.emplace_back(run.script);
    clients.emplace_back(run.client);
  }
  void on_history(HostId server, HostId old_master, std::uint64_t kept) override {
    histories.push_back({server, old_master, kept});
  }
  std::vector<ScriptRun> runs;
  std::vector<std::string> scripts;
  std::vector<std::string> clients;
  std::vector<History> histories;
};

/// A connection that sends commands and keeps all that comes.
class Caller final : private ConnectEvents, private StreamEvents {
 public:
  Caller(Network& network, HostId from, NodeLoop& loop, const std::string& host, std::uint16_t port)
      : connector_(network.connector(from, loop)),
        attempt_(connector_->connect({.host = host, .port = port}, *this)) {}

  void send(const std::vector<std::string>& words) {
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    send_raw(bytes);
  }
  void send_raw(const std::string& bytes) {
    if (stream_) {
      stream_->write(bytes);
    } else {
      waiting_ += bytes;
    }
  }
  /// All that came since the last call.
  std::string take() { return std::exchange(received_, {}); }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool connected() const { return stream_ != nullptr && !closed_; }

 private:
  void on_connected(std::unique_ptr<ByteStream> stream) override {
    stream_ = std::move(stream);
    stream_->start(*this);
    stream_->write(std::exchange(waiting_, {}));
  }
  void on_connect_failed(std::string_view /*reason*/) override { closed_ = true; }
  void on_bytes(std::string_view bytes) override { received_ += bytes; }
  void on_end() override { closed_ = true; }
  void on_drained() override {}
  void on_closed(std::string_view /*reason*/) override { closed_ = true; }

  std::unique_ptr<Connector> connector_;
  std::unique_ptr<ConnectAttempt> attempt_;
  std::unique_ptr<ByteStream> stream_;
  std::string waiting_;
  std::string received_;
  bool closed_ = false;
};

/// Hosts "r0", "r1", … with a server each, and "client".
class SmallWorld {
 public:
  explicit SmallWorld(std::size_t servers, const RedisOptions& options = {})
      : network(timeline, trace, Draw(1), NetworkOptions{}), client_host(network.add_host("client")) {
    for (std::size_t i = 0; i < servers; ++i) {
      hosts.push_back(network.add_host("r" + std::to_string(i)));
      redis.push_back(std::make_unique<RedisServer>(network, hosts.back(), timeline, clock, trace,
                                                    Draw(100 + i), books, options));
      redis.back()->start();
    }
  }

  void run(Duration length) { timeline.run_until(timeline.now() + length); }
  std::unique_ptr<Caller> call(std::size_t server) { return call("r" + std::to_string(server), 6379); }
  std::unique_ptr<Caller> call(const std::string& host, std::uint16_t port) {
    return std::make_unique<Caller>(network, client_host, loop, host, port);
  }
  /// Sends it, waits for the answer, and returns it.
  std::string ask(Caller& caller, const std::vector<std::string>& words, Duration patience = 100ms) {
    caller.send(words);
    run(patience);
    return caller.take();
  }

  Timeline timeline;
  Trace trace;
  NodeClock clock{timeline, ClockFault{}};
  Books books;
  Network network;
  HostId client_host;
  NodeLoop loop{timeline, clock};
  std::vector<HostId> hosts;
  std::vector<std::unique_ptr<RedisServer>> redis;
};

}  // namespace sluice::sim::testing
