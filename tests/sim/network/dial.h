// Listeners and attempts, inside network/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/stream.h"
#include "sim/core/node_loop.h"
#include "sim/network/impl.h"
#include "sim/network/network.h"

namespace sluice::sim {

class SimListener final : public Listener {
 public:
  SimListener(Network::Impl& network, HostId host, std::uint16_t port, NodeLoop& loop,
              ListenerEvents& events);
  ~SimListener() override;
  SimListener(const SimListener&) = delete;
  SimListener& operator=(const SimListener&) = delete;

  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::uint64_t id() const { return id_; }
  /// Tells of it in a turn.
  void take(const ConnectionRef& connection);

 private:
  Network::Impl& network_;
  HostId host_;
  std::uint16_t port_;
  NodeLoop& loop_;
  ListenerEvents& events_;
  std::uint64_t id_;
  Liveness liveness_;
};

class SimAttempt final : public ConnectAttempt {
 public:
  SimAttempt(Network::Impl& network, HostId from, NodeLoop& loop, const Endpoint& endpoint,
             ConnectEvents& events);
  ~SimAttempt() override;
  SimAttempt(const SimAttempt&) = delete;
  SimAttempt& operator=(const SimAttempt&) = delete;

  [[nodiscard]] NodeLoop& loop() const { return loop_; }
  // Both tell of it in a turn `after` from now.
  void connected(std::unique_ptr<ByteStream> stream);
  void failed(const std::string& why, Duration after);

 private:
  void finish_failed(const std::string& why);

  NodeLoop& loop_;
  std::string where_;
  ConnectEvents& events_;
  std::shared_ptr<Dial> dial_;
  TimerId timer_ = 0;
  bool done_ = false;
  Liveness liveness_;
};

/// What is under way for an attempt.
struct Dial {
  SimAttempt* attempt = nullptr;  ///< null once that is gone
  HostId from = 0;
  std::uint64_t boot = 0;  ///< of the host that dials: a later one knows nothing of it
  HostId to = 0;
  std::uint16_t port = 0;
  std::uint64_t listener = 0;
};

}  // namespace sluice::sim
